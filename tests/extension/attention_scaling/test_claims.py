"""The claims of the chapter on scaled scores, in numbers."""

import itertools
import math

import pytest
import torch

from posenc_lib import Slots, attention_weights, causal_mask
from posenc_lib.extension import ScaledQueries, log_n, log_steps

pytestmark = pytest.mark.usefixtures("float64")
OTHERS = pytest.mark.parametrize("others", [1, 10, 1_000, 100_000])


def weight(score, others):
    """The weight of one key with this score among others that score 0, by the library's attention."""
    k = torch.cat((torch.tensor([[float(score)]]), torch.zeros(others, 1)))
    return attention_weights(torch.ones(1, 1), k)[0, 0].item()


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


@pytest.mark.claim("attention-scaling.bound")
@pytest.mark.parametrize("largest", [0.0, 0.5, 2.0, 6.0])
@pytest.mark.parametrize("n", [1, 2, 10, 10_000])
def test_one_score_at_the_top_and_all_others_at_the_bottom_come_near_the_bound(n, largest):
    scores = torch.full((n, 1), -largest)
    scores[0] = largest
    found, bound = attention_weights(torch.ones(1, 1), scores).max().item(), math.exp(2 * largest) / n
    assert found <= bound * (1 + 1e-12)
    assert found == pytest.approx(1 / (1 + (n - 1) * math.exp(-2 * largest)), rel=1e-9)
    assert n < 10_000 or largest > 2 or found > 0.99 * bound


@pytest.mark.claim("attention-scaling.power")
@pytest.mark.parametrize("kappa", [0.5, 0.9, 1.0, 1.1, 2.0])
def test_the_odds_are_a_power_of_the_number_of_others_and_leave_one_half_to_either_side(kappa):
    weights = [weight(kappa * math.log(others), others) for others in (1, 10, 1_000, 100_000)]
    odds = [w / (1 - w) for w in weights]
    assert odds == pytest.approx([others ** (kappa - 1) for others in (1, 10, 1_000, 100_000)], rel=1e-6)
    assert weights[0] == pytest.approx(1 / 2)
    steps = [later - earlier for earlier, later in itertools.pairwise(weights)]
    assert all((step > 1e-6) - (step < -1e-6) == (kappa > 1) - (kappa < 1) for step in steps)


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


@pytest.mark.claim("attention-scaling.hold")
@pytest.mark.claim("attention-scaling.power")
@pytest.mark.parametrize("score", [5.0, math.log(2_048), 8.0])
def test_an_addend_holds_every_weight_and_a_factor_that_of_the_threshold_alone(score):
    """Of one token among n - 1 others, n = 2,048 and more. The factor is ln n / ln L, the addend ln (n - 1)."""
    length, by_factor, by_addend = 2_048, [], []
    for n in (2_048, 10_000, 200_000):
        keys, here = torch.zeros(n, 1), {"q_positions": torch.tensor([n - 1]), "k_positions": torch.arange(n)}
        keys[0] = score
        slots = Slots(transform=ScaledQueries(lambda m: log_n(m, length)))
        by_factor.append(attention_weights(torch.ones(1, 1), keys, slots, **here)[0, 0].item())
        by_addend.append(weight(score + math.log(n - 1) - math.log(length - 1), n - 1))
    assert by_addend == pytest.approx([by_addend[0]] * 3, rel=1e-9)
    drift = by_factor[2] - by_factor[0]
    if score == math.log(length):
        assert by_factor == pytest.approx([0.5] * 3, abs=2e-4)
    else:
        assert abs(drift) > 0.04
        assert (drift > 0) == (score > math.log(length))


def test_a_score_of_8_gains_and_one_of_5_fades():
    """With the factor. A score of ln n stands for n others: together they weigh as much."""
    found = {8: [], 5: []}
    for n in (2_048, 10**4, 10**6):
        factor = log_n(torch.tensor([n - 1]), 2_048).item()
        for score, weights in found.items():
            keys = torch.tensor([[factor * score], [math.log(n)]])
            weights.append(attention_weights(torch.ones(1, 1), keys)[0, 0].item())
    assert found[8] == pytest.approx([0.593, 0.6115, 0.664], abs=5e-4)
    assert found[5] == pytest.approx([0.068, 0.040, 0.0085], abs=5e-4)


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
@pytest.mark.parametrize("sigma", [0.01, 0.5, 1.0, 1.5, 20.0])
def test_a_density_times_an_exponential_is_the_same_density_moved(sigma):
    s = torch.linspace(-5, 5, 1_001) * sigma
    tilted = s + torch.distributions.Normal(0.0, sigma).log_prob(s)
    moved = sigma**2 / 2 + torch.distributions.Normal(sigma**2, sigma).log_prob(s)
    torch.testing.assert_close(tilted, moved, rtol=0, atol=1e-9)


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


@pytest.mark.parametrize("factor", [lambda m: log_n(m, 8), lambda m: log_steps(m + 1, 8, 0.5)])
def test_in_a_row_of_several_texts_the_position_is_that_in_the_own_text(factor):
    """Then each text has the weights that it has alone; counted on through the row, or through padding, it has not."""
    (q, k), n = torch.randn(2, 32, 16, generator=torch.Generator().manual_seed(0)), torch.arange(32)
    slots = Slots(transform=ScaledQueries(factor))
    own, blocks = n % 16, causal_mask(n, n) & (n[:, None] // 16 == n // 16)

    def row(places):
        return attention_weights(q, k, slots, q_positions=places, k_positions=places, mask=blocks)

    for text in (slice(0, 16), slice(16, 32)):
        alone = attention_weights(q[text], k[text], slots, mask=causal_mask(n[:16], n[:16]))
        torch.testing.assert_close(row(own)[text, text], alone)
        assert ((row(n)[text, text] - alone).abs().max() > 0.05) == (text.start > 0)
