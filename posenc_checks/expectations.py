"""What is wrong only because the reader expects something else. What nobody expects is a fact, and no fault."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

import torch
from torch import Tensor

from posenc_checks import frequencies
from posenc_checks.probe import Turn, wrap
from posenc_checks.report import Report
from posenc_lib.inputs import require_base, require_one_of, require_positive, require_whole
from posenc_lib.pairs import Layout, geometric_freqs, require_layout
from posenc_lib.rotary.rotary import require_freqs

STEPS = [sign * s for s in range(1, 513) for sign in (1, -1)]
SENSES = ("counterclockwise", "clockwise")


@dataclass(frozen=True)
class Told:
    """What the reader expects; None: whatever it is, the report says what it is."""

    layout: Layout | None = None
    sense: str | None = None
    base: float | None = None
    freqs: Tensor | None = None
    d_rotated: int | None = None
    first: int | None = None
    factor: float | None = None

    def __post_init__(self) -> None:
        if self.layout is not None:
            require_layout(self.layout)
        if self.sense is not None:
            require_one_of("sense", self.sense, SENSES)
        if self.base is not None:
            require_base(self.base)
        if self.freqs is not None:
            require_freqs(self.freqs)
        if self.factor is not None:
            require_positive(factor=self.factor)
        require_whole(
            **{name: n for name, n in (("d_rotated", self.d_rotated), ("first", self.first)) if n is not None}
        )

    def wanted(self, pairs: int) -> Tensor | None:
        """The expected frequencies of so many pairs."""
        if self.freqs is not None:
            return self.freqs.double()
        return None if self.base is None or not pairs else geometric_freqs(2 * pairs, self.base)


def layout_of(pairs: list[tuple[int, int]]) -> Layout | None:
    """The layout of the rotated features among themselves; a single pair has none."""
    r = sorted(i for pair in pairs for i in pair)
    half = len(r) // 2
    if pairs == list(zip(r[:half], r[half:], strict=True)):
        return "half" if half > 1 else None
    return "interleaved" if pairs == list(zip(r[::2], r[1::2], strict=True)) else None


def check_layout(turn: Turn, d: int, told: Told, report: Report) -> None:
    layout, r = layout_of(turn.pairs), turn.rotated
    count = told.d_rotated
    if count is not None and len(r) != count:
        report.find("partial-count", f"{len(r)} features are rotated, not {count}", f"features {span(r)}")
    elif count is not None and r == list(range(d - count, d)) and count < d:
        report.find("partial-end", f"features {span(r)} are rotated", f"feature {r[0]}")
    elif count is not None and r != list(range(count)):
        report.find("partial-spread", f"features {span(r)} are rotated", f"features {turn.pairs[0]}")
    if told.layout is not None and layout not in (told.layout, None):
        i, j = turn.pairs[0]
        report.find("layout", f"feature {i} is paired with {j}", "position 1, the first pair")
    elif told.layout is not None and layout is None and len(r) > 2:
        report.find("pairing", f"the pairs are {turn.pairs[:3]}, …", "position 1")


def check_start(turn: Turn, freqs: Tensor, told: Told, report: Report) -> None:
    """M at position 0: the identity, or another matrix that scores do not see."""
    start, eye = turn.start, torch.eye(len(turn.start), dtype=torch.float64)
    report.facts["position 0"] = "left as it is"
    if (start - eye).abs().max() < 1e-4:
        return
    fault, said = name_start(start, turn, freqs)
    report.facts["position 0"] = said
    if told.first is not None:
        report.find(fault, f"features change by {(start - eye).abs().max():.3g}: {said}", f"position {told.first}")
    else:
        report.acquitted.append(
            f"position 0 is not left as it is ({said}), but scores are: M_m^T M_n = T_m^T T_n for M_n = C T_n, since "
            "C, the matrix of position 0, keeps lengths. Outputs and cached keys of another program do not fit"
        )


def name_start(start: Tensor, turn: Turn, freqs: Tensor) -> tuple[str, str]:
    first, second = (torch.tensor(each) for each in zip(*turn.pairs, strict=True))
    a, b, c, d = start[first, first], start[first, second], start[second, first], start[second, second]
    angle = torch.atan2(c - b, a + d)
    rotates = ((a - d).abs() < 1e-4) & ((b + c).abs() < 1e-4)
    if rotates.all():
        steps = [s for s in STEPS if wrap(angle - s * freqs).abs().max() < 1e-3]
        if steps:
            return "positions-from-1", f"rotated as position {steps[0]}"
        if (angle.abs() - pi / 2).abs().max() < 1e-3:
            return "cos-sin-swapped", "rotated by a quarter turn"
        return "not-still-at-0", f"rotated by {angle[0]:.4g} rad"
    mirrors = ((a + d).abs() < 1e-4) & ((b - c).abs() < 1e-4)
    if mirrors.all():
        return "mirrored", "pairs are mirrored: the second features change their sign"
    if set(start.unique().tolist()) <= {0.0, 1.0}:
        return "not-still-at-0", "features come out in another order"
    return "not-still-at-0", "a fixed map that keeps lengths"


def check_frequencies(freqs: Tensor, d_rotated: int, d: int, told: Told, tolerance: float, report: Report) -> None:
    wanted = told.wanted(len(freqs))
    if wanted is not None and len(wanted) == len(freqs) and _other_unit(freqs, wanted, report):
        return
    check_sense(freqs, told, report)
    sizes = freqs.abs()
    report.facts["frequencies"] = frequencies.says(sizes, d_rotated, d, tolerance)
    if wanted is None:
        return
    if len(wanted) != len(sizes):
        report.unknown.append(f"{len(wanted)} frequencies are expected and {len(sizes)} pairs turn")
        return
    for fault, evidence in frequencies.differences(sizes, wanted, told.base, d, tolerance):
        pair = int(((sizes / wanted).log().abs() > tolerance).nonzero()[0])
        report.find(fault, evidence, f"position 1, pair {pair}: {sizes[pair]:.6g} rad for {wanted[pair]:.6g}")


def check_sense(freqs: Tensor, told: Told, report: Report) -> None:
    turning = {*freqs.sign().int().tolist()}
    sense = SENSES[turning == {-1}] if len(turning) == 1 else "of both kinds"
    report.facts["sense"] = sense
    if told.sense is not None and told.sense != sense:
        report.find("sense", f"the first pair turns by {freqs[0]:+.4g} rad", "position 1")


def _other_unit(freqs: Tensor, wanted: Tensor, report: Report) -> bool:
    """Angles in another unit than radians; what is beyond half a turn comes back from the other side."""
    for unit, times in (("degrees", 180 / pi), ("turns", 2 * pi)):
        for factor in (times, 1 / times):
            if wrap(factor * wanted - freqs).abs().max() < 1e-3:
                said = f"each angle is multiplied by {factor:.4g}: {unit} and radians are mixed"
                report.find("angles-unit", said, f"position 1: {freqs[0]:+.4g} rad for {wanted[0]:+.4g}")
                return True
    return False


def check_factor(q: float, k: float, told: Told, report: Report) -> None:
    """The factor on queries and on keys."""
    if abs(q / k - 1) > 2e-3:
        report.find("amplitudes-differ", f"queries are multiplied by {q:.4g}, keys by {k:.4g}", "position 0")
        return
    if abs(q - 1) > 2e-3:
        report.facts["factor"] = f"rotated features are multiplied by {q:.4g}, so their scores by {q * q:.4g}"
    want = told.factor
    if want is None or abs(q / want - 1) < 2e-3:
        return
    fault = "factor-missing" if abs(q - 1) < 2e-3 else "factor-squared" if abs(q / want**2 - 1) < 2e-3 else "factor"
    report.find(fault, f"features are multiplied by {q:.4g}, not by {want:.4g}", "position 0")


def span(features: list[int]) -> str:
    return (
        f"{features[0]}–{features[-1]}" if features == list(range(features[0], features[-1] + 1)) else str(features[:6])
    )
