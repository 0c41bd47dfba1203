"""What the page says of stored keys, in numbers, by the library's own layers."""

from __future__ import annotations

import pytest
import torch

from bookkit.pages.stored_keys import LARGE, hadamard, keys, rounded
from posenc_lib import Rotary, Slots, causal_mask, dynamic_ntk, geometric_freqs, rotate
from posenc_lib.extension import sink_ids, sink_mask
from posenc_lib.pairs import position_angles
from posenc_lib.relative.distance import pair_distances
from posenc_lib.rotary import (
    axes_angles,
    axial_freqs,
    chunked_sections,
    interleaved_sections,
    next_position,
    vision_positions,
)
from posenc_lib.transformer import Cache
from tests.support.decoders import FREQS, LAYERS, RELATIVE, D, decoder, relative
from tests.support.weights import normal

pytestmark = pytest.mark.usefixtures("float64")
TEXT, OTHER = normal(1, 6, D), normal(1, 9, D, seed=1)
PLACES = torch.arange(9)
CAUSAL = causal_mask(PLACES, PLACES)


def at(x, positions):
    return rotate(x, position_angles(positions, geometric_freqs(x.shape[-1])))


def difference(a, b):
    return (a - b).abs().max()


def assert_close(a, b, atol=1e-9):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


# --- scales


