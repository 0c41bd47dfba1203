"""Windows, strides and rules in numbers: against loops that do what the text says, and on curves made by hand."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import pairwise, product
from statistics import mean, stdev

import pytest
import torch
from torch.nn.functional import cross_entropy, one_hot

from bookkit.comparison import sign_flip
from bookkit.pages.measuring import (
    contexts,
    effective_length,
    fixed,
    kept,
    long_score,
    losses,
    losses_by_context,
    measured,
    windows,
)
from bookkit.pages.runs import NAMES, SCALED, values
from bookkit.pictures import window_strides
from bookkit.pictures._window_strides import truth
from experiments.probes import KINDS
from tools.book import ROOT

SIDES = 7
TOKENS = torch.randint(SIDES, (53,), generator=torch.Generator().manual_seed(0))
PAIRS = [(1, 1), (6, 1), (6, 2), (6, 5), (6, 6), (16, 7), (60, 9), (53, 53)]


def model(ids):
    """Sees the whole window, its order and its length: a wrong window shows."""
    seen = one_hot(ids % SIDES, SIDES).double()
    order = torch.arange(1.0, ids.shape[1] + 1, dtype=torch.float64)[:, None]
    return (seen * order).cumsum(1).sin() + ids[..., None].double() / 9


def one_by_one(window, stride, start=None):
    """(token, context, loss) of each scored token, from windows laid over the text one after another."""
    found, done = [], set()
    for begin in range(0, len(TOKENS), stride):
        for place in range(begin, min(begin + window, len(TOKENS))):
            if place in done:
                continue
            done.add(place)
            before = TOKENS[begin:place]
            if start is not None:
                before = torch.cat((torch.tensor([start]), before))
            if len(before):
                loss = cross_entropy(model(before[None])[0, -1].float(), TOKENS[place])
                found.append((place, place - begin, loss.item()))
        if begin + window >= len(TOKENS):
            break
    return found


@pytest.mark.parametrize("start", [None, 3])
@pytest.mark.parametrize(("window", "stride"), PAIRS[1:])
def test_losses_are_those_of_windows_laid_over_the_text_one_by_one(window, stride, start):
    expected = [loss for _, _, loss in one_by_one(window, stride, start)]
    found = losses(model, TOKENS, window, stride, start)
    torch.testing.assert_close(found, torch.tensor(expected), rtol=0, atol=1e-5)
    if start is not None:
        assert len(found) == len(TOKENS)


@pytest.mark.claim("measuring.stride")
@pytest.mark.parametrize(("w", "s"), PAIRS)
def test_the_context_of_a_token(w, s):
    found = contexts(1_000, w, s)
    t = torch.arange(1_000)
    last = [*windows(1_000, w, s)][-1][1]  # a cut window counts as the others do
    assert last < 1_000
    assert torch.equal(found, torch.where(t < w, t, w - s + (t - w) % s))
    later = found[w:]
    assert (int(later.min()), int(later.max())) == (w - s, w - 1)
    whole = later[: len(later) // s * s].double()
    assert whole.mean().item() == pytest.approx(w - (s + 1) / 2)


@pytest.mark.parametrize(("window", "stride"), PAIRS)
def test_each_token_is_scored_once(window, stride):
    scored = [t for _, first, end in windows(53, window, stride) for t in range(first, end)]
    assert scored == [*range(53)]
    assert max(end - begin for begin, _, end in windows(53, window, stride)) <= window


@pytest.mark.parametrize("stride", [0, 7, -1])
def test_a_stride_that_would_leave_tokens_out_is_refused(stride):
    with pytest.raises(ValueError, match="a stride from 1 to 6"):
        [*windows(10, 6, stride)]


def average(curve, w, s):
    its = contexts(w + 12 * s, w, s)[w:]
    return torch.tensor([curve(int(c)) for c in its], dtype=torch.float64).mean().item()


@pytest.mark.claim("measuring.smaller")
@pytest.mark.parametrize("curve", [lambda c: 1 / (1 + c), lambda c: -math.log(1 + c), lambda c: 2.0 * (c < 5)])
def test_a_smaller_stride_looks_better_where_losses_fall_and_worse_where_they_rise(curve):
    for w in (8, 20):
        means = [average(curve, w, s) for s in range(1, w + 1)]
        assert all(a <= b + 1e-12 for a, b in pairwise(means))
        upside_down = [average(lambda c: -curve(c), w, s) for s in range(1, w + 1)]
        assert all(a >= b - 1e-12 for a, b in pairwise(upside_down))


def test_the_same_tokens_by_context():
    places, given = range(20, 53, 5), (1, 2, 7, 20)
    found = losses_by_context(model, TOKENS, places, given)
    for row, c in zip(found, given, strict=True):
        for loss, place in zip(row, places, strict=True):
            alone = model(TOKENS[None, place - c : place])[0, -1].float()
            assert loss.item() == pytest.approx(cross_entropy(alone, TOKENS[place]).item(), abs=1e-5)
    with pytest.raises(ValueError, match="token 3 has no 20 tokens before it"):
        losses_by_context(model, TOKENS, [3], given)


# --- effective lengths

CURVES = {  # scores by length; by RULER's rule; by NoLiMa's, with the first score as the base
    "holds": ({1: 95.0, 2: 94.0, 4: 93.0}, 4, 4),
    "falls": ({1: 95.0, 2: 90.0, 4: 80.0}, 2, 2),
    "weak, and steady": ({1: 60.0, 2: 58.0, 4: 55.0}, None, 4),
    "just at both thresholds": ({1: 100.0, 2: 85.6, 4: 85.0, 8: 84.9}, 1, 4),
    "comes back": ({1: 95.0, 2: 50.0, 4: 95.0}, 1, 1),
    "lengths in any order": ({4: 40.0, 1: 95.0, 2: 90.0}, 2, 2),
}


@pytest.mark.parametrize("name", CURVES)
def test_effective_lengths_of_curves_made_by_hand(name):
    scores, by_ruler, by_nolima = CURVES[name]
    assert effective_length(scores, fixed()) == by_ruler
    assert effective_length(scores, kept(scores[1])) == by_nolima


def test_nolimas_rule_is_a_long_score_and_forgets_the_scale():
    share = Fraction(85, 100)  # fractions, so that 85 of 100 is met exactly
    for base, score in product(map(Fraction, (40, 100)), (Fraction(n, 10) for n in range(1201))):
        assert kept(base, share)(score) == (long_score(score, base) >= share - 1)
        assert long_score(score / 3, base / 3) == long_score(score, base)
    strong, weak = ({n: f * score for n, score in {1: 100.0, 2: 90.0, 4: 70.0}.items()} for f in (1.0, 0.5))
    assert [effective_length(s, kept(s[1])) for s in (strong, weak)] == [2, 2]
    assert [effective_length(s, fixed()) for s in (strong, weak)] == [2, None]


def published():
    return json.loads((ROOT / "tests/oracles/ruler_readme.json").read_text(encoding="utf-8"))


def test_nolimas_own_table():
    """Its README, at commit 55966a3: base score, scores from 1K to 32K, and the length that it says."""
    rows = {
        "GPT-4o": (99.3, (98.1, 98.0, 95.7, 89.2, 81.6, 69.7), 8),
        "Llama 3.1 70B": (94.5, (91.0, 81.8, 71.2, 62.7, 51.8, 43.2), 2),
        "Gemini 1.5 Pro": (92.6, (86.4, 82.7, 75.4, 63.9, 55.5, 48.2), 2),
        "Jamba 1.5 Mini": (92.4, (76.3, 74.1, 70.8, 62.2, 52.7, 43.6), None),
        "Claude 3.5 Sonnet": (87.6, (85.4, 84.0, 77.6, 61.7, 45.7, 29.8), 4),
        "Llama 3.1 8B": (76.7, (65.7, 54.4, 44.1, 31.9, 22.6, 14.2), 1),
    }
    for base, scores, said in rows.values():
        assert effective_length(dict(zip((1, 2, 4, 8, 16, 32), scores, strict=True)), kept(base)) == said


def test_rulers_own_table_follows_its_rule_but_for_six_rows():
    wrong = {}
    for row in published()["rows"]:
        scores = {int(n): score for n, score in row["scores"].items()}
        length = effective_length(scores, fixed())
        shown = {None: "<4K", 128: ">128K"}.get(length, f"{length}K")
        if shown != row["said"].upper():
            wrong[row["model"]] = (row["said"], shown)
    assert len(published()["rows"]) == 44
    assert all(name.split()[0].endswith("*") for name in wrong)  # reported by the models' authors
    assert {name.split("*")[0] for name in wrong} == {
        "Qwen3-14B", "Qwen3-32B", "Qwen2.5-7B-Instruct-1M", "Qwen3-8B", "Qwen3-4B", "EXAONE-4.0-1.2B",
    }  # fmt: skip


def test_two_rows_that_the_rules_order_differently():
    rows = {row["model"]: {int(n): v for n, v in row["scores"].items()} for row in published()["rows"]}
    intern, mistral = rows["InternLM2.5 7B"], rows["Mistral 7B"]
    assert [effective_length(s, fixed()) for s in (intern, mistral)] == [4, 16]
    assert [effective_length(s, kept(s[4])) for s in (intern, mistral)] == [64, 16]


# --- the record


SEEDS = range(5)


def by_seed(measure, reading):
    """For each seed the numbers by context, stride or length; each has all seeds."""
    found = measured(measure, reading)
    assert {len(values) for values in found.values()} == {len(SEEDS)}
    return [{at: values[seed] for at, values in found.items()} for seed in SEEDS]


def test_the_strides_of_the_record_come_from_its_losses_by_context():
    """Of all 2,048 bytes, not of whole strides: so only nearly."""
    for reading in ("rotary", "alibi", "yarn"):
        for window in (64, 128):
            strides = by_seed(f"perplexity, window {window}", reading)
            for by_stride, by_context in zip(strides, by_seed("loss by context", reading), strict=True):
                for stride, value in by_stride.items():
                    period = [by_context[c] for c in range(max(1, window - stride), window)]
                    assert value == pytest.approx(math.exp(mean(period)), rel=0.05)


def test_what_the_page_says_of_strides():
    narrow, wide = (by_seed(f"perplexity, window {window}", "rotary") for window in (64, 128))
    for small, large in zip(narrow, wide, strict=True):
        values = [*small.values(), *large.values()]
        assert len(values) == 8
        assert max(values) > 4 * min(values)
        assert small[64] > small[32]
        assert max(small[s] for s in (32, 16, 1)) < 1.01 * min(small[s] for s in (32, 16, 1))
        assert large[1] > large[16] > large[64] > large[128]
    assert round(mean(values[128] for values in wide), 2) == 6.64
    assert (contexts(128 * 9, 128, 128) <= 90).double().mean().item() == pytest.approx(0.7, abs=0.02)


def test_what_the_moving_picture_answers():
    answer = window_strides().answer
    for window, stride in ((64, 64), (64, 32), (128, 64), (128, 1)):
        *_, found = truth(window // 64 - 1, int(math.log2(stride)), 0)
        assert f"{found:.2f}" in answer


def test_what_the_page_says_of_the_record():
    for rotary, alibi, yarn in zip(*(by_seed("loss by context", r) for r in ("rotary", "alibi", "yarn")), strict=True):
        for its in (rotary, alibi):
            assert 0 < its[16] - min(its.values()) < 0.03
        assert all(2.9 < its[1] < 3.05 for its in (rotary, alibi, yarn))
        assert all(its[16] < 1.9 for its in (rotary, alibi, yarn))
        assert max(rotary[c] for c in range(16, 91)) < rotary[16] + 0.05
        assert rotary[90] + 0.85 < rotary[120] < 3.1 < rotary[127]
        assert max(yarn[c] for c in range(16, 129)) < 1.92
        assert all(yarn[c] - rotary[c] > 0.05 for c in (16, 32, 60))
        assert rotary[120] - yarn[120] > 0.7
    rotary, alibi, yarn = (
        {c: mean(values) for c, values in measured("loss by context", r).items()} for r in ("rotary", "alibi", "yarn")
    )
    assert {round(rotary[c], 1) for c in range(16, 91)} == {1.7}
    assert {round(alibi[c], 1) for c in range(17, 129)} == {1.8}
    assert max(yarn[c] for c in range(16, 129)) < 1.9
    assert rotary[120] < 3 < rotary[121]
    assert {f"{yarn[c] - rotary[c]:.2f}" for c in (16, 32, 60)} == {"0.10", "0.14", "0.15"}


def test_what_the_page_says_of_the_files():
    before, copied = measured("has so much before it", "files"), measured("copy nearest further back", "files")
    assert before[16_384][0] > 50
    assert 100 / copied[16_384][0] == pytest.approx(40, abs=1.5)


def test_what_the_page_says_of_seeds():
    def apart(other):
        """The spread of differences from rotary, were the two measured apart; and how many times less it is."""
        pair = [values("text", reading, 1) for reading in ("rotary", other)]
        alone = math.hypot(*map(stdev, pair))
        return alone, alone / stdev([a - b for a, b in zip(*pair, strict=True)])

    alone, less = apart("alibi")
    assert round(alone, 4) == 0.0949
    assert 4.4 < less < 4.5
    ten = [each for each in NAMES if each not in {*SCALED, "rotary", "alibi"} and len(values("text", each, 1)) == 10]
    factors = [apart(other)[1] for other in ten]
    assert len(factors) == 17
    assert [round(edge, 1) for edge in (min(factors), max(factors))] == [2.6, 6.0]
    # 95 % of Student's t with n - 1 degrees lie within 2.776 (n = 5) and 2.262 (n = 10)
    for n, quantile, said in ((5, 2.776, 1.24), (10, 2.262, 0.72)):
        draws = torch.randn(200_000, n, generator=torch.Generator().manual_seed(n), dtype=torch.float64)
        t = draws.mean(1) * math.sqrt(n) / draws.std(1)
        assert (t.abs() < quantile).double().mean().item() == pytest.approx(0.95, abs=0.003)
        assert round(quantile / math.sqrt(n), 2) == said
    assert sign_flip([1.0] * 9 + [-1.0]) < 0.05 < sign_flip([1.0] * 5)


def test_what_the_page_says_of_the_five_probes():
    asked = {kind: by_seed(kind, "rotary") for kind in KINDS}
    means = {kind: {n: mean(values) for n, values in measured(kind, "rotary").items()} for kind in KINDS}
    assert {score for its in asked["one needle"] for score in its.values()} == {100}
    four = [max(map(colours.count, colours)) / 4 for colours in product(range(8), repeat=4)]
    assert round(100 * mean(four)) == 41
    guessed = {"four needles": 100 * mean(four), "no shared word": 25, "tracing": 50}
    assert all(8 < score < 19 for score in means["no shared word"].values())
    assert mean(means["tracing"].values()) == pytest.approx(50, abs=1)
    for kind, share in guessed.items():  # what 300 questions leave open is three times 3
        assert all(mean(its.values()) < share + 9 for its in asked[kind])
    assert all(mean(means[kind].values()) < guessed[kind] + 1 for kind in guessed)
    assert effective_length(means["four needles"], kept(means["four needles"][64])) == 256
    far = [its[256] for its in asked["most frequent"]]
    assert (round(mean(far)), min(far), max(far)) == (77, 65, 90)
    assert all(its[64] == 100 for its in asked["most frequent"])
    assert [round(mean(values)) for values in measured("most frequent", "yarn").values()] == [100, 100, 98]
