"""Do queries and keys turn alike, from the same start, and keep their lengths, also far out?"""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, pi

import torch
from torch import Tensor

from posenc_checks.reading.case import STEADY, Case
from posenc_checks.reading.near_and_far import SAME
from posenc_checks.reading.probe import Turn, amplitude_of, take_apart
from posenc_checks.reading.words import name_start
from posenc_checks.report.found import Equivalent, Fault, Finding
from posenc_checks.rules.blocks import NOT_A_ROTATION, name_ellipse
from posenc_checks.rules.driver import rule
from posenc_checks.rules.scaling import ROTATED_TWICE
from posenc_checks.rules.start import COS_SIN_SWAPPED

# fmt: off
LENGTH_SWITCH = Fault(
    "length-switch", "the frequencies change with the longest position of a call",
    "dynamic NTK or LongRoPE: keys that were cached before the switch do not fit after it", page="extension/longrope",
    claim="ntk.stale-keys", level="trap"
)
SENSES_DIFFER = Fault(
    "senses-differ", "queries and keys turn in opposite senses, so scores see m + n",
    "the sign of the sine for the keys", claim="rotary.relative-position"
)
FREQUENCIES_DIFFER = Fault(
    "frequencies-differ", "queries and keys have different frequencies", "which table each of the two gets",
    claim="rotary.relative-position"
)
KEYS_SHIFTED = Fault(
    "keys-shifted", "queries and keys are numbered from different positions",
    "where the positions of the keys are made", claim="rotary.relative-position"
)
STARTS_DIFFER = Fault(
    "starts-differ", "features of queries and of keys come out in different orders, or with other signs",
    "the order in which the parts are concatenated or stacked, for each of the two", claim="rotary.layouts"
)
# fmt: on


@rule(needs=["pairs_keys_as_queries"])
def keeps_its_frequencies(case: Case) -> Iterator[Finding]:
    far, blocks = case.longest
    last, moved = int(far[-1]), case.moved(blocks)
    if moved > SAME:
        words = f"position 1 is rotated by {moved:.3g} rad more or less in a call that goes to {last}"
        yield Finding(LENGTH_SWITCH, words, f"positions 0, 1, and {last}")


@rule(needs=["pairs_keys_as_queries"])
def agrees_in_cosine_and_sine(case: Case) -> Iterator[Finding]:
    """Before an angle is made of the two."""
    for turn, far in zip(case.turns, case.blocks, strict=True):
        if (amplitude_of(far) - 1).abs().max() >= STEADY and (found := name_ellipse(turn.blocks[:9], far, case.far)):
            yield found
            return


@rule(needs=["agrees_in_cosine_and_sine"])
def turns_keys_as_queries(case: Case) -> Iterator[Finding]:
    q, k = case.freqs
    if (q + k).abs().max() < 1e-3 * q.abs().max():  # arbitrary: what is not opposite differs, and gets that name
        if swapped := [name for name, turn in zip(("queries", "keys"), case.turns, strict=True) if _quarter(turn, q)]:
            yield Finding(COS_SIN_SWAPPED, f"of the {swapped[0]}, by {pi / 2:.4g} rad", "position 0")
            return
        yield Finding(SENSES_DIFFER, f"pair 0 turns by {q[0]:+.4g} and {k[0]:+.4g} rad", "m = n = 1")
        return
    for name, times in (("queries", q / k), ("keys", k / q)):
        if (times - 2).abs().max() < 1e-3:
            yield Finding(ROTATED_TWICE, f"the {name}: {2 * min(q[0].abs(), k[0].abs()):.4g} rad", "position 1, pair 0")
            return
    off = (q / k - 1).abs()
    if off.max() > (1e-2 if case.rounded else 3e-4):
        pair = int(off.argmax())
        yield Finding(FREQUENCIES_DIFFER, f"{q[pair]:.4g} and {k[pair]:.4g}", f"position 1, pair {pair}")


@rule(needs=["turns_keys_as_queries"])
def counts_keys_as_queries(case: Case) -> Iterator[Finding]:
    q, k = (turn.unit_start for turn in case.turns)
    if (q - k).abs().max() > 1e-3:
        angle = _angle_between(q, k)
        steps = angle / case.freqs[0][0].item()
        if isnan(angle):
            feature = int((q - k).abs().amax(0).argmax())
            places = [int(each[:, feature].abs().argmax()) for each in (q, k)]
            words = f"feature {feature} goes to place {places[0]} of the queries, and {places[1]} of the keys"
            yield Finding(STARTS_DIFFER, words, "m = n = 0")
        else:
            yield Finding(KEYS_SHIFTED, f"keys are {steps:+.4g} positions ahead of queries", "m = n = 0")


def _quarter(turn: Turn, freqs: Tensor) -> bool:
    return name_start(turn.unit_start, turn, freqs)[0] == "quarter"


def _angle_between(q: Tensor, k: Tensor) -> float:
    """Of the first pair, from one start to the other; NaN where no rotation leads from one to the other."""
    between: Turn = take_apart(torch.stack((torch.eye(len(q), dtype=torch.float64), q.T @ k)))
    rotation = bool(between.pairs) and between.defect.max() < 1e-2
    return between.angles[1, 0].item() if rotation else float("nan")


@rule(needs=["turns_keys_as_queries"])
def keeps_lengths(case: Case) -> Iterator[Finding | Equivalent]:
    if case.steady:
        return
    q, k = (amplitude_of(each) for each in case.blocks)
    if (q * k - 1).abs().max() < STEADY:
        yield Equivalent(
            "lengths change with the position, but scores do not see it: the lengths of q and of k change "
            "inversely, as in xPos [xpos.relative]"
        )
    else:
        off = 100 * max((each - 1).abs().max() for each in (q, k))
        yield Finding(NOT_A_ROTATION, f"lengths change by up to {off:.2g} %", f"position {int(case.far[-1])}")
