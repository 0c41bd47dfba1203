"""Position 0: the factor of the attention, and a matrix besides that scores do not see."""

from __future__ import annotations

from collections.abc import Iterator
from math import e, log2, sqrt

import torch

from posenc_checks.reading.case import Case
from posenc_checks.reading.words import name_start
from posenc_checks.report.found import Equivalent, Fact, Fault, Finding, github
from posenc_checks.rules.driver import rule

# fmt: off
AMPLITUDES_DIFFER = Fault(
    "amplitudes-differ", "queries and keys are multiplied by different factors",
    "where the attention factor is applied", page="extension/yarn", claim="yarn.squared"
)
FACTOR_MISSING = Fault(
    "factor-missing", "the attention factor is missing", "cos * factor and sin * factor", page="extension/yarn",
    claim="yarn.squared", thread=github("turboderp-org/exllamav3/issues/259")
)
FACTOR_SQUARED = Fault(
    "factor-squared", "the attention factor is applied twice", "whether it is in the table and in the scale",
    page="extension/yarn", claim="yarn.squared", thread=github("sgl-project/sglang/pull/33558")
)
FACTOR = Fault(
    "factor", "queries and keys are multiplied by another factor", "the attention factor", page="extension/yarn",
    claim="yarn.squared"
)
POSITIONS_FROM_1 = Fault(
    "positions-from-1", "positions are counted from another number: position 0 is rotated",
    "arange(1, n + 1), or an offset", claim="rotary.relative-position"
)
COS_SIN_SWAPPED = Fault(
    "cos-sin-swapped", "cosine and sine are exchanged: position 0 is rotated by a quarter turn",
    "the order of cos and sin", claim="rotary.relative-position"
)
MIRRORED = Fault(
    "mirrored", "pairs are mirrored before they are rotated", "the signs of one of the two features",
    page="rotary/groups", claim="groups.mirrors"
)
PAIRS_EXCHANGED = Fault(
    "pairs-exchanged", "the two features of each pair are written in the other order",
    "cat or stack of the two results: real part first", page="rotary/groups", claim="groups.mirrors"
)
NOT_STILL_AT_0 = Fault(
    "not-still-at-0", "position 0 does not leave the vectors as they are", "the angles of position 0",
    claim="rotary.relative-position"
)
# fmt: on


@rule(needs=["keeps_lengths"])
def multiplies_alike(case: Case) -> Iterator[Fact | Finding]:
    q, k = (turn.factor for turn in case.turns)
    if not case.steady:
        return
    if root := folded(q, k):
        yield Fact(
            "scale", f"{'queries' if q < k else 'keys'} are multiplied by {root}: attention must not do it again"
        )
    elif abs(q / k - 1) > 2e-3:
        words = f"queries are multiplied by {q:.4g}, keys by {k:.4g}"
        yield Finding(AMPLITUDES_DIFFER, words, "position 0")
    elif abs(q - 1) > 2e-3:
        yield Fact("factor", f"rotated features are multiplied by {q:.4g}, so their scores by {q * q:.4g}")


@rule(needs=["multiplies_alike"])
def multiplies_as_expected(case: Case) -> Iterator[Finding]:
    q, k = (turn.factor for turn in case.turns)
    q, wanted = max(q, k) if folded(q, k) else q, case.expected.factor
    if not case.steady or wanted is None or abs(q / wanted - 1) < 2e-3:
        return
    squared = abs(q / wanted**2 - 1) < 2e-3
    fault = FACTOR_MISSING if abs(q - 1) < 2e-3 else FACTOR_SQUARED if squared else FACTOR
    yield Finding(fault, f"features are multiplied by {q:.4g}, not by {wanted:.4g}", "position 0")


def folded(q: float, k: float) -> str:
    """The 1/√d of the softmax, or log2(e)/√d for powers of two, if q or k alone holds it."""
    ratio = min(q, k) / max(q, k)
    for times, words in ((1.0, "1/√{}"), (log2(e), "log2(e)/√{}")):
        n = round((times / ratio) ** 2)
        if 8 <= n <= 512 and abs(ratio * sqrt(n) / times - 1) < 1e-4:
            return words.format(n)
    return ""


KINDS = {
    "shifted": POSITIONS_FROM_1,
    "quarter": COS_SIN_SWAPPED,
    "mirrored": MIRRORED,
    "exchanged": PAIRS_EXCHANGED,
    "other": NOT_STILL_AT_0,
}


@rule(needs=["keeps_lengths"])
def starts_at_0(case: Case) -> Iterator[Fact | Finding | Equivalent]:
    start, eye = case.turns[0].unit_start, torch.eye(case.rotation.d, dtype=torch.float64)
    if (start - eye).abs().max() < 1e-4:
        yield Fact("position 0", "left as it is")
        return
    kind, words = name_start(start, case.turns[0], case.freqs[0])
    yield Fact("position 0", words)
    if case.expected.first is not None:
        evidence = f"features change by {(start - eye).abs().max():.3g}: {words}"
        yield Finding(KINDS[kind], evidence, f"position {case.expected.first}")
    else:
        yield Equivalent(
            f"position 0 is not left as it is ({words}), but scores are: M_m^T M_n = T_m^T T_n for M_n = C T_n, since "
            "C, the matrix of position 0, keeps lengths. Outputs and cached keys of another program do not fit"
        )
