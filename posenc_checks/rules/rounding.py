"""Do angles grow in proportion to the position, or is something rounded to half precision?"""

from __future__ import annotations

from collections.abc import Iterator

from posenc_checks.reading.case import EXACT, Case
from posenc_checks.reading.probe import wrap
from posenc_checks.report.found import Fault, Finding, Property, github
from posenc_checks.rules.driver import rule
from posenc_checks.rules.positions import ANGLES_WRONG

# fmt: off
POSITIONS_HALF = Fault(
    "positions-half", "positions are rounded to half precision, so neighbouring tokens share an angle",
    "arange(…, dtype=x.dtype), positions.to(x.dtype)", page="practice/errata-code", claim="in-practice.angle-error",
    thread=github("huggingface/candle/pull/3520")
)
ANGLES_HALF = Fault(
    "angles-half", "angles are rounded to half precision", "autocast, and the dtype of positions × frequencies",
    page="rotary/in-practice", claim="in-practice.angle-error", thread=github("EleutherAI/gpt-neox/issues/1003")
)
FREQS_HALF = Fault(
    "freqs-half", "frequencies are rounded to half precision", "a buffer of frequencies that model.to(dtype) casts",
    page="rotary/in-practice", claim="in-practice.angle-error", thread=github("huggingface/transformers/issues/25681")
)
COS_SIN_HALF = Fault(
    "cos-sin-half", "cosine and sine are rounded to half precision, though the features are not",
    "the dtype of the table", page="rotary/in-practice", thread=github("KellerJordan/modded-nanogpt/issues/39")
)
TABLE_ENDS = Fault(
    "table-ends", "angles stop growing, or begin again, beyond some position",
    "the length of the table, clamp, and modulo", page="extension/why-it-breaks"
)
NOT_INVERTED = Fault(
    "not-inverted", "frequencies rise from pair to pair: the exponent has no minus sign",
    "1 / base ** (arange(0, d, 2) / d)"
)
# fmt: on

KINDS = {
    "positions": POSITIONS_HALF,
    "angles": ANGLES_HALF,
    "freqs": FREQS_HALF,
    "table": TABLE_ENDS,
    "other": ANGLES_WRONG,
}


@rule(needs=["keeps_lengths"])
def falls_from_pair_to_pair(case: Case) -> Iterator[Finding]:
    """Before angles are followed: those of 1 / frequency are many turns, and float32 does not keep them far out."""
    angles, wanted = case.turns[0].angles[1], case.wanted
    if wanted is None or len(wanted) != len(angles) or not case.rotation.own_angles:
        return
    rising = 1 / wanted
    if any((wrap(sign * rising - angles).abs() < 1e-3 + 1e-6 * rising).all() for sign in (1, -1)):
        words = f"the last pair turns by {rising[-1]:,.6g} rad a token, not by {wanted[-1]:.4g}"
        yield Finding(NOT_INVERTED, words, "position 1")


@rule(needs=["falls_from_pair_to_pair"])
def grows_in_proportion(case: Case) -> Iterator[Finding | Property]:
    if not case.rotation.own_angles:
        return
    if found := case.deviation:
        yield Finding(KINDS[found.kind], found.evidence, found.smallest)
    elif case.half:
        evidence = f"all of them are {case.half} numbers"
        yield Finding(COS_SIN_HALF, evidence, "float32 features, position 1")
    else:
        words = f"angles grow in proportion up to position {int(case.far[-1])}"
        yield Property("in-practice.angle-error", words, True, f"off by less than {EXACT} rad")
    if low := case.deviation_in_bfloat16:
        yield Finding(KINDS[low.kind], low.evidence + ", for features in bfloat16", low.smallest)
