"""What the chapter proves about the four terms of a score, verified in numbers: each method against plain loops."""

from __future__ import annotations

import itertools
import math

import pytest
import torch

from posenc_lib import Slots, attention, attention_weights, causal_mask
from posenc_lib.absolute import shift_matrix, sinusoidal
from posenc_lib.pairs import geometric_freqs
from posenc_lib.relative import toeplitz_bias
from posenc_lib.rotary import Rotary

TIGHT = {"rtol": 0, "atol": 1e-12}
D, N = 8, 10
PLACES = torch.arange(N)


def random(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


X = random(N, D, seed=1)
W_Q, W_K, W_V, U_Q, U_K, W_R = random(6, D, D, seed=2) / math.sqrt(D)
Q, K = X @ W_Q, X @ W_K


def p(m):
    return sinusoidal(torch.tensor([m]), D, dtype=torch.float64)[0]


def table(start=0):
    return sinusoidal(PLACES + start, D, dtype=torch.float64)


def for_each_pair(entry):
    """entry(m, n) for all queries and keys, by a plain double loop."""
    return torch.tensor([[float(entry(m, n)) for n in range(N)] for m in range(N)], dtype=torch.float64)


def softmax(scores):
    """By hand, so that nothing of the library stands on this side."""
    return torch.stack([row.exp() / row.exp().sum() for row in scores])


def in_library(content_position=0.0, position_content=0.0, position_position=0.0, scale=D**-0.5):
    """The weights with these three in place of the terms of the sum; the first term is the library's own."""
    middle = torch.zeros(N, N, dtype=torch.float64) + content_position + position_content
    last = torch.zeros(N, N, dtype=torch.float64) + position_position
    return attention_weights(Q, K, Slots(content_bias=lambda q, k, m, n: middle, bias=lambda m, n: last, scale=scale))


def depends_on_the_distance_only(scores):
    return all((d := scores.diagonal(k)).max() - d.min() < 1e-9 for k in range(1 - N, N))


# --- the four terms, and what a sum with positions cannot be


def four_terms(p):
    """By sums over the features, one pair of tokens after the other."""
    middle, x, p = ((W_Q @ W_K.T).tolist(), X.tolist(), p.tolist())
    features = list(itertools.product(range(D), repeat=2))

    def form(left, right):
        return for_each_pair(lambda m, n: sum(left[m][a] * middle[a][b] * right[n][b] for a, b in features))

    return form(x, x), form(x, p), form(p, x), form(p, p)


@pytest.mark.claim("expansion.four-terms")
def test_the_four_terms_make_the_weights_of_the_sum():
    _, content_position, position_content, position_position = (term / math.sqrt(D) for term in four_terms(table(5)))
    added = X + table(5)
    whole = attention_weights(added @ W_Q, added @ W_K)
    got = in_library(content_position, position_content, position_position)
    torch.testing.assert_close(got, whole, **TIGHT)
    for left_out in (
        in_library(0, position_content, position_position),
        in_library(content_position, 0, position_position),
        in_library(content_position, position_content, 0),
    ):
        assert (left_out - whole).abs().max() > 1e-3


@pytest.mark.claim("expansion.never-relative")
def test_a_sum_is_relative_for_all_tokens_only_where_position_does_nothing():
    """Positions along a row e with e W_q = e W_k = 0 make relative scores, and these know no position at all."""
    e = random(1, D, seed=3)
    off = torch.eye(D) - e.T @ e / (e @ e.T)
    w_q, w_k = off @ W_Q, off @ W_K
    here, there = (random(1, D, seed=4) + (PLACES + start).double().sin()[:, None] * e for start in (0, 7))
    weights = [attention_weights((X + p) @ w_q, (X + p) @ w_k) for p in (here, there)]
    torch.testing.assert_close(*weights, **TIGHT)
    assert (here - there).abs().max() > 0.5
    fourth = (here @ w_q) @ (here @ w_k).T
    torch.testing.assert_close(fourth, fourth[:1, :1].expand(N, N), **TIGHT)


@pytest.mark.claim("expansion.never-relative")
def test_a_term_of_one_place_that_is_relative_is_the_same_everywhere():
    """Codes that a matrix cannot tell apart, and others: a score that is constant along diagonals is so along rows."""
    e = random(1, D, seed=3)
    off = torch.eye(D) - e.T @ e / (e @ e.T)
    for codes, blind in ((PLACES.double().sin()[:, None] * e, True), (table(), False)):
        second = (X[:1].expand(N, D) @ W_Q) @ (codes @ off @ W_K).T  # one token as every query
        assert depends_on_the_distance_only(second) == blind
        assert (second.max() - second.min() < 1e-9) == blind


@pytest.mark.claim("expansion.never-relative")
@pytest.mark.parametrize("middle", ["identity", "shift", "random"])
def test_the_sinusoid_added_is_not_relative_even_where_its_fourth_term_is(middle):
    w_q = {"identity": torch.eye(D).double(), "shift": shift_matrix(2, D), "random": W_Q}[middle]
    w_k = W_K if middle == "random" else torch.eye(D).double()
    fourth = (table() @ w_q) @ (table() @ w_k).T
    assert depends_on_the_distance_only(fourth) == (middle != "random")
    weights = [attention_weights((X + table(s)) @ w_q, (X + table(s)) @ w_k) for s in (0, 7)]
    assert (weights[0] - weights[1]).abs().max() > 0.05


# --- the fourth term


@pytest.mark.claim("expansion.position-term")
@pytest.mark.parametrize("theta", [0.001, 0.3, 1.0])
@pytest.mark.parametrize("entries", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (2, -3, 5, 7)])
def test_one_pair_makes_a_wave_of_the_distance_and_a_wave_of_the_sum(entries, theta):
    a, b, c, e = entries
    pair = sinusoidal(PLACES.double() * theta, 2, dtype=torch.float64)
    got = pair @ torch.tensor([[a, b], [c, e]], dtype=torch.float64) @ pair.T
    wanted = for_each_pair(
        lambda m, n: (
            (
                (a + e) * math.cos((n - m) * theta)
                + (c - b) * math.sin((n - m) * theta)
                + (e - a) * math.cos((n + m) * theta)
                + (b + c) * math.sin((n + m) * theta)
            )
            / 2
        )
    )
    torch.testing.assert_close(got, wanted, **TIGHT)


