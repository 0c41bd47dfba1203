"""What became of frequencies that are not the expected ones: another base or exponent, or a scaling."""

from __future__ import annotations

from math import exp

from torch import Tensor

from posenc_checks.reading.frequencies import BASES, base_of, close, geometric_fit, is_nice, name_scaling, number
from posenc_checks.report.found import Fault, github
from posenc_checks.rules.ramps import (
    SCALING_2PI,
    SCALING_INVERSE,
    SCALING_MISSING,
    SCALING_OTHER,
    SCALING_RAMP,
    SCALING_UNKNOWN,
    SCALING_UPSIDE_DOWN,
    against_scaled,
    upside_down,
)
from posenc_lib.pairs import geometric_freqs

# fmt: off
BASE = Fault("base", "the frequencies have another base", "rope_theta, base, theta", page="extension/base")
EXPONENT_D_MODEL = Fault(
    "exponent-d-model", "the exponent is divided by a multiple of d_head, such as d_model",
    "arange(0, d, 2) / d: both d are the rotated features of one head, and i counts by two", page="rotary/in-practice",
    thread=github("rasbt/LLMs-from-scratch/issues/410")
)
EXPONENT_DOUBLED = Fault(
    "exponent-doubled", "the exponent is twice as large", "2 * arange(0, d, 2) / d: the factor 2 is there already"
)
EXPONENT_WHOLE_HEAD = Fault(
    "exponent-whole-head", "the rotated part has frequencies of the whole head",
    "the d in the exponent: rotary_dim or head_dim", page="rotary/in-practice",
    claim="in-practice.partial-is-proportional", thread=github("pie-project/pie/issues/602")
)
EXPONENT_PART = Fault(
    "exponent-part", "the frequencies are those of the rotated part, not of the whole head",
    "the d in the exponent: rotary_dim or head_dim", page="rotary/in-practice",
    claim="in-practice.partial-is-proportional"
)
SCALED_NTK = Fault("scaled-ntk", "the base is raised as by NTK", "NTK scaling", page="extension/ntk", claim="ntk.base")
REVERSED = Fault("reversed", "fast and slow pairs are exchanged", "the sign of the exponent, or flip")
FREQUENCIES_EQUAL = Fault(
    "frequencies-equal", "pairs share one frequency", "an integer division in the exponent",
    thread=github("Kyubyong/transformer/pull/81")
)
EXPONENT_FROM_1 = Fault("exponent-from-1", "the exponent counts pairs from 1", "arange(0, d, 2): it begins with 0")
EXPONENT_FROM_MINUS_1 = Fault(
    "exponent-from-minus-1", "the exponent counts pairs from -1, so that the first frequency is more than 1",
    "2(i - 1)/d is for an i from 1, as in the paper"
)
EXPONENT_LAST = Fault(
    "exponent-last", "the exponent is i/(d/2 - 1): the last frequency is 1/base, as in tensor2tensor",
    "d/2 - 1 or d - 2 in the exponent, for d/2 or d", page="rotary/in-practice"
)
ROTATED_TWICE = Fault("rotated-twice", "the rotation is applied twice", "the calls before and within attention")
SCALED_LINEAR = Fault(
    "scaled-linear", "all frequencies are divided by one factor", "interpolation, positions / factor",
    page="extension/interpolation", claim="interpolation.frequencies"
)
SCALED_YARN = Fault(
    "scaled-yarn", "frequencies are scaled by parts, as by YaRN", "rope_scaling", page="extension/yarn",
    claim="yarn.code-ramp"
)
SCALED_LLAMA3 = Fault(
    "scaled-llama3", "frequencies are scaled by parts, as by Llama 3.1", "rope_scaling", page="extension/yarn",
    claim="yarn.llama3"
)
SCALED_PER_PAIR = Fault(
    "scaled-per-pair", "each pair's frequency is divided by a number of its own", "rope_scaling",
    page="extension/longrope"
)
# fmt: on


def name_exponent(slope: float, wanted: float, d: int, d_head: int) -> tuple[Fault, str]:
    """The fault and the number that shows it. A slope is by how much the logarithm falls from pair to pair."""
    base, divisor = base_of(wanted, d), d * wanted / slope
    evidence = f"the exponent is divided by {divisor:.4g} in place of {d}, if the base is {number(base)}"
    times = divisor / d
    if abs(times - 0.5) < 0.005:
        return EXPONENT_DOUBLED, evidence
    if d_head != d and abs(divisor / d_head - 1) < 0.005:
        return EXPONENT_WHOLE_HEAD, evidence
    if d_head != d and abs(times - d / d_head) < 0.005 * d / d_head:
        return EXPONENT_PART, f"the exponent is divided by {d} in place of {d_head}"
    if d > 4 and abs(divisor / (d - 2) - 1) < 1e-3:
        return EXPONENT_LAST, evidence
    if times > 1.5 and abs(times / round(times) - 1) < 0.005:
        return EXPONENT_D_MODEL, evidence
    return _name_base(base, base_of(slope, d), d)


