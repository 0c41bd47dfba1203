"""The angles of a rotation at near and far positions: frequencies, precision, and what q and k must have in common."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from posenc_checks.call import Rotation
from posenc_checks.expectations import (
    Told,
    check_factor,
    check_frequencies,
    check_layout,
    check_sense,
    check_start,
    layout_of,
)
from posenc_checks.precision import explain, in_half
from posenc_checks.probe import Turn, amplitude_of, angle_of, follow, read_blocks, take_apart, wrap
from posenc_checks.report import Property, Report, off_by
from posenc_lib.rotary import rotate

FAR = [*range(17), 31, 32, 33, 63, 64, 65, 127, 128, 129, *range(255, 261), *range(511, 515), 767, 1000, 1023, 1024]
FAR += [1025, 1026, 1500, 1777, *range(2047, 2053), 3000, 3333, 4093, 4094, 4095, 4096, 4097, 4098, 4099]
EXACT, ROUNDED = 2e-3, 0.03
"""How far an angle may be off, in radians: with a table in float32, and in half precision."""


def check_angles(rotation: Rotation, q: Turn, k: Turn, counted: bool, told: Told, report: Report) -> None:
    if q.pairs != k.pairs:
        said = f"{len(q.rotated)} features of the queries are rotated, and {len(k.rotated)} of the keys"
        if len(q.rotated) == len(k.rotated):
            said = f"queries have the pairs {(q.pairs or [])[:2]}, …, and keys {(k.pairs or [])[:2]}, …"
        report.find("pairings-differ", said, "position 1")
        return
    far, blocks = read_far(rotation, q, k, counted)
    untouched = bool((q.start - torch.eye(rotation.d)).abs().max() < 1e-6)
    half = in_half(torch.stack(blocks).flatten()) if untouched else None
    freqs, k_freqs = (follow(far, angle_of(each), 4_096 if half else 256) for each in blocks)
    _say_layout(q, rotation.d, report)
    check_layout(q, rotation.d, told, report)
    moved = wrap(angle_of(blocks[0])[1] - q.angles[1]).abs().max()
    if moved > 1e-3:
        said = f"position 1 is rotated by {moved:.3g} rad more or less in a call that goes to {int(far[-1])}"
        report.find("length-switch", said, f"positions 0, 1, and {int(far[-1])}")
    if not _agree(q, k, freqs, k_freqs, report):
        return
    steady = _steady(far, blocks, report)
    if "not-a-rotation" in report.faults:
        return
    if rotation.own_angles:
        _check_precision(rotation, q, far, blocks[0], freqs, half, counted, told, report)
        rounded = half is not None or {"angles-half", "positions-half", "freqs-half"} & {*report.faults}
        check_frequencies(freqs, len(q.rotated), rotation.d, told, 1e-2 if rounded else 3e-4, report)
    else:  # the angles are ours
        check_sense(freqs, told, report)
    if steady:
        check_factor(_factor(q), _factor(k), told, report)
    check_start(_without_factor(q), freqs, told, report)
    _acquit(q, freqs, ROUNDED if half else EXACT, report)


def read_far(rotation: Rotation, q: Turn, k: Turn, counted: bool) -> tuple[Tensor, list[Tensor]]:
    """Blocks of q and of k, at positions as far as the function goes."""
    for last in (4_100, 2_100, 1_030, 520, 260, 130, 66, 34, 17):
        far = torch.tensor([p for p in FAR if p < last])
        with suppress(Exception):  # a table that is shorter
            return far, read_at(rotation, (q, k), far, counted)
    far = torch.arange(5)
    return far, read_at(rotation, (q, k), far, counted)


def read_at(rotation: Rotation, turns: tuple[Turn, ...], far: Tensor, counted: bool) -> list[Tensor]:
    """Where rows are counted, all rows up to the last are read, and these kept."""
    at = torch.arange(int(far[-1]) + 1) if counted else far
    read = [read_blocks(rotation, at, turn.pairs or [], turn.start) for turn in turns]
    kept = [outs[min(i, len(outs) - 1)] for i, outs in enumerate(read)]
    return [each[far] if counted else each for each in kept]


def _say_layout(q: Turn, d: int, report: Report) -> None:
    report.facts["layout"] = layout_of(q.pairs or []) or f"pairs {(q.pairs or [])[:3]}, …"
    if len(q.rotated) < d:
        report.facts["rotated"] = f"{len(q.rotated)} of {d} features"


def _agree(q: Turn, k: Turn, freqs: Tensor, k_freqs: Tensor, report: Report) -> bool:
    """Queries and keys must turn alike, and begin alike."""
    if (freqs + k_freqs).abs().max() < 1e-3 * freqs.abs().max():
        report.find("senses-differ", f"pair 0 turns by {freqs[0]:+.4g} and {k_freqs[0]:+.4g} rad", "m = n = 1")
        return False
    off = (freqs / k_freqs - 1).abs()
    if off.max() > 1e-2:
        pair = int(off.argmax())
        report.find("frequencies-differ", f"{freqs[pair]:.4g} and {k_freqs[pair]:.4g}", f"position 1, pair {pair}")
        return False
    starts = [_without_factor(turn).start for turn in (q, k)]
    if (starts[0] - starts[1]).abs().max() > 1e-3:
        between = take_apart(torch.stack((torch.eye(len(starts[0]), dtype=torch.float64), starts[0].T @ starts[1])))
        steps = between.angles[1, 0].item() / freqs[0].item() if between.pairs else float("nan")
        report.find("keys-shifted", f"keys are {steps:+.4g} positions further on than queries", "m = n = 0")
    return True


def _without_factor(turn: Turn) -> Turn:
    return replace(turn, start=turn.start / (turn.start.T @ turn.start).diagonal().sqrt())


def _factor(turn: Turn) -> float:
    return (turn.start.T @ turn.start).diagonal().sqrt()[turn.rotated].mean().item()


def _check_precision(
    rotation: Rotation,
    q: Turn,
    far: Tensor,
    blocks: Tensor,
    freqs: Tensor,
    half: str | None,
    counted: bool,
    told: Told,
    report: Report,
) -> None:
    wanted = told.wanted(len(freqs))
    found = explain(far, angle_of(blocks), freqs, wanted, ROUNDED if half else EXACT)
    if found:
        report.find(found.fault, found.evidence, found.smallest)
        return
    if half:
        report.find("cos-sin-half", f"all of them are numbers of {half}", "float32 features, position 1")
        return
    says = f"angles grow in proportion up to position {int(far[-1])}"
    report.properties.append(Property("in-practice.angle-error", says, True, f"off by less than {EXACT} rad"))
    with suppress(Exception):  # a function that takes float32 only
        low = read_at(replace(rotation, function=in_bfloat16(rotation.function)), (q,), far, counted)[0]
        found = explain(far, angle_of(low), freqs, wanted, ROUNDED)
        if found and found.fault != "freqs-half":
            report.find(found.fault, found.evidence + ", for features in bfloat16", found.smallest)


def in_bfloat16(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a model in bfloat16 calls it: features, and tables if it takes any, are cast."""

    def cast(*args: Any, **named: Any) -> Any:
        halves = [a.bfloat16() if isinstance(a, Tensor) and a.is_floating_point() else a for a in args]
        out = function(*halves, **named)
        return [each.float() for each in (out if isinstance(out, (tuple, list)) else [out])]

    return cast


