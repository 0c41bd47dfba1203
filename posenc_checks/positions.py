"""Does each row get the angle of its own position: given out of order, per sample, by an offset, below 0?"""

from __future__ import annotations

from contextlib import suppress

import torch
from torch import Tensor

from posenc_checks.call import Rotation, with_positions
from posenc_checks.probe import read_matrices
from posenc_checks.report import Report

ROWS = 24
SHUFFLED = torch.tensor([3, 0, 7, 1, 5, 11])
TOLERANCE = 1e-3


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool((a - b).abs().max() < TOLERANCE)


def check_positions(rotation: Rotation, report: Report) -> None:
    rows = read_matrices(rotation, torch.arange(ROWS))[0]
    if same(rows, rows[:1].expand_as(rows)):
        return
    if not rotation.takes_positions and not _same_in_short(rotation, rows, report):
        return
    if rotation.takes_positions and rotation.own_angles and _order(rotation, rows, report):
        _samples(rotation, report)
        _alone(rotation, report)
    if "offset" in rotation.convention.roles:
        _offset(rotation, rows, report)


def _same_in_short(rotation: Rotation, rows: Tensor, report: Report) -> bool:
    """Where rows are counted, those of a shorter text are the same."""
    short = read_matrices(rotation, torch.arange(6))[0]
    if same(_unit(short), _unit(rows[:6])):
        return True
    fits = [p for p in range(ROWS) if same(_unit(short[0]), _unit(rows[p]))]
    said = f"token 0 of 6 is rotated as token {fits[0]} of {ROWS}" if fits else "the angles of token 0 differ"
    report.find("length-dependent", said, f"6 tokens, and {ROWS}")
    return False


def _order(rotation: Rotation, rows: Tensor, report: Report) -> bool:
    """Positions that do not count 0, 1, 2, …, as where several texts are packed."""
    got = read_matrices(rotation, SHUFFLED)[0]
    n = len(SHUFFLED)
    if same(got, rows[SHUFFLED]):
        return True
    if same(_unit(got), _unit(rows[SHUFFLED])):
        report.facts["amplitude"] = "depends on the other positions of the call"
        return True
    shown = f"positions {SHUFFLED.tolist()}"
    if same(got, rows[:n]):
        report.find("positions-unused", "row 1 is at position 0, and is rotated as position 1", shown)
    elif same(got, rows[SHUFFLED[0] + torch.arange(n)]):
        report.find("positions-first-only", f"rows get the angles of {SHUFFLED[0]}, {SHUFFLED[0] + 1}, …", shown)
    else:
        off = (got - rows[SHUFFLED]).abs().max()
        report.find(
            "angles-wrong", f"the angles of a position depend on the others: features are off by {off:.2g}", shown
        )
    return False


def _unit(matrices: Tensor) -> Tensor:
    return matrices / matrices.norm(dim=-2, keepdim=True)


def _samples(rotation: Rotation, report: Report) -> None:
    """Two samples with positions of their own."""
    x = torch.randn(2, 3, 4, rotation.d, generator=torch.Generator().manual_seed(1))
    own = torch.tensor([[0, 1, 2, 3], [8, 6, 7, 2]])
    single = [rotation(x[i : i + 1], own[i])[0] for i in range(2)]
    first = rotation(x[1:], own[0])[0]
    ignored = False
    for shape in ("bn", "b1n", "n"):
        with suppress(Exception):  # a shape that the function does not take
            out = with_positions(rotation, shape)(x, own)[0]
            if same(out, torch.cat(single)):
                report.facts["positions"] = "each sample may have its own"
                return
            ignored |= same(out[1:], first)
    if ignored:
        off = (first - single[1]).abs().max()
        report.find("positions-of-first-sample", f"features are off by {off:.2g}", f"positions {own.tolist()}")
    else:
        report.facts["positions"] = "one row for all samples"


def _alone(rotation: Rotation, report: Report) -> None:
    """One token, as in decoding, and the same token among others."""
    x = torch.randn(2, 3, 6, rotation.d, generator=torch.Generator().manual_seed(2))
    among = rotation(x, torch.arange(6))[0][:, :, 5:]
    off = (rotation(x[:, :, 5:], torch.tensor([5]))[0] - among).abs().amax((0, 2, 3))
    if off.max() > TOLERANCE:
        report.find(
            "single-token", f"features of head {int(off.argmax())} are off by {off.max():.2g}", "1 token, position 5"
        )


def check_negative(rotation: Rotation, report: Report) -> None:
    rows = read_matrices(rotation, torch.arange(2))[0]
    positions = torch.tensor([-2, -1, 0])
    try:
        got = read_matrices(rotation, positions)[0]
    except Exception:
        report.facts["negative positions"] = "refused"
        return
    start = torch.linalg.pinv(rows[0])
    turn = start @ rows[1]
    off = (start @ got[1] - torch.linalg.pinv(turn)).abs().max()
    if off > 0.02:
        report.find("negative-positions", f"the matrix of -1 is off by {off:.2g}", "position -1")


def _offset(rotation: Rotation, rows: Tensor, report: Report) -> None:
    offset, n = 7, 4
    read_matrices(rotation, torch.arange(n))  # what a call without an offset leaves behind must not matter
    got = read_matrices(rotation, torch.arange(n), offset)[0]
    if same(got, rows[offset : offset + n]):
        _negative_offset(rotation, rows, report)
        return
    shown = f"{n} tokens, offset {offset}"
    if same(got, rows[:n]):
        report.find("offset-ignored", f"token 0 is rotated as position 0, not as {offset}", shown)
    elif same(got, rows[2 * offset : 2 * offset + n]):
        report.find("offset-twice", f"token 0 is rotated as position {2 * offset}, not as {offset}", shown)
    else:
        fits = [p for p in range(ROWS) if same(got[0], rows[p])]
        said = f"as position {fits[0]}" if fits else "as no position is"
        report.find("offset-wrong", f"token 0 is rotated {said}, not as {offset}", shown)


def _negative_offset(rotation: Rotation, rows: Tensor, report: Report) -> None:
    """An offset of -2, as for two tokens of padding on the left: the third token is at position 0."""
    try:
        got = read_matrices(rotation, torch.arange(4), -2)[0]
    except Exception:
        report.facts["negative offsets"] = "refused"
        return
    back = torch.linalg.pinv(torch.linalg.pinv(rows[0]) @ rows[1])
    if not same(got[2:], rows[:2]) or (torch.linalg.pinv(rows[0]) @ got[1] - back).abs().max() > 0.02:
        off = (got[2:] - rows[:2]).abs().max()
        report.find("negative-positions", f"the matrix of token 2 is off by {off:.2g}", "4 tokens, offset -2")