def _name_base(base: float, other: float, d: int) -> tuple[Fault, str]:
    """NTK's, if the factor is round and the base is not. How round is arbitrary: both names say the base."""
    factor = (other / base) ** ((d - 2) / d)
    if other > base and is_nice(factor, 2e-4) and not is_nice(other, 2e-4):
        return SCALED_NTK, f"the base is {number(base)} × {number(factor)}^(d/(d-2)): the factor is {number(factor)}"
    return BASE, f"the base is {number(other)}, not {number(base)}"


SCALINGS = (
    ROTATED_TWICE, SCALED_LINEAR, SCALED_NTK, SCALED_YARN, SCALED_LLAMA3, SCALED_PER_PAIR, SCALING_MISSING,
    SCALING_OTHER, SCALING_UPSIDE_DOWN, SCALING_2PI, SCALING_INVERSE, SCALING_RAMP, SCALING_UNKNOWN,
)  # fmt: skip
NAMED = {"yarn": SCALED_YARN, "llama3": SCALED_LLAMA3}


def difference(freqs: Tensor, expected: Tensor, d_head: int, tolerance: float) -> tuple[Fault, str] | None:
    """The fault of frequencies that are not the expected ones, and the number that shows it."""
    if close(freqs, expected, tolerance):
        return None
    if close(freqs.flip(0), expected, tolerance):
        return REVERSED, f"the first pair has {freqs[0]:.4g} and the last {freqs[-1]:.4g}"
    if freqs.min() > (1 - tolerance) * freqs.max():
        return FREQUENCIES_EQUAL, f"all of them are {freqs[0]:.4g}"
    ratio = freqs / expected
    if close(ratio, ratio[:1].expand(len(ratio)), tolerance):
        return _multiplied(freqs, ratio[0].item(), geometric_fit(expected, tolerance), tolerance)
    return _bent(freqs, expected, d_head, tolerance)


def of_no_rule(freqs: Tensor, tolerance: float) -> tuple[Fault, str] | None:
    """The fault of frequencies that no scaling gives, whichever was meant."""
    own = (freqs[0] / freqs[1]).item() ** len(freqs) if len(freqs) > 1 else 0.0
    for base in (own, *BASES):
        if base > 1 and (words := upside_down(freqs, geometric_freqs(2 * len(freqs), base), tolerance)):
            return SCALING_UPSIDE_DOWN, f"{words}, if the base is {number(base)}"
    return None


def _multiplied(freqs: Tensor, times: float, wanted: tuple[float, float] | None, tolerance: float) -> tuple[Fault, str]:
    """All frequencies by one number. Where the expected ones are divided already, the first says by how much."""
    if wanted and wanted[0] < 1 - tolerance:
        if abs(times * wanted[0] - 1) < tolerance:
            return SCALING_MISSING, f"they are not divided by {number(times)}"
        if times < 1 / wanted[0]:
            return SCALING_OTHER, f"they are divided by {number(1 / freqs[0].item())}, not {number(1 / wanted[0])}"
    elif abs(times / 2 - 1) < tolerance:
        return ROTATED_TWICE, f"all frequencies are {times:.3g} times what they should be"
    if wanted and abs(times * exp(wanted[1]) - 1) < tolerance:
        return EXPONENT_FROM_1, f"the first frequency is {freqs[0]:.4g}, which the second should have"
    if wanted and abs(times / exp(wanted[1]) - 1) < tolerance:
        return EXPONENT_FROM_MINUS_1, f"the first frequency is {freqs[0]:.4g}"
    if times > 1:
        return SCALING_INVERSE, f"all frequencies are {number(times)} times what they should be"
    return SCALED_LINEAR, f"the factor is {number(1 / times)}"


def _bent(freqs: Tensor, expected: Tensor, d_head: int, tolerance: float) -> tuple[Fault, str]:
    """Each frequency by another number."""
    fit, wanted = geometric_fit(freqs, tolerance), geometric_fit(expected, tolerance)
    if wanted is None:
        return against_scaled(freqs, expected, tolerance)
    if (several := len(freqs.log().div(tolerance).round().unique())) <= len(freqs) // 2:
        return FREQUENCIES_EQUAL, f"{len(freqs)} pairs have {several} frequencies"
    if fit is not None:
        return name_exponent(fit[1], wanted[1], 2 * len(freqs), d_head)
    if words := upside_down(freqs, expected, tolerance):
        return SCALING_UPSIDE_DOWN, words
    if named := name_scaling(freqs, expected, tolerance):
        return NAMED[named.kind], named.words
    return SCALED_PER_PAIR, f"divided by {', '.join(f'{1 / r:.3g}' for r in (freqs / expected)[:3].tolist())}, …"