@pytest.mark.claim("expansion.position-term")
@pytest.mark.parametrize("theta", [0.01, 0.3, 1.0])
@pytest.mark.parametrize("entries", list(itertools.product((-1, 0, 1), repeat=4)))
def test_it_is_relative_exactly_for_a_turned_and_scaled_identity_and_even_for_the_identity(entries, theta):
    a, b, c, e = entries
    pair = sinusoidal(PLACES.double() * theta, 2, dtype=torch.float64)
    scores = pair @ torch.tensor([[a, b], [c, e]], dtype=torch.float64) @ pair.T
    assert depends_on_the_distance_only(scores) == (a == e and b == -c)
    assert torch.allclose(scores, scores.T) == (b == c)


@pytest.mark.claim("expansion.commuting")
def test_a_mix_of_shifts_commutes_with_a_step_and_keeps_the_fourth_term_relative():
    mix = sum(c * shift_matrix(k, D) for k, c in [(-3, 0.5), (0, 1.0), (1, -2.0), (4, 0.3)])
    torch.testing.assert_close(shift_matrix(1, D) @ mix, mix @ shift_matrix(1, D), **TIGHT)
    assert depends_on_the_distance_only(table() @ mix @ table().T)
    assert (W_Q @ shift_matrix(1, D) - shift_matrix(1, D) @ W_Q).abs().max() > 0.1
    assert not depends_on_the_distance_only(table() @ W_Q @ table().T)


