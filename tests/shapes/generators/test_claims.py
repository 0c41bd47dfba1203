"""What the chapter proves about generators, verified in numbers on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import Slots, attention, attention_weights
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import apply_rotary, axes_angles, rotate
from posenc_lib.shapes import dype_freqs, flux2_ids, flux_ids, joined_freqs, qwen_image_ids, riflex_freqs, video_ids
from tests.support.weights import normal

D, WORDS = 128, 5
TABLE = joined_freqs([geometric_freqs(n) for n in (16, 56, 56)])
TIGHT = {"rtol": 0, "atol": 1e-10}
seeds, places = st.integers(0, 1_000), st.integers(-100, 100)
HUNYUAN = geometric_freqs(16, 256.0)


def turned(vectors, ids, table=TABLE):
    return rotate(vectors, axes_angles(ids, table))


def layer(vectors, ids, table=TABLE):
    """Attention over all tokens, with matrices for queries and keys."""
    w_q, w_k = normal(2, D, D, seed=7) / D**0.5
    q, k = (turned(vectors @ w, ids, table) for w in (w_q, w_k))
    return vectors + attention(q[None], k[None], vectors[None], Slots())[0]


@pytest.mark.claim("generators.order")
@given(seeds, places, places, places)
def test_words_at_one_place_score_as_if_they_were_not_rotated(seed, t, y, x):
    words = normal(2, D, seed=seed)
    q, k = turned(words, torch.tensor([[t, y, x]] * 2))
    assert (q @ k).item() == pytest.approx((words[0] @ words[1]).item(), abs=1e-9)


@pytest.mark.claim("generators.order")
@pytest.mark.parametrize("order", [(1, 0, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 1, 0, 3)])
def test_the_order_of_the_words_changes_no_patch_through_two_layers(order):
    ids, vectors = flux_ids(WORDS, [(3, 4)]), normal(WORDS + 12, D)
    order = [*order, *range(WORDS, WORDS + 12)]
    straight, mixed = layer(layer(vectors, ids), ids), layer(layer(vectors[order], ids), ids)
    torch.testing.assert_close(mixed, straight[order], **TIGHT)
    torch.testing.assert_close(mixed[WORDS:], straight[WORDS:], **TIGHT)


@pytest.mark.parametrize("ids", [qwen_image_ids, flux2_ids])
def test_elsewhere_the_order_counts(ids):
    ids = ids(WORDS, [(3, 4)])
    table = joined_freqs([geometric_freqs(32, 2e3)] * 4) if ids.shape[-1] == 4 else TABLE
    vectors = normal(WORDS + 12, D)
    swapped = vectors[[1, 0, *range(2, WORDS + 12)]]
    assert (layer(swapped, ids, table) - layer(vectors, ids, table))[WORDS:].abs().max() > 1e-3


@pytest.mark.claim("generators.absolute")
@given(seeds, places, places, places, places)
def test_a_word_at_the_origin_sees_rows_and_columns(seed, y, x, u, w):
    word, patch = normal(2, 1, D, seed=seed)
    zero, there, moved = (torch.tensor([[0, *place]]) for place in ((0, 0), (y, x), (y + u, x + w)))
    sees = (turned(word, zero) * turned(patch, there)).sum()
    assert sees.item() == pytest.approx((word * turned(patch, there)).sum().item(), abs=1e-9)
    after = (turned(word, zero) * turned(patch, moved)).sum()
    back = (turned(word, torch.tensor([[0, -u, -w]])) * turned(patch, there)).sum()
    assert after.item() == pytest.approx(back.item(), abs=1e-9)


@pytest.mark.claim("generators.absolute")
def test_equal_patches_differ_for_a_word_and_not_for_the_other_patches():
    """A head that likes row 40 is possible: between patches only the difference counts."""
    word, patch = normal(2, 1, D)
    rows = torch.tensor([[0, 0, 0], [0, 40, 0], [0, 80, 0]])
    for_word = word @ turned(patch.expand(3, -1), rows).T
    assert for_word.diff().abs().min() > 1
    a, b, c = turned(patch.expand(3, -1), rows)
    assert (b @ a).item() == pytest.approx((c @ b).item(), abs=1e-9)


@pytest.mark.claim("generators.centred")
@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_centring_changes_no_score_between_patches(seed, h, w):
    vectors = normal(h * w, D, seed=seed)
    centred, cornered = (turned(vectors, ids(0, [(h, w)])) for ids in (qwen_image_ids, flux_ids))
    torch.testing.assert_close(centred @ centred.T, cornered @ cornered.T, **TIGHT)


@pytest.mark.claim("generators.centred")
@pytest.mark.parametrize("side", [1, 2, 3, 8, 63, 64])
def test_the_first_word_is_one_step_beyond_the_last_patch_of_a_square(side):
    ids = qwen_image_ids(1, [(side, side)])[:, 1:]
    assert (ids[0] - ids[-1]).tolist() == [1, 1]
    assert (ids[-1] - ids[1]).tolist() == [side - 1, side - 1]  # centring halves no distance


@given(seeds)
def test_a_zeroed_word_cannot_be_chosen(seed):
    ids, vectors = flux_ids(WORDS, [(3, 4)]), normal(WORDS + 12, D, seed=seed)
    cos_sin = torch.stack([part(axes_angles(ids, TABLE)) for part in (torch.cos, torch.sin)])
    right = apply_rotary(vectors, cos_sin)
    torch.testing.assert_close(right, turned(vectors, ids), **TIGHT)
    torch.testing.assert_close(right[:WORDS], vectors[:WORDS], **TIGHT)  # angle 0
    cos_sin[:, :WORDS] = 0
    zeroed = apply_rotary(vectors, cos_sin)[None]
    weights = attention_weights(zeroed, zeroed)[0]
    scores = (zeroed[0] @ zeroed[0].T / D**0.5)[WORDS:]
    total = scores.exp().sum(-1, keepdim=True)
    torch.testing.assert_close(weights[WORDS:, :WORDS], (1 / total).expand(-1, WORDS), **TIGHT)
    torch.testing.assert_close(weights[:WORDS], torch.full_like(weights[:WORDS], 1 / (WORDS + 12)), **TIGHT)


@pytest.mark.claim("generators.octaves")
@given(st.floats(-100, 100))
def test_four_hands_come_round_together(t):
    assert HUNYUAN.tolist() == [2.0**-i for i in range(8)]
    x, times = normal(1, 8).expand(2, -1), torch.tensor([t, t + 16 * math.pi], dtype=torch.float64)
    first, later = rotate(x, position_angles(times, HUNYUAN[:4]))
    torch.testing.assert_close(later, first, **TIGHT)
    slow = rotate(x, position_angles(times, HUNYUAN[4:]))
    assert (slow[0] - slow[1]).view(4, 2).norm(dim=-1).min() > 0.1


@pytest.mark.claim("generators.octaves")
def test_201_frames_end_where_they_began():
    """50 of the latent steps, the only ones up to 100 but 1 and 2, 99 and 100, at which all four are near."""
    ids = video_ids((201 - 1) // 4 + 1, 1, 1)
    assert ids[-1].tolist() == [50, 0, 0]
    means = (torch.arange(101)[:, None] * HUNYUAN[:4]).cos().mean(-1)
    assert means[50] > 0.98
    assert means[3:33].max() < 0.51
    degrees = (16 * math.pi - 50) * HUNYUAN[:4].rad2deg()
    assert degrees.round().tolist() == [15, 8, 4, 2]
    wan = (torch.arange(101)[:, None] * geometric_freqs(44)[:4]).cos().mean(-1)
    assert wan[3:].max() < 0.82


@pytest.mark.claim("generators.wrap")
@given(st.integers(2, 300), st.sampled_from([1.0, 0.9, 0.75]), st.floats(-300, 300))
def test_a_long_way_back_is_a_short_way_ahead(frames, share, r):
    pair, x = riflex_freqs(torch.tensor([7.0], dtype=torch.float64), 0, frames, share=share), normal(1, 2)
    period = 2 * math.pi / pair.item()
    assert period == pytest.approx(frames / share)
    far, near = (rotate(x, position_angles(torch.tensor([at], dtype=torch.float64), pair)) for at in (r, r - period))
    torch.testing.assert_close(far, near, **TIGHT)
    ahead = frames / share - frames + 1
    last, seen = (
        rotate(x, position_angles(torch.tensor([at], dtype=torch.float64), pair)) for at in (frames - 1.0, -ahead)
    )
    torch.testing.assert_close(last, seen, **TIGHT)


@pytest.mark.claim("generators.wrap")
@pytest.mark.parametrize(("share", "alike"), [(1.0, True), (0.9, True), (0.51, True), (0.505, False), (0.5, False)])
def test_about_half_a_turn_tells_all_distances_apart(share, alike):
    """The largest distances are 65 before and behind: with no more than 130 from one to the other."""
    frames = 66
    pair = riflex_freqs(HUNYUAN, 3, frames, share=share)[3:4]
    assert (share >= frames / (2 * frames - 2)) == alike
    distances = torch.linspace(1 - frames, frames - 1, 13_001, dtype=torch.float64)
    turned_by = rotate(normal(1, 2).expand(len(distances), -1), position_angles(distances, pair))
    nearest = min((turned_by[0] - turned_by[5_000:]).norm(dim=-1).min(), (turned_by[-1] - turned_by[0]).norm())
    assert (nearest < 1e-2) == alike


@pytest.mark.claim("generators.guard")
@given(st.integers(1, 400), st.floats(0.05, 1))
def test_the_frequency_is_lowered_beyond_a_share_of_the_period(frames, share):
    bare, limit = 2 * math.pi * share / frames, share * 2 * math.pi / HUNYUAN[3].item()
    ours = riflex_freqs(HUNYUAN, 3, frames, share=share)[3].item()
    if frames > limit:
        assert bare < HUNYUAN[3]
        assert ours == pytest.approx(bare)
    if frames < limit:
        assert bare > HUNYUAN[3]
        assert ours == HUNYUAN[3]


@pytest.mark.claim("generators.dype")
@given(st.floats(1, 20), st.floats(0, 1))
def test_dype_starts_beyond_ntk_and_ends_with_what_was_trained(s, noise):
    freqs = geometric_freqs(56)

    def divisor(noise):
        return (freqs[-1] / dype_freqs(freqs, s, noise)[-1]).item()

    assert divisor(noise) == pytest.approx(s ** (2 * noise**2))
    assert [divisor(1.0), divisor(math.sqrt(0.5))] == pytest.approx([s**2, s])
    torch.testing.assert_close(dype_freqs(freqs, s, 0.0), freqs, rtol=0, atol=0)
