"""The frequencies and their sense: are they the expected ones, in radians? Where not, what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi

import torch
from torch import Tensor

from posenc_checks.calling.expected import SENSES
from posenc_checks.reading.case import Case
from posenc_checks.reading.frequencies import close, describe, geometric_fit, number
from posenc_checks.reading.probe import wrap
from posenc_checks.report.found import Fact, Fault, Finding, Unknown
from posenc_checks.rules.driver import rule
from posenc_checks.rules.ramps import SCALING_INVERSE
from posenc_checks.rules.scaling import EXPONENT_FROM_MINUS_1, difference, of_no_rule
from posenc_lib.pairs import geometric_freqs

# fmt: off
SENSE = Fault(
    "sense", "the rotation has the opposite sense", "the sign of the sine, or of rotate_half", claim="rotary.layouts"
)
ANGLES_UNIT = Fault("angles-unit", "angles are not in radians", "degrees, and factors of 2π")
PAIRS_STILL = Fault(
    "pairs-still", "some pairs are not rotated, though the whole head should be",
    "where a loop over pairs ends, and sections whose positions are 0", page="rotary/in-practice"
)
# fmt: on


@rule(needs=["falls_from_pair_to_pair"])
def turns_in_radians(case: Case) -> Iterator[Finding]:
    freqs, wanted = case.freqs[0], case.wanted
    if not case.rotation.own_angles or wanted is None or len(wanted) != len(freqs):
        return
    if unit := _other_unit(freqs, wanted):
        yield Finding(ANGLES_UNIT, unit, f"position 1: {freqs[0]:+.4g} rad for {wanted[0]:+.4g}")
    elif times := _beyond_half_a_turn(freqs, wanted):
        words = f"each is {number(times)} times the expected one, and the fastest are beyond half a turn a token"
        fault = EXPONENT_FROM_MINUS_1 if abs(times * wanted[1] / wanted[0] - 1) < 1e-3 else SCALING_INVERSE
        yield Finding(fault, words, f"position 1: {freqs[0]:+.4g} rad for {wanted[0]:+.4g}")


def _other_unit(freqs: Tensor, wanted: Tensor) -> str:
    """Angles in another unit than radians; what is beyond half a turn comes back from the other side."""
    for unit, times in (("degrees", 180 / pi), ("turns", 2 * pi)):
        for factor in (times, 1 / times):
            if wrap(factor * wanted - freqs).abs().max() < 1e-3:
                return f"each angle is multiplied by {factor:.4g}: {unit} and radians are mixed"
    return ""


def _beyond_half_a_turn(freqs: Tensor, wanted: Tensor) -> float | None:
    """By what all frequencies are multiplied, so that the fastest look like slow ones; the slowest one tells."""
    times = (freqs[-1] / wanted[-1]).abs().item()
    turned = wrap(times * wanted * freqs[-1].sign() - freqs)
    return times if times * wanted.max() > pi and turned.abs().max() < 1e-3 else None


@rule(needs=["turns_in_radians"])
def turns_in_the_sense(case: Case) -> Iterator[Fact | Finding]:
    if case.out_of_proportion:
        return
    freqs, wanted = case.freqs[0], case.expected.sense
    turning = {*freqs.sign().int().tolist()}
    sense = SENSES[turning == {-1}] if len(turning) == 1 else "of both kinds"
    yield Fact("sense", sense)
    if wanted is not None and wanted != sense:
        yield Finding(SENSE, f"the first pair turns by {freqs[0]:+.4g} rad", "position 1")


@rule(needs=["turns_in_radians"])
def has_the_frequencies(case: Case) -> Iterator[Fact | Finding | Unknown]:
    """Where the angles are not ours, and grow in proportion: else there are none."""
    if not case.rotation.own_angles or case.out_of_proportion:
        return
    sizes, wanted, d = case.freqs[0].abs(), case.wanted, case.rotation.d
    tolerance = 1e-2 if case.rounded else 3e-4
    yield Fact("frequencies", describe(sizes, len(case.turns[0].rotated), d, tolerance))
    if wanted is not None and len(wanted) != len(sizes):
        yield Unknown(f"{len(wanted)} frequencies are expected, but {len(sizes)} pairs turn")
    elif still := _standing_still(case, sizes, tolerance):
        yield Finding(PAIRS_STILL, still, "position 1, the last pairs")
    elif wanted is not None and (found := difference(sizes, wanted, d, tolerance)):
        pair = int(((sizes / wanted).log().abs() > tolerance).nonzero()[0])
        yield Finding(*found, f"position 1, pair {pair}: {sizes[pair]:.6g} rad for {wanted[pair]:.6g}")
    elif wanted is None and not _geometric(sizes, tolerance):
        yield _any_scaling(sizes, tolerance)


def _geometric(sizes: Tensor, tolerance: float) -> bool:
    """In whichever order the pairs come, and however often, as on several axes."""
    falling = sizes.sort(descending=True).values
    steps = falling[:-1] / falling[1:] > 1 + tolerance
    each = torch.cat((falling[:1], falling[1:][steps]))
    return len(each) < 3 or geometric_fit(each, tolerance) is not None


def _any_scaling(sizes: Tensor, tolerance: float) -> Finding | Unknown:
    """Frequencies that are scaled pair by pair, where nobody says how they should be."""
    if found := of_no_rule(sizes, tolerance):
        return Finding(*found, f"position 1, pair 0: {sizes[0]:.6g} rad")
    return Unknown(
        "the frequencies are not geometric: say which scaling you meant, by the model's configuration (--config "
        "config.json) or by freqs"
    )


def _standing_still(case: Case, sizes: Tensor, tolerance: float) -> str:
    """Frequencies of a whole head, and fewer pairs, where nobody says that a part is rotated."""
    expected, pairs = case.expected, case.rotation.d // 2
    if (
        expected.d_rotated is not None
        or expected.base is None
        or expected.freqs is not None
        or len(sizes) in (1, pairs)
    ):
        return ""
    whole = geometric_freqs(2 * pairs, expected.base)[: len(sizes)]
    return f"{len(sizes)} of {pairs} pairs turn, with the first frequencies of {pairs}" * close(sizes, whole, tolerance)