@pytest.mark.claim("expansion.commuting")
def test_the_identity_gives_an_even_term_and_a_shift_looks_back():
    even = table() @ table().T
    torch.testing.assert_close(even, even.T, **TIGHT)
    looks_back = table() @ shift_matrix(3, D) @ table().T
    assert (looks_back[3:].argmax(-1) == PLACES[:-3]).all()


# --- each method: its terms in the library's attention, and the score that its paper prints in a loop


@pytest.mark.claim("expansion.shaw")
def test_shaw_keeps_the_first_two_terms():
    a = {far: random(D, seed=far + 100) for far in range(-N, N)}
    printed = for_each_pair(lambda i, j: X[i] @ W_Q @ (X[j] @ W_K + a[i - j]) / math.sqrt(D))
    content_position = for_each_pair(lambda m, n: Q[m] @ a[m - n]) / math.sqrt(D)
    torch.testing.assert_close(in_library(content_position), softmax(printed), **TIGHT)


@pytest.mark.claim("expansion.transformer-xl")
def test_transformer_xl_keeps_four_terms_of_its_own():
    """In the paper's order (a) to (d), with columns, and the distance i - j, which is m - n."""
    u, v = random(2, D, seed=5)

    def printed(i, j):
        e_i, e_j, r = X[i], X[j], p(i - j)
        return (
            (e_i @ W_Q) @ (W_K.T @ e_j) + (e_i @ W_Q) @ (W_R.T @ r) + u @ (W_K.T @ e_j) + v @ (W_R.T @ r)
        ) / math.sqrt(D)

    far = toeplitz_bias(lambda far: (sinusoidal(far, D, dtype=torch.float64) @ W_R).T, PLACES, PLACES)  # [d, m, n]
    terms = torch.einsum("md,dmn->mn", Q, far), u @ K.T, torch.einsum("d,dmn->mn", v, far)
    got = in_library(*(term / math.sqrt(D) for term in terms))
    torch.testing.assert_close(got, softmax(for_each_pair(printed)), **TIGHT)


@pytest.mark.claim("expansion.deberta")
def test_deberta_keeps_three_terms():
    rows = {far: random(D, seed=far + 200) for far in range(-N, N)}

    def printed(i, j):
        relative = [rows[i - j] @ U_K, rows[j - i] @ U_Q]  # δ(i, j) and δ(j, i)
        return (Q[i] @ K[j] + Q[i] @ relative[0] + K[j] @ relative[1]) / math.sqrt(3 * D)

    scale = (3 * D) ** -0.5
    content_position = for_each_pair(lambda m, n: Q[m] @ (rows[m - n] @ U_K)) * scale
    position_content = for_each_pair(lambda m, n: (rows[n - m] @ U_Q) @ K[n]) * scale
    got = in_library(content_position, position_content, scale=scale)
    torch.testing.assert_close(got, softmax(for_each_pair(printed)), **TIGHT)
    same_index = for_each_pair(lambda m, n: (rows[m - n] @ U_Q) @ K[n]) * scale
    assert (in_library(content_position, same_index, scale=scale) - got).abs().max() > 0.01


@pytest.mark.claim("expansion.tupe")
def test_tupe_keeps_the_first_and_the_last_term():
    places = table()
    printed = for_each_pair(lambda i, j: (Q[i] @ K[j] + (places[i] @ U_Q) @ (places[j] @ U_K)) / math.sqrt(2 * D))
    scale = (2 * D) ** -0.5
    got = in_library(position_position=(places @ U_Q) @ (places @ U_K).T * scale, scale=scale)
    torch.testing.assert_close(got, softmax(printed), **TIGHT)


@pytest.mark.claim("expansion.bias")
@pytest.mark.parametrize(("name", "scale"), [("T5", 1.0), ("ALiBi", D**-0.5)])
def test_a_number_for_each_distance(name, scale):
    beta = (lambda far: -0.25 * far.abs().double()) if name == "ALiBi" else (lambda far: far.double().cos())
    printed = for_each_pair(lambda i, j: Q[i] @ K[j] * scale + beta(torch.tensor(i - j)))
    got = attention_weights(
        Q, K, Slots(bias=lambda m, n: toeplitz_bias(lambda far: beta(far)[None], m, n)[0], scale=scale)
    )
    torch.testing.assert_close(got, softmax(printed), **TIGHT)


