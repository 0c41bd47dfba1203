"""Which features are paired, and which are rotated at all: of queries as of keys, and as the reader expects."""

from __future__ import annotations

from collections.abc import Iterator

from posenc_checks.reading.case import Case
from posenc_checks.reading.words import layout_of, span
from posenc_checks.report.found import Fact, Fault, Finding, github
from posenc_checks.rules.driver import rule

# fmt: off
PAIRINGS_DIFFER = Fault(
    "pairings-differ", "queries and keys are paired in different ways, or in different parts",
    "the function that each of the two gets", claim="rotary.layouts"
)
PARTIAL_COUNT = Fault(
    "partial-count", "a different number of features is rotated", "rotary_dim, partial_rotary_factor",
    page="rotary/in-practice"
)
PARTIAL_END = Fault(
    "partial-end", "the last features are rotated in place of the first", "x[..., :r] against x[..., r:]",
    page="rotary/in-practice"
)
PARTIAL_SPREAD = Fault(
    "partial-spread", "the rotated features are not the first ones: pairs reach across the whole head",
    "whether halves are taken of the rotated part or of the head", page="rotary/in-practice",
    claim="in-practice.partial-is-proportional", thread=github("apple/coreai-models/issues/66")
)
LAYOUT = Fault(
    "layout", "features are paired the other way: interleaved for half, or half for interleaved",
    "x[..., 0::2] against chunk(2), or the permutation of the weights", claim="rotary.layouts",
    thread=github("huggingface/transformers/issues/25199")
)
PAIRING = Fault(
    "pairing", "features are paired in a way of their own", "how the two features of a pair are taken from x",
    claim="rotary.layouts"
)
# fmt: on


@rule(needs=["rotates_pairs"])
def pairs_keys_as_queries(case: Case) -> Iterator[Finding]:
    q, k = case.turns
    if q.pairs == k.pairs:
        return
    words = f"{len(q.rotated)} features of the queries are rotated, and {len(k.rotated)} of the keys"
    if len(q.rotated) == len(k.rotated):
        words = f"queries have the pairs {(q.pairs or [])[:2]}, …, and keys {(k.pairs or [])[:2]}, …"
    yield Finding(PAIRINGS_DIFFER, words, "position 1")


@rule(needs=["pairs_keys_as_queries"])
def describes_pairs(case: Case) -> Iterator[Fact]:
    turn = case.turns[0]
    yield Fact("layout", layout_of(turn.pairs) or f"pairs {turn.pairs[:3]}, …")
    if len(turn.rotated) < case.rotation.d:
        yield Fact("rotated", f"{len(turn.rotated)} of {case.rotation.d} features")


@rule(needs=["pairs_keys_as_queries"])
def rotates_the_part(case: Case) -> Iterator[Finding]:
    turn, d, count = case.turns[0], case.rotation.d, case.expected.d_rotated
    r = turn.rotated
    if count is None:
        if (wanted := _turning(case)) and r != wanted:
            end = r == sorted(d - 1 - i for i in wanted) or r[-len(r) // 2 :] == list(range(d - len(r) // 2, d))
            yield Finding(PARTIAL_END if end else PARTIAL_SPREAD, f"features {span(r)} are rotated", f"feature {r[0]}")
        return
    if len(r) != count:
        yield Finding(PARTIAL_COUNT, f"{len(r)} features are rotated, not {count}", f"features {span(r)}")
    elif r == list(range(d - count, d)) and count < d:
        yield Finding(PARTIAL_END, f"features {span(r)} are rotated", f"feature {r[0]}")
    elif r != list(range(count)):
        yield Finding(PARTIAL_SPREAD, f"features {span(r)} are rotated", f"features {turn.pairs[0]}")


def _turning(case: Case) -> list[int]:
    """The features of the pairs whose expected frequencies are not 0, where some of them are."""
    freqs, d = case.expected.freqs, case.rotation.d
    if freqs is None or len(freqs) != d // 2 or (freqs != 0).all():
        return []
    pairs = (freqs != 0).nonzero().flatten().tolist()
    half = (case.expected.layout or layout_of(case.turns[0].pairs)) == "half"
    return sorted(i for p in pairs for i in ((p, p + d // 2) if half else (2 * p, 2 * p + 1)))


@rule(needs=["pairs_keys_as_queries"])
def pairs_as_expected(case: Case) -> Iterator[Finding]:
    turn, wanted = case.turns[0], case.expected.layout
    layout = layout_of(turn.pairs)
    if wanted is None or layout == wanted:
        return
    if layout is not None:
        i, j = turn.pairs[0]
        yield Finding(LAYOUT, f"feature {i} is paired with {j}", "position 1, the first pair")
    elif len(turn.rotated) > 2:
        yield Finding(PAIRING, f"the pairs are {turn.pairs[:3]}, …", "position 1")
