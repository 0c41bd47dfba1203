"""Two rotations that should be one: where they first part, and in which order to look for the reason.

Either two functions, or what went in and came out of each when it was recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from posenc_lib.checks import frequencies
from posenc_lib.checks.expectations import layout_of
from posenc_lib.checks.find import find_rotation
from posenc_lib.checks.names import CallError
from posenc_lib.checks.probe import Turn, angle_of, follow, read_blocks, read_matrices, take_apart, wrap
from posenc_lib.checks.report import Report
from posenc_lib.checks.rotary import turns_alike
from posenc_lib.inputs import require_floating
from posenc_lib.pairs import split_pairs

ORDER = ("features", "layout", "sense", "base", "part", "offset", "factor")
"""In which order to look: each of them can make the next ones look wrong."""
POSITIONS = 64


def compare(a: Callable[..., Any], b: Callable[..., Any], *, told: dict[str, Any] | None = None) -> Report:
    """What the second function does otherwise than the first, in the order in which to look.

    `told` holds `call`, `axes`, `d` and `table` of both, or pairs of them, as `check_rotary` takes them.

    >>> def rope(x, positions, sign=1):
    ...     angles = sign * positions[:, None] * 10_000 ** (-torch.arange(0, 64, 2) / 64)
    ...     z = torch.view_as_complex(x.unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angles), angles)
    ...     return torch.view_as_real(z).flatten(-2)
    >>> compare(rope, lambda x, positions: rope(x, positions, -1)).facts["look at"]
    'sense'
    """
    report = Report(f"{_name(a)} and {_name(b)}", "port")
    rotations = []
    for i, function in enumerate((a, b)):
        own = {key: value[i] if isinstance(value, (tuple, list)) else value for key, value in (told or {}).items()}
        try:
            rotations.append(find_rotation(function, turns_alike, **own))
        except CallError as error:
            report.unknown.append(f"{_name(function)}: {error}")
            return report
    with torch.no_grad():
        read = [read_matrices(rotation, torch.arange(POSITIONS))[0] for rotation in rotations]
        kinds = [_facts(rotation, matrices) for rotation, matrices in zip(rotations, read, strict=True)]
    _say(*kinds, report)
    if kinds[0]["features"] == kinds[1]["features"]:
        _first_parting(*read, report)
    return report


def compare_recorded(a: tuple[Tensor, Tensor], b: tuple[Tensor, Tensor]) -> Report:
    """The same of recorded features: what went into each rotation, and what came out, [..., n, d] from position 0 on.

    Each layout is tried: with the right one, all vectors of one position turn by the same angle.
    """
    report = Report("two recordings", "port")
    kinds = []
    for before, after in (a, b):
        require_floating(axes=2, before=before, after=after)
        facts = _of_recording(before.double(), after.double())
        if facts is None:
            report.unknown.append("one recording fits neither layout: partial, not from position 0 on, or no rotation")
            return report
        kinds.append(facts)
    _say(*kinds, report)
    return report


def _facts(rotation: Any, matrices: Tensor) -> dict[str, Any]:
    turn = take_apart(matrices)
    if not turn.pairs:
        return {"features": rotation.d, "layout": "no pairs"}
    far = torch.tensor([0, 1, 2, 4, 8, 16, 32, POSITIONS - 1])
    at = torch.arange(POSITIONS)
    freqs = follow(far, angle_of(read_blocks(rotation, at, turn.pairs, turn.start)[0])[far], 32)
    return {"features": rotation.d, **_described(turn, freqs)}


def _described(turn: Turn, freqs: Tensor) -> dict[str, Any]:
    size = (turn.start.T @ turn.start).diagonal().sqrt()
    still = torch.allclose(turn.start / size, torch.eye(len(size), dtype=torch.float64), atol=1e-4)
    d = len(turn.rotated)
    return {
        "layout": layout_of(turn) or f"pairs {(turn.pairs or [])[:2]}, …",
        "sense": "counterclockwise" if freqs.sum() > 0 else "clockwise",
        "base": frequencies.says(freqs.abs(), d, len(size), 1e-3),
        "part": f"{d} features from {turn.rotated[0]} on",
        "offset": "from 0" if still else "position 0 is changed",
        "factor": round(size[turn.rotated].mean().item(), 3),
    }


def _of_recording(before: Tensor, after: Tensor) -> dict[str, Any] | None:
    """The first layout in which pairs are rotated, all vectors of a position alike."""
    for layout in ("half", "interleaved"):
        x, y = (torch.complex(*split_pairs(each, layout)).flatten(0, -3) for each in (before, after))
        turns = y / x  # [vectors, n, pairs]
        middle = turns.mean(0)
        if (turns - middle).abs().max() > 1e-2 * middle.abs().max() or middle.abs().max() / middle.abs().min() > 1.02:
            continue
        angles = middle.angle()
        freqs = wrap(angles[1] - angles[0])
        return {
            "features": before.shape[-1],
            "layout": layout,
            "sense": "counterclockwise" if freqs.sum() > 0 else "clockwise",
            "base": frequencies.says(freqs.abs(), before.shape[-1], before.shape[-1], 1e-2),
            "offset": "from 0" if angles[0].abs().max() < 1e-2 else f"pair 0 begins at {angles[0, 0]:.3g} rad",
            "factor": round(middle.abs().mean().item(), 3),
        }
    return None


def _say(a: dict[str, Any], b: dict[str, Any], report: Report) -> None:
    differing = list(_differing(a, b))
    for name in differing:
        report.facts[name] = f"{a.get(name)} | {b.get(name)}"
    report.facts["look at"] = ", then ".join(differing) or "nothing: they agree"
    if differing:
        report.find("differ", f"{differing[0]}: {a.get(differing[0])} | {b.get(differing[0])}", "position 1")


def _differing(a: dict[str, Any], b: dict[str, Any]) -> Iterator[str]:
    return (name for name in ORDER if a.get(name) != b.get(name))


def _first_parting(a: Tensor, b: Tensor, report: Report) -> None:
    off = (a - b).abs().amax((1, 2))
    apart = (off > 1e-3).nonzero()
    if len(apart):
        p = int(apart[0])
        i = int((a[p] - b[p]).abs().amax(1).argmax())
        report.facts["they part"] = f"at position {p}, most at feature {i}, by {off[p]:.3g}"


def _name(function: Any) -> str:
    return getattr(function, "__name__", type(function).__name__)