@pytest.mark.claim("expansion.bias")
def test_a_number_for_each_pair_of_offsets():
    """A window of 2 x 5, read row by row."""
    row, column = PLACES // 5, PLACES % 5
    numbers = random(3, 9, seed=6)
    printed = for_each_pair(
        lambda i, j: (
            Q[i] @ K[j] / math.sqrt(D)
            + numbers[int(row[i] - row[j]) + 1, int(column[i] - column[j]) + 4]
        )
    )  # fmt: skip
    grid = numbers[row[:, None] - row + 1, column[:, None] - column + 4]
    torch.testing.assert_close(in_library(position_position=grid), softmax(printed), **TIGHT)


@pytest.mark.claim("expansion.who-prefers")
def test_with_a_number_the_query_has_no_say_in_the_distance_and_with_a_row_it_has():
    """One key token everywhere: the ratio of two weights is that of two distances."""
    keys = K[:1].expand(N, D)
    number = for_each_pair(lambda m, n: math.cos(m - n))
    rows = {far: random(D, seed=far + 300) for far in range(-N, N)}
    row = for_each_pair(lambda m, n: Q[m] @ rows[m - n])
    ratios = {}
    for name, term in {"number": number, "row": row}.items():
        weights = attention_weights(Q, keys, Slots(content_bias=lambda q, k, m, n, term=term: term))
        ratios[name] = {
            (one, other): [(weights[m, m - one] / weights[m, m - other]).log().item() for m in range(N)
                           if 0 <= m - one < N and 0 <= m - other < N]
            for one, other in itertools.product(range(1 - N, N), repeat=2)
        }  # fmt: skip
    for (one, other), of_queries in ratios["number"].items():
        assert of_queries == pytest.approx([math.cos(one) - math.cos(other)] * len(of_queries), abs=1e-12)
    assert max(ratios["row"][1, 2]) - min(ratios["row"][1, 2]) > 1


# --- switching tokens off


@pytest.mark.claim("expansion.switching")
@pytest.mark.parametrize(("m", "n"), [(0, 0), (3, 5), (5, 3), (900, 20)])
def test_switching_tokens_off_leaves_content_content(m, n):
    def score(x, y):
        return ((x + p(m)) @ W_Q) @ ((y + p(n)) @ W_K)

    x, y, off = X[0], X[1], torch.zeros(D, dtype=torch.float64)
    rest = score(x, y) - score(x, off) - score(off, y) + score(off, off)
    torch.testing.assert_close(rest, (x @ W_Q) @ (y @ W_K), **TIGHT)


@pytest.mark.claim("expansion.switching")
def test_rotary_has_only_the_first_term_and_the_distance_is_in_it():
    rotary, m = Rotary(geometric_freqs(D)), torch.tensor([3])
    none = torch.zeros(1, D, dtype=torch.float64)
    for q, k in ((none, K[:1]), (Q[:1], none), (none, none)):
        turned_q, turned_k = rotary(q, k, m, m + 2)
        assert turned_q @ turned_k.T == 0
    scores = [
        (a @ b.T).item() for a, b in (rotary(Q[:1], K[:1], m + s, m + s + far) for s, far in [(0, 2), (9, 2), (0, 4)])
    ]
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
    assert abs(scores[0] - scores[2]) > 0.1


# --- scale


