"""What the page says of drafts, in numbers, by the library's own layers."""

from __future__ import annotations

import pytest
import torch

from posenc_lib import causal_mask, geometric_freqs, rotate
from posenc_lib.rotary import axes_angles, axial_freqs, chunked_sections, next_position, vision_positions
from posenc_lib.transformer import Cache
from posenc_lib.trees import tree_mask, tree_positions
from tests.support.decoders import LAYERS, RELATIVE, D, decoder
from tests.support.weights import normal

pytestmark = pytest.mark.usefixtures("float64")


def difference(a, b):
    return (a - b).abs().max()


def assert_close(a, b, atol=1e-9):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


def cached(model, x, positions):
    caches = [Cache() for _ in range(LAYERS)]
    for t, p in enumerate(positions):
        model(x[:, [t]], positions=torch.tensor([p]), caches=caches)
    return caches


TREES = {
    "of the page": [-1, -1, 0, 0, 1, 4],
    "a chain": [-1, 0, 1, 2],
    "two branches": [-1, 0, 0, 1, 2],
    "siblings": [-1, -1, -1],
}
trees = pytest.mark.parametrize("parents", TREES.values(), ids=TREES)


def path_to(node, parents):
    return [] if node < 0 else [*path_to(parents[node], parents), node]


@trees
@pytest.mark.parametrize("prefix", [0, 3])
def test_a_node_sees_the_prefix_its_ancestors_and_itself(parents, prefix):
    mask, positions = tree_mask(torch.tensor(parents), prefix), tree_positions(torch.tensor(parents), prefix)
    for node in range(len(parents)):
        path = path_to(node, parents)
        assert mask[node].nonzero()[:, 0].tolist() == [*range(prefix), *(prefix + a for a in path)]
        assert positions[node] == prefix + len(path) - 1


@pytest.mark.claim("drafts.tree")
@trees
@pytest.mark.parametrize("kind", [*RELATIVE, "table"])
def test_each_path_of_a_tree_is_a_text_in_outputs_and_caches(parents, kind):
    model, n = decoder(RELATIVE[kind]() if kind in RELATIVE else None), 4
    table = normal(20, D, seed=5) * (kind == "table")
    tokens = normal(1, n + len(parents), D, seed=3)
    tree = torch.tensor(parents)
    positions = torch.cat((torch.arange(n), tree_positions(tree, n)))
    mask = torch.cat((causal_mask(torch.arange(n), torch.arange(len(positions))), tree_mask(tree, n)))
    caches = [Cache() for _ in range(LAYERS)]
    out = model(tokens + table[positions], positions=positions, mask=mask, caches=caches)
    for leaf in {*range(len(parents))} - {*parents}:
        row = [*range(n), *(n + a for a in path_to(leaf, parents))]
        line = torch.arange(len(row))
        plain = cached(model, tokens[:, row] + table[line], line.tolist())
        alone = model(tokens[:, row] + table[line], positions=line, mask=causal_mask(line, line))
        assert_close(out[:, row], alone)
        for one, other in zip(caches, plain, strict=True):
            assert_close(one.k[:, :, row], other.k)
            assert_close(one.v[:, :, row], other.v)


@pytest.mark.claim("drafts.tree")
def test_numbered_by_places_or_seen_by_siblings_a_path_is_no_text():
    model, n, tree = decoder(RELATIVE["rotary"]()), 4, torch.tensor(TREES["of the page"])
    tokens, places = normal(1, 10, D, seed=3), torch.arange(10)
    row, line = [0, 1, 2, 3, 5, 8, 9], torch.arange(7)
    alone = model(tokens[:, row], positions=line, mask=causal_mask(line, line))
    mask = torch.cat((causal_mask(torch.arange(n), places), tree_mask(tree, n)))
    depths = torch.cat((torch.arange(n), tree_positions(tree, n)))
    for positions, seen in ((places, mask), (depths, causal_mask(places, places))):
        assert difference(model(tokens, positions=positions, mask=seen)[:, row], alone) > 0.01


@pytest.mark.claim("drafts.tree")
def test_after_an_image_a_path_is_a_text_at_its_positions_and_not_at_its_slots():
    """One layer with M-RoPE: scores of a draft's path against those of a plain text after the image."""
    freqs = axial_freqs(geometric_freqs(D), chunked_sections((4, 2, 2)), 3)
    parts = [("text", 3), ("image", (4, 6))]
    ids, whole = vision_positions(parts), vision_positions([*parts, ("text", 3)])
    tree = torch.tensor(TREES["of the page"])
    path = path_to(5, tree.tolist())
    start = next_position(ids).item()
    nodes = tree_positions(tree, start)[path]
    assert torch.equal(torch.cat((ids, nodes[:, None].expand(-1, 3))), whole)
    x = normal(len(whole), D)
    slots = torch.cat((ids, (len(ids) + torch.arange(3))[:, None].expand(-1, 3)))
    scores = [rotate(x, axes_angles(p, freqs)) @ rotate(x, axes_angles(p, freqs)).T for p in (whole, slots)]
    assert difference(*scores) > 0.1


@pytest.mark.parametrize(("window", "step"), [(4, 1), (4, 2), (7, 5)])
def test_a_ring_needs_room_for_a_whole_step(window, step):
    """Its first query still finds all keys of its window, also when the step is taken back."""
    for slots in (window - 1 + step, window - 2 + step):
        ring = {n % slots: n for n in range(20 + step)}
        assert ({*range(20 - window + 1, 21)} <= {*ring.values()}) == (slots == window - 1 + step)