@pytest.mark.claim("caches.scales")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
@pytest.mark.parametrize("n", [0, 1, 100])
def test_scales_commute_with_the_rotation_if_a_pair_shares_them(layout, n):
    k, scale = normal(4, D), normal(D // 2, seed=1).exp()
    turn = lambda x: rotate(x, position_angles(torch.full((4,), n), FREQS.repeat(2)), layout=layout)  # noqa: E731
    both = scale.repeat_interleave(2) if layout == "interleaved" else scale.repeat(2)
    assert_close(turn(k * both), turn(k) * both)
    own = both.clone()
    own[0] *= 2
    assert (difference(turn(k * own), turn(k) * own) < 1e-12) == (n == 0)  # no turn, no sine


def test_a_rounded_key_is_off_by_half_a_level_at_most():
    k = keys(64)
    for axis in (-2, -1):
        for bits in (2, 4, 8):
            step = (k.amax(axis, keepdim=True) - k.amin(axis, keepdim=True)) / (2**bits - 1)
            assert ((rounded(k, axis, bits) - k).abs() <= step / 2 + 1e-12).all()
        levels = rounded(k, axis).movedim(axis, 0)
        assert max(len(column.unique()) for column in levels.flatten(1).T) <= 16


def test_the_rotation_widens_what_the_levels_of_a_large_channel_and_its_partner_must_cover():
    k, n = keys(), torch.arange(256)
    before, after = ((x.amax(0) - x.amin(0)) for x in (k, at(k, n)))
    for channel in LARGE[:2]:  # the slow pairs of the others have not gone round in 256 tokens
        for one in (channel, channel ^ 1):
            assert after[one] > 2.5 * before[one]
    assert at(k, n).amin(-1).mean() < 2 * k.amin(-1).mean()  # of a token: the largest feature takes both signs


# --- a Hadamard matrix


@pytest.mark.parametrize("d", [2, 8, 64])
def test_sylvesters_matrix(d):
    h = hadamard(d)
    assert_close(h @ h, torch.eye(d))
    assert torch.equal(h, h.T)
    assert_close(h.abs(), torch.full((d, d), d**-0.5))


@pytest.mark.claim("caches.hadamard")
def test_after_the_rotation_it_is_free_and_before_it_gives_another_function_of_the_distance():
    h, q, k, m = hadamard(D), normal(1, D), normal(1, D, seed=1), torch.tensor([9])
    orthogonal = torch.linalg.qr(normal(D, D, seed=2)).Q
    score = lambda q, k, m, n: (at(q, m) @ at(k, n).T).item()  # noqa: E731
    for matrix in (h, orthogonal):
        for n in (0, 5, 9):
            right, n = score(q, k, m, torch.tensor([n])), torch.tensor([n])
            assert (at(q, m) @ matrix.T @ (at(k, n) @ matrix.T).T).item() == pytest.approx(right)
            before = score(q @ matrix.T, k @ matrix.T, m, n)
            assert score(q @ matrix.T, k @ matrix.T, m + 1_000, n + 1_000) == pytest.approx(before)
            assert (before == pytest.approx(right)) == (m == n).item()
            middle = at(q @ matrix.T, m - n) @ matrix
            assert (middle @ k.T).item() == pytest.approx(before)


@pytest.mark.claim("caches.hadamard")
def test_a_matrix_that_commutes_may_stand_before_the_rotation():
    """A rotation in the same pairs."""
    q, k, m, n = normal(1, D), normal(1, D, seed=1), torch.tensor([9]), torch.tensor([4])
    turned = [at(x, torch.tensor([77])) for x in (q, k)]
    assert_close(at(turned[0], m) @ at(turned[1], n).T, at(q, m) @ at(k, n).T)


@pytest.mark.claim("caches.hadamard")
@pytest.mark.parametrize("shift", [-7, 0, 64])
def test_a_key_behind_the_matrix_is_moved_through_it(shift):
    k, n, s = normal(8, D), torch.arange(8), torch.full((8,), shift)
    for h in (hadamard(D), torch.linalg.qr(normal(D, D, seed=2)).Q):
        stored = at(k, n) @ h.T
        assert_close(at(stored @ h, s) @ h.T, at(k, n + s) @ h.T)
        assert (difference(at(stored, s), at(k, n + s) @ h.T) < 1e-9) == (shift == 0)


def test_each_move_of_a_rounded_key_rounds_anew():
    k, n, h = keys(), torch.arange(256), hadamard(64)
    stored, right = rounded(at(k, n) @ h, -1), at(k, n + 64) @ h
    errors = []
    for step in (64, 8, 1):
        x = stored
        for _ in range(64 // step):
            x = rounded(at(x @ h, torch.full((256,), step)) @ h, -1)
        errors.append(((x - right).norm() / right.norm()).item())
    still = ((stored - at(k, n) @ h).norm() / right.norm()).item()
    assert [round(e, 2) for e in (still, *errors)] == [0.07, 0.11, 0.23, 0.76]
    assert errors[0] == pytest.approx(still * 2**0.5, rel=0.05)  # two roundings


# --- cached keys


@pytest.mark.claim("caches.rebase")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_a_cached_key_can_be_moved(layout):
    k, n = normal(8, D), torch.arange(8)
    turn = lambda x, p: rotate(x, position_angles(p, geometric_freqs(D)), layout=layout)  # noqa: E731
    for shift in (-5, 0, 7, 100_000):
        moved = turn(turn(k, n), torch.full((8,), shift))
        assert_close(moved, turn(k, n + shift))
        q = normal(1, D, seed=1)
        back = torch.stack([turn(q, torch.tensor([30 - j - shift]))[0] @ k[j] for j in range(8)])
        assert_close((turn(q, torch.tensor([30])) @ moved.T)[0], back)


@pytest.mark.claim("caches.rebase")
@pytest.mark.parametrize("m", [5, 10, 11, 30, 5_000])
def test_moving_the_sinks_up_gives_the_distances_inside_the_cache(m):
    """Also before the cache is full, when nothing is forgotten."""
    a, b, m = 2, 9, torch.tensor([m])
    places = torch.arange(m.item() + 1)
    kept = places[sink_mask(m, places, a, b)[0]]
    moved = torch.where(kept < a, kept + (m - (a + b - 1)).clamp(min=0), kept)
    assert torch.equal(pair_distances(m, moved), sink_ids(m, kept, a, b))
    assert sorted(pair_distances(m, moved)[0].tolist()) == list(range(len(kept)))


@pytest.mark.parametrize("sections", [chunked_sections, interleaved_sections])
def test_one_shift_on_all_axes_is_the_rotation_of_a_text(sections):
    freqs = geometric_freqs(D)
    table = axial_freqs(freqs, sections((4, 2, 2)), 3)
    ids = vision_positions([("text", 3), ("image", (4, 6)), ("text", 2)])
    k = normal(len(ids), D)
    for shift in (-3, 5, 10_000):
        moved = at(rotate(k, axes_angles(ids, table)), torch.full((len(ids),), shift))
        assert_close(moved, rotate(k, axes_angles(ids + shift, table)))
        assert difference(moved, rotate(k, axes_angles(ids + torch.tensor([shift, 0, 0]), table))) > 1e-3
    assert len(ids) - next_position(ids) == 2 * 3 - max(2, 3)  # tokens and numbers, after an image


def cached(model, x, positions):
    caches = [Cache() for _ in range(LAYERS)]
    for t, p in enumerate(positions):
        model(x[:, [t]], positions=torch.tensor([p]), caches=caches)
    return caches


def test_moving_repairs_layer_1_and_no_deeper_one():
    model = decoder(RELATIVE["rotary"]())
    alone, after = cached(model, TEXT, range(6)), cached(model, torch.cat((OTHER, TEXT), dim=1), range(15))
    for layer in range(LAYERS):
        was, right = at(alone[layer].k, torch.arange(6)), at(after[layer].k, torch.arange(15))[:, :, 9:]
        moved = at(was, torch.full((6,), 9))
        assert difference(was, right) > 0.1
        assert (difference(moved, right) < 1e-10) == (layer == 0)


@relative
def test_forgetting_a_token_does_not_make_the_others_forget_it(slots):
    """With a cache that has dropped token 2, deeper layers differ from a text without it."""
    model = decoder(slots())
    kept = torch.tensor([0, 1, 3, 4, 5])
    seen, unseen = cached(model, TEXT, range(6)), cached(model, TEXT[:, kept], range(5))
    same = [difference(a.k[:, :, kept], b.k) < 1e-10 for a, b in zip(seen, unseen, strict=True)]
    assert same == [True, False, False]


def test_new_frequencies_do_not_reach_what_deeper_layers_have_cached():
    """Dynamic NTK with keys that are cached unrotated, token by token, and in one pass at the end."""
    stretched = lambda n: Slots(transform=Rotary(dynamic_ntk(FREQS, 2.0, n=n, trained_length=3)))  # noqa: E731
    model, caches = decoder(), {"steps": [Cache() for _ in range(LAYERS)], "pass": [Cache() for _ in range(LAYERS)]}

    def run(n, tokens, **given):
        for layer in model.layers:
            layer.self_attention.slots = stretched(n)
        model(OTHER[:, tokens], positions=PLACES[tokens], **given)

    for t in range(9):
        run(t + 1, [t], caches=caches["steps"])
    run(9, PLACES, caches=caches["pass"], mask=CAUSAL)
    off = [difference(a.k, b.k) for a, b in zip(*caches.values(), strict=True)]
    assert [x < 1e-10 for x in off] == [True, False, False]
    assert min(off[1:]) > 1e-3
