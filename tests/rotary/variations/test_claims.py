"""What the chapter proves of the variations, in numbers, on the library's code."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from posenc_lib import Slots, attention
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import (
    PoPE,
    Rotary,
    RotatedValues,
    apply_rotary,
    both_parts,
    cos_sin,
    fourier_cos_sin,
    full_turns_only,
    polar,
    rotate,
)
from tests.support.weights import filled, normal

PLACES = st.integers(-2_000, 2_000)
ANGLES = st.floats(-7, 7)
LENGTHS = st.floats(0, 5)
FREQS = geometric_freqs(16)


def score(transform, q, k, m, n):
    moved_q, moved_k = transform(q, k, torch.tensor([m]), torch.tensor([n]))
    return (moved_q * moved_k).sum(-1)


@pytest.mark.claim("variations.rope-phase")
@given(ANGLES, ANGLES, ANGLES, st.floats(-50, 50), LENGTHS, LENGTHS)
def test_the_words_shift_the_phase_of_rope(alpha, beta, theta, t, a, b):
    q, k = ([[length * math.cos(x), length * math.sin(x)]] for length, x in ((a, alpha), (b, beta)))
    angle = torch.tensor([[t * theta]], dtype=torch.float64)
    made = (rotate(torch.tensor(q, dtype=torch.float64), angle) * torch.tensor(k, dtype=torch.float64)).sum()
    assert made.item() == pytest.approx(a * b * math.cos(t * theta + alpha - beta), abs=1e-9)


@pytest.mark.claim("variations.rope-phase")
@given(ANGLES, ANGLES, ANGLES, st.integers(-50, 50), LENGTHS, LENGTHS)
def test_the_same_at_two_positions(alpha, beta, theta, t, a, b):
    q, k = ([[length * math.cos(x), length * math.sin(x)]] for length, x in ((a, alpha), (b, beta)))
    rotary = Rotary(torch.tensor([theta], dtype=torch.float64))
    made = score(rotary, *(torch.tensor(x, dtype=torch.float64) for x in (q, k)), 7 + t, 7)
    assert made.item() == pytest.approx(a * b * math.cos(t * theta + alpha - beta), abs=1e-9)


@pytest.mark.claim("variations.rope-phase")
def test_each_pair_of_words_has_its_own_peak_with_rope_and_all_have_one_with_pope():
    """The map at the beginning of the page: 12 random pairs of words, 128 distances."""
    back, more = torch.arange(128), geometric_freqs(128)
    q, k = normal(2, 12, 1, 64)
    by_rope = rotate(q.expand(12, 128, 64), position_angles(back, geometric_freqs(64))) @ k.mT
    by_pope = polar(q.expand(12, 128, 64), position_angles(back, more)) @ polar(k, 20 * more[None]).mT
    assert len(set(by_rope[..., 0].argmax(1).tolist())) > 8
    assert by_pope[..., 0].argmax(1).tolist() == [20] * 12


@pytest.mark.claim("variations.pope")
@settings(max_examples=30)
@given(PLACES, PLACES, st.integers(0, 100))
def test_the_phase_of_pope_is_the_heads(m, n, seed):
    pope = filled(PoPE(FREQS, 2), seed=seed)
    q, k = normal(2, 2, 1, 8, seed=seed)
    lengths = (1 + q.exp()).log() * (1 + k.exp()).log()
    expected = (lengths * ((m - n) * FREQS - pope.phases.detach()[:, None]).cos()).sum(-1)
    torch.testing.assert_close(score(pope, q, k, m, n).detach(), expected, rtol=0, atol=1e-9)


@pytest.mark.claim("variations.pope-peak")
@pytest.mark.parametrize("r", [-900, -1, 0, 1, 20, 1_000])
def test_whatever_the_words_no_distance_beats_that_of_the_head(r):
    pope, back = PoPE(FREQS, 1).double(), torch.arange(-2_000, 2_000)
    pope.phases.data[:] = r * FREQS
    for seed in range(20):
        q, k = 3 * normal(2, 1, 1, 8, seed=seed)
        moved_q, moved_k = pope(q.expand(1, 4_000, 8), k, back, torch.tensor([0]))
        scores = (moved_q @ moved_k.mT)[0, :, 0]
        assert back[scores.argmax()] == r
        highest = ((1 + q.exp()).log() * (1 + k.exp()).log()).sum()
        assert scores.max().item() == pytest.approx(highest.item(), rel=1e-9)
        assert scores.max() > 0


@pytest.mark.claim("variations.pope-peak")
def test_with_other_phases_the_words_choose_which_frequencies_count():
    """So the theorem asks for phases that grow with the frequency: here two features look at two places."""
    pope, back = PoPE(torch.tensor([1.0, 0.1], dtype=torch.float64), 1).double(), torch.arange(20)
    pope.phases.data[:] = torch.tensor([[3.0, 1.0]])
    found = []
    for loud in ([9.0, -9.0], [-9.0, 9.0]):
        x = torch.tensor([[loud]], dtype=torch.float64)
        moved_q, moved_k = pope(x.expand(1, 20, 2), x, back, torch.tensor([0]))
        found.append((moved_q @ moved_k.mT)[0, :, 0].argmax().item())
    assert found == [3, 10]


def waves_of(x, mixes, n=300, freqs=FREQS):
    return apply_rotary(x, fourier_cos_sin(position_angles(torch.arange(n), freqs), *mixes, torch.float64))


@pytest.mark.claim("variations.one-wave")
@pytest.mark.parametrize(
    ("mixes", "relative"),
    [
        ([torch.eye(8).double()] * 2, True),
        ([2 * torch.eye(8).double()] * 2, True),
        ([torch.eye(8).double(), -torch.eye(8).double()], True),
        ([torch.eye(8).double().flip(0)] * 2, True),
        ([torch.eye(8).double() + normal(8, 8) / 30] * 2, False),
        ([torch.eye(8).double(), torch.eye(8).double() + normal(8, 8) / 30], False),
        ([torch.eye(8).double(), 2 * torch.eye(8).double()], False),
    ],
    ids=["one", "longer", "backwards", "exchanged", "several", "one for cosines, several for sines", "an ellipse"],
)
def test_scores_are_relative_with_one_wave_a_pair_and_not_with_more(mixes, relative):
    q, k = (waves_of(x.expand(300, 16), mixes) for x in normal(2, 1, 16, seed=3))
    spread = max((q @ k.T).diagonal(by).diff().abs().max().item() for by in (0, -1, -7))
    assert (spread < 1e-11) == relative
    assert relative or spread > 0.01


@pytest.mark.claim("variations.two-waves")
@settings(max_examples=30)
@given(ANGLES, ANGLES, st.floats(-2, 2), st.integers(0, 3_000))
def test_two_waves_beat(omega, nu, s, m):
    """The score of a token with itself, when its first pair has two waves and the second is nothing."""
    mix = torch.tensor([[1.0, 0.0], [s, 0.0]], dtype=torch.float64)
    angles = position_angles(torch.tensor([m]), torch.tensor([omega, nu], dtype=torch.float64))
    x = torch.tensor([[0.6, 0.8, 0.0, 0.0]], dtype=torch.float64)
    x = apply_rotary(x, fourier_cos_sin(angles, mix, mix, torch.float64))
    assert x.square().sum().item() == pytest.approx(1 + s * s + 2 * s * math.cos(m * (omega - nu)), abs=1e-8)


def test_the_beat_of_a_token_with_itself_with_the_matrices_of_the_authors():
    """8 heads of 64 features, 512 trained tokens, gain 0.3: OLMo-60M in their repository."""
    freqs, mixes = full_turns_only(geometric_freqs(64), 512), torch.eye(32).double().repeat(2, 8, 1, 1)
    noise = torch.empty(2, 8, 16, 16, dtype=torch.float64)
    for one in noise:
        torch.nn.init.xavier_normal_(one, 0.3, generator=torch.Generator().manual_seed(0))
    assert noise.std().item() == pytest.approx(0.3 * (2 / (16 * 16 + 8 * 16)) ** 0.5, rel=0.05)
    mixes[..., :16, :16] += noise
    token = normal(1, 64, seed=1)
    of_itself = waves_of(token.expand(8, 600, 64), mixes, 600, freqs).square().sum(-1) / token.square().sum()
    assert (of_itself.amax(-1) > 1.03).all()
    assert (of_itself.amin(-1) < 0.97).all()
    alone = [torch.eye(32).double()] * 2
    still = waves_of(token.expand(600, 64), alone, 600, freqs).norm(dim=-1)
    torch.testing.assert_close(still, token.norm().expand(600), rtol=0, atol=1e-12)


@pytest.mark.claim("variations.imaginary")
@settings(max_examples=30)
@given(PLACES, PLACES, PLACES, st.integers(0, 100))
def test_the_second_head_is_the_imaginary_part_and_relative(m, n, shift, seed):
    q, k = normal(2, 1, 1, 16, seed=seed)
    made = score(Rotary(FREQS), both_parts(q), k.expand(2, 1, 16), m, n)[:, 0]
    moved = score(Rotary(FREQS), both_parts(q), k.expand(2, 1, 16), m + shift, n + shift)[:, 0]
    product = torch.view_as_complex(q.view(8, 2)) * torch.view_as_complex(k.view(8, 2)).conj()
    whole = (product * torch.exp(1j * (m - n) * FREQS)).sum()
    torch.testing.assert_close(made, torch.stack((whole.real, whole.imag)), rtol=0, atol=1e-9)
    torch.testing.assert_close(moved, made, rtol=0, atol=1e-9)


@pytest.mark.claim("variations.imaginary")
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_an_imaginary_head_with_a_matrix_of_its_own_is_a_rotary_head_with_another(layout):
    """X W_q, turned by a right angle, is x W_q′ with W_q′ = W_q turned: rows are tokens, so columns change."""
    x, w_q, at = normal(5, 12), normal(12, 16, seed=1), torch.arange(5)
    imaginary = both_parts((x @ w_q)[None], layout=layout)[1]
    absorbed = x @ both_parts(w_q[None], layout=layout)[1]
    rotary = Rotary(FREQS, layout)
    torch.testing.assert_close(rotary(imaginary, x @ w_q, at, at)[0], rotary(absorbed, x @ w_q, at, at)[0])


@pytest.mark.claim("variations.imaginary")
def test_the_imaginary_part_of_equal_vectors_starts_at_0_and_stays():
    token = torch.tensor([1.0, 0.0]).double().repeat(64)[None]
    made = [
        score(Rotary(geometric_freqs(128)), both_parts(token[None]), token.expand(2, 1, 128), t, 0)
        for t in (0, 100, 1_000)
    ]
    assert [x[:, 0].tolist() for x in made] == [
        pytest.approx([64, 0], abs=1e-9),
        pytest.approx([30.5, 7.1], abs=0.05),
        pytest.approx([10.2, 10.3], abs=0.05),
    ]


@pytest.mark.claim("variations.values")
@settings(max_examples=30)
@given(st.integers(0, 100), PLACES)
def test_rotated_values_are_rotated_by_the_distance(seed, shift):
    weights, v = normal(3, 5, seed=seed).softmax(-1), normal(5, 16, seed=seed + 1)
    m, n = torch.tensor([40, 41, 300]) + shift, torch.arange(5) * 7 + shift
    out = RotatedValues(FREQS)(weights, v, m, n)
    for i in range(3):
        turned = rotate(v, position_angles(n - m[i], FREQS))
        torch.testing.assert_close(out[i], weights[i] @ turned, rtol=0, atol=1e-9)


@pytest.mark.claim("variations.values")
def test_a_shift_changes_the_output_of_rotated_values_unless_they_are_rotated_back():
    texts, rotary = normal(3, 64, 16), Rotary(FREQS)

    def change(average):
        slots = Slots(transform=rotary, average=average)
        places = (torch.arange(64), torch.arange(64) + 50)
        here, there = (attention(*texts, slots, q_positions=at, k_positions=at) for at in places)
        return (here - there).abs().max().item()

    def no_way_back(weights, v, m, n):
        return weights @ apply_rotary(v, cos_sin(position_angles(n, FREQS), torch.float64))

    assert change(None) < 1e-12
    assert change(RotatedValues(FREQS)) < 1e-12
    assert change(no_way_back) > 0.5