def _steady(far: Tensor, blocks: list[Tensor], report: Report) -> bool:
    """Whether lengths are the same at all positions."""
    q, k = (amplitude_of(each) for each in blocks)
    if (q - 1).abs().max() < 0.02:
        return True
    if (q * k - 1).abs().max() < 0.02:
        report.acquitted.append(
            "lengths change with the position, but scores do not see it: those of q and of k do so inversely, as in "
            "xPos [xpos.relative]"
        )
    else:
        off = 100 * (q - 1).abs().max()
        report.find("not-a-rotation", f"lengths change by up to {off:.2g} %", f"position {int(far[-1])}")
    return False


def _acquit(q: Turn, freqs: Tensor, tolerance: float, report: Report) -> None:
    """Says what carries this rotation into the book's, neighbours as pairs and counterclockwise; and tries it."""
    if report.faults or not q.pairs:
        return
    order = freqs.abs().argsort(descending=True, stable=True)
    permutation = [i for pair in order.tolist() for i in q.pairs[pair]]
    signs = torch.ones(len(permutation), dtype=torch.float64)
    signs[1::2] = freqs[order].sign()
    theirs = signs[:, None] * q.turns[1][permutation][:, permutation] * signs
    ours = rotate(torch.eye(len(permutation), dtype=torch.float64)[:, None], freqs[order].abs()[None])[:, 0].T
    off = (theirs - ours).abs().max().item()
    moved = permutation != list(range(len(permutation)))
    moves = [f"x[..., [{', '.join(map(str, permutation[:6]))}, …]]"] if moved else []
    moves += ["a change of sign of each pair's second feature"] if (signs < 0).any() else []
    if moves and off < tolerance:
        says = f"{' and '.join(moves)} carries it into the interleaved, counterclockwise rotation, {off_by(off)}"
        report.acquitted.append(f"{says}; done to q and k alike, it changes no score [rotary.layouts]")
