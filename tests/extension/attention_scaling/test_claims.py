"""The claims of the chapter on scaled scores, in numbers."""

import math

import pytest
import torch

from posenc_lib.attention import Slots, attention_weights
from posenc_lib.extension import ScaledQueries, log_n

pytestmark = pytest.mark.usefixtures("float64")
OTHERS = pytest.mark.parametrize("others", [1, 10, 1_000, 100_000])


def weight(score, others):
    """The weight of one key with this score among others that score 0, by the library's attention."""
    k = torch.cat((torch.tensor([[float(score)]]), torch.zeros(others, 1)))
    return attention_weights(torch.ones(1, 1), k)[0, 0].item()


@pytest.mark.claim("attention-scaling.odds")
@OTHERS
def test_odds_fall_as_the_number_of_others(others):
    w = weight(3.0, others)
    assert w / (1 - w) == pytest.approx(math.exp(3) / others, rel=1e-9)


@pytest.mark.claim("attention-scaling.hold")
@OTHERS
@pytest.mark.parametrize("c", [-2.0, 0.0, 1.5])
def test_a_score_that_grows_with_the_logarithm_holds_its_weight(others, c):
    assert weight(math.log(others) + c, others) == pytest.approx(1 / (1 + math.exp(-c)), rel=1e-9)


@pytest.mark.claim("attention-scaling.bound")
@pytest.mark.parametrize("n", [10, 1_000, 100_000])
def test_bounded_scores_give_next_to_nothing(n):
    largest = 2.0
    scores = largest * (2 * torch.rand(n, generator=torch.Generator().manual_seed(0)) - 1)
    assert scores.exp().sum() >= n * math.exp(-largest)
    scores[0] = largest
    assert attention_weights(torch.ones(1, 1), scores[:, None]).max() <= math.exp(2 * largest) / n


@pytest.mark.claim("attention-scaling.power")
@OTHERS
@pytest.mark.parametrize("kappa", [0.5, 1.0, 2.0])
def test_scores_times_the_logarithm_have_a_threshold(others, kappa):
    w = weight(kappa * math.log(others), others)
    assert w == pytest.approx(others**kappa / (others**kappa + others), rel=1e-9)


@pytest.mark.claim("attention-scaling.power")
@pytest.mark.parametrize("kappa", [0.5, 1.0, 2.0])
def test_scaled_queries_see_or_miss_a_token_by_that_threshold(kappa):
    """A token that scores κ ln L scores κ ln n at the length n: at the threshold its weight stays."""
    length, found = 16, {}
    for n in (16, 256, 65_536):
        k = torch.cat((torch.tensor([[kappa * math.log(length)]]), torch.zeros(n - 1, 1)))
        transform = ScaledQueries(lambda m: log_n(m, length))
        w = attention_weights(
            torch.ones(1, 1),
            k,
            Slots(transform=transform),
            q_positions=torch.tensor([n - 1]),
            k_positions=torch.arange(n),
        )
        found[n] = w[0, 0].item()
        assert found[n] == pytest.approx(n**kappa / (n**kappa + n - 1), rel=1e-9)
    rises = found[16] < found[256] < found[65_536]
    assert rises == (kappa > 1)


def entropy(scores):
    weights = attention_weights(torch.ones(1, 1), scores[:, None])[0]
    return -(weights * weights.log()).sum().item()


@pytest.mark.claim("attention-scaling.entropy")
@pytest.mark.parametrize("n", [2, 50])
def test_entropy_is_the_log_of_the_sum_less_the_mean_score(n):
    scores = torch.randn(n, generator=torch.Generator().manual_seed(0))
    weights = attention_weights(torch.ones(1, 1), scores[:, None])[0]
    expected = scores.exp().sum().log() - (weights * scores).sum()
    assert entropy(scores) == pytest.approx(expected.item(), rel=1e-12)


@pytest.mark.claim("attention-scaling.tilt")
@pytest.mark.parametrize("sigma", [0.5, 1.0, 1.5])
def test_mean_score_under_the_weights_is_the_variance(sigma):
    scores = sigma * torch.randn(1_000_000, generator=torch.Generator().manual_seed(0))
    weights = scores.softmax(0)
    assert (weights * scores).sum().item() == pytest.approx(sigma**2, abs=0.02)
    assert scores.exp().mean().item() == pytest.approx(math.exp(sigma**2 / 2), rel=0.02)
    assert entropy(scores) == pytest.approx(math.log(1_000_000) - sigma**2 / 2, abs=0.02)


@pytest.mark.claim("attention-scaling.entropy-factor")
@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_the_factor_that_holds_the_entropy(sigma):
    """Measured on Gaussian scores; the factor 1 would let it grow by ln 16 = 2.77."""
    short, long = 16_384, 262_144
    scores = sigma * torch.randn(long, generator=torch.Generator().manual_seed(0))
    factor = math.sqrt(1 + 2 * math.log(long / short) / sigma**2)
    assert entropy(factor * scores) == pytest.approx(entropy(scores[:short]), abs=0.1)
    assert entropy(scores) - entropy(scores[:short]) == pytest.approx(math.log(16), abs=0.05)