@pytest.mark.claim("expansion.scale")
@pytest.mark.parametrize(("d", "terms"), [(1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3), (2, 3)])
def test_the_variance_is_the_number_of_terms_times_d_without_chance(d, terms):
    """Every feature is 1 or -1: mean 0, variance 1, and all cases can be counted."""
    cases = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=4 * d)), dtype=torch.float64)
    q, k, place_key, place_query = cases.split(d, dim=1)
    scores = [(q * k).sum(1), (q * place_key).sum(1), (place_query * k).sum(1)][:terms]
    assert sum(scores).var(correction=0).item() == terms * d
    for one, other in itertools.combinations(scores, 2):
        assert (one * other).mean() == 0  # uncorrelated
    scaled = sum(scores) / math.sqrt(terms * d)
    assert scaled.var(correction=0).item() == pytest.approx(1)


@pytest.mark.claim("expansion.scale")
@pytest.mark.parametrize(("d", "terms"), [(1, 1), (3, 1), (1, 2), (2, 2), (1, 3), (2, 3)])
def test_the_root_of_terms_times_d_gives_the_scores_of_the_library_variance_one(d, terms):
    """All cases again. Beside a key of zeros, the logarithm of the odds is the score."""
    cases = torch.tensor(list(itertools.product((-1.0, 1.0), repeat=4 * d)), dtype=torch.float64)
    q, k, place_key, place_query = cases.split(d, dim=1)
    left, right = torch.cat([q, q, place_query][:terms], 1), torch.cat([k, place_key, k][:terms], 1)
    keys = torch.stack((right, torch.zeros_like(right)), dim=1)
    weights = attention_weights(left[:, None], keys, Slots(scale=(terms * d) ** -0.5))[:, 0]
    scores = weights[:, 0].log() - weights[:, 1].log()
    assert scores.mean().item() == pytest.approx(0, abs=1e-12)
    assert scores.var(correction=0).item() == pytest.approx(1)


@pytest.mark.claim("expansion.scale")
def test_uncorrelated_is_not_independent():
    """One q is common to two of DeBERTa's terms: where it is 0, both are. Three values, to count all cases."""
    values = [-math.sqrt(1.5), 0.0, math.sqrt(1.5)]
    q, k, r = torch.tensor(list(itertools.product(values, repeat=3)), dtype=torch.float64).T
    one, other = q * k, q * r
    assert (one * other).mean().item() == pytest.approx(0)
    squares = one**2, other**2
    covariance = (squares[0] * squares[1]).mean() - squares[0].mean() * squares[1].mean()
    assert covariance.item() == pytest.approx(0.5)


# --- values


def near(m, n):
    return toeplitz_bias(lambda far: -0.3 * far.abs()[None].double(), m, n)[0]


@pytest.mark.claim("expansion.equal-tokens")
@pytest.mark.parametrize("mask", [None, causal_mask(PLACES, PLACES)])
@pytest.mark.parametrize(
    "slots",
    [
        Slots(),
        Slots(bias=near),
        Slots(transform=Rotary(geometric_freqs(D))),
        Slots(content_bias=lambda q, k, m, n: for_each_pair(lambda i, j: q[i] @ p(j - i))),
    ],
)
def test_equal_tokens_have_equal_outputs_where_position_is_in_the_weights_only(slots, mask):
    same = X[:1].expand(N, D)
    out = attention(same @ W_Q, same @ W_K, same @ W_V, slots, mask=mask)
    torch.testing.assert_close(out, (same @ W_V), **TIGHT)


@pytest.mark.claim("expansion.equal-tokens")
def test_positions_in_the_values_tell_equal_tokens_apart():
    same = X[:1].expand(N, D)
    q, k = same @ W_Q, same @ W_K
    added = attention(q, k, (same + table()) @ W_V, Slots(bias=near))
    assert torch.pdist(added).min() > 1e-3
    weights = attention_weights(q, k, Slots(bias=near))
    far = toeplitz_bias(lambda far: sinusoidal(far, D, dtype=torch.float64).T, PLACES, PLACES)
    shaw = same @ W_V + torch.einsum("mn,dmn->md", weights, far)  # equation 3: a vector of the distance
    assert torch.pdist(shaw).min() > 1e-3
