"""The claims of the chapter, in numbers, about the library's own functions."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.pairs import geometric_freqs
from posenc_lib.rotary import Rotary, XPos, xpos_rates
from tests.support.weights import normal

PLACES = st.integers(-3_000, 3_000)


def score(m, n, q, k, *, q_centre=0.0, k_centre=0.0, rates=None):
    d = q.shape[-1]
    rates = xpos_rates(d) if rates is None else rates
    made = [XPos(geometric_freqs(d), rates, centre) for centre in (q_centre, k_centre)]
    places = torch.tensor([m]), torch.tensor([n])
    return (made[0](q, k, *places)[0] * made[1](q, k, *places)[1]).sum().item()


@pytest.mark.claim("xpos.relative")
@given(PLACES, PLACES, st.floats(-2_000, 2_000))
def test_a_score_is_the_rotary_one_times_the_decay_of_its_distance(m, n, centre):
    q, k = normal(2, 1, 8)
    rotated_q, rotated_k = Rotary(geometric_freqs(8))(q, k, torch.tensor([m]), torch.tensor([n]))
    pairs = (rotated_q * rotated_k).unflatten(-1, (-1, 2)).sum(-1)
    expected = ((-xpos_rates(8) * (m - n)).exp() * pairs).sum().item()
    assert score(m, n, q, k, q_centre=centre, k_centre=centre) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.claim("xpos.two-centres")
@given(PLACES, PLACES, st.floats(-500, 500), st.floats(-500, 500))
def test_two_centres_leave_a_factor(m, n, q_centre, k_centre):
    q, k = normal(2, 1, 2)
    rate = xpos_rates(2)
    factor = (rate * (q_centre - k_centre)).exp().item()
    right, wrong = (score(m, n, q, k, q_centre=q_centre, k_centre=c) for c in (q_centre, k_centre))
    assert wrong == pytest.approx(factor * right, rel=1e-9, abs=1e-12)


@pytest.mark.claim("xpos.envelope")
@pytest.mark.parametrize("rates", [xpos_rates(16), normal(8, seed=7).abs() / 100], ids=["of xpos", "at random"])
def test_the_ceiling_falls_and_no_score_is_above_it(rates):
    distances = torch.arange(0, 3_000)
    for seed in range(10):
        q, k = normal(2, 1, 16, seed=seed)
        transform = XPos(geometric_freqs(16), rates, centre=-1_000.0)
        places = torch.zeros(1, dtype=torch.int64)
        many = transform(q, k.expand(3_000, 16), places, -distances)
        scores = (many[0] @ many[1].T)[0]
        sizes = (q * q).unflatten(-1, (-1, 2)).sum(-1).sqrt() * (k * k).unflatten(-1, (-1, 2)).sum(-1).sqrt()
        ceiling = (sizes * (-distances[:, None] * rates).exp()).sum(-1)
        assert (scores <= ceiling + 1e-9).all()
        assert (ceiling.diff() < 0).all()
        assert (scores / ceiling).max() > 0.3  # not a bound that nothing comes near


def test_after_the_query_the_ceiling_rises():
    q = k = torch.ones(1, 8, dtype=torch.float64)
    still = XPos(torch.zeros(4, dtype=torch.float64), xpos_rates(8))
    here = torch.tensor([0])
    after = [torch.mul(*still(q, k, here, torch.tensor([n]))).sum().item() for n in (0, 500, 1_000)]
    assert after[0] < after[1] < after[2]


@pytest.mark.claim("xpos.centre-halves")
@pytest.mark.parametrize("length", [1, 2, 101, 4_096])
def test_no_centre_needs_smaller_factors_than_the_middle(length):
    one, places = torch.ones(length, 2, dtype=torch.float64), torch.arange(length)

    def largest(centre):
        return max(
            x.norm(dim=-1).max().item()
            for x in XPos(geometric_freqs(2), xpos_rates(2), centre)(one, one, places, places)
        )

    middle = (length - 1) / 2
    assert largest(middle) == pytest.approx(2**0.5 * (xpos_rates(2)[0] * middle).exp().item())
    assert all(largest(middle + off) > largest(middle) for off in (-middle - 1, -0.5, 0.5, 3.0, 1_000.0))


def test_the_numbers_of_the_picture():
    """Of 64 pairs of length 1: the ripples in the last 300 of 4,000 tokens, and where the sum first rises."""
    t = torch.arange(4_001, dtype=torch.float64)[:, None]
    waves = (t * geometric_freqs(128)).cos()
    faded = ((-t * xpos_rates(128)).exp() * waves).sum(-1)
    assert faded[-300:].std().item() == pytest.approx(0.15, abs=0.005)
    assert waves.sum(-1)[-300:].std().item() == pytest.approx(3.87, abs=0.005)
    assert (faded.diff() > 0).nonzero()[0].item() == 11  # still not monotone
    assert (faded > 0).all()


def test_a_dislike_fades_too():
    """Multiplied by the decay, a score below 0 rises: a far key that the query dislikes gets more weight."""
    like = normal(1, 128)
    scores = [score(5_000, 5_000 - back, like, -like) for back in (0, 1_000, 5_000)]
    assert scores[0] < scores[1] < scores[2] < 0
