"""Are queries and keys rotated in pairs? Where not: the sign, the layout, or the features that got lost."""

from __future__ import annotations

import torch
from torch import Tensor

from posenc_checks.probe import Turn, relative_defect
from posenc_checks.report import Report


def check_structure(q: Turn, k: Turn, matrices: list[Tensor], report: Report) -> bool:
    """Whether there are pairs, and so angles to speak of."""
    still = [bool((turn.turns - turn.turns[:1]).abs().max() < 1e-4) for turn in (q, k)]
    if all(still):
        report.find("identity", "the matrices of all positions agree to 1e-4", "position 1")
        return False
    if any(still):
        which = "queries" if still[0] else "keys"
        off, (m, n) = relative_defect(*(matrices[i][:9] for i in (0, 1)))
        evidence = f"{which} stay as they are; scores change by {off:.2g} when both tokens move on by one"
        report.find("only-one-rotated", evidence, f"m = {m}, n = {n}")
        return False
    return not any(_broken(turn, name, report) for name, turn in (("queries", q), ("keys", k)))


def _broken(turn: Turn, name: str, report: Report) -> bool:
    sizes = turn.start.norm(dim=0)
    if turn.pairs == [] or (turn.pairs and sizes[turn.rotated].min() < 1e-4):
        position = 0 if sizes.min() < 1e-4 else 1
        length = (sizes.min() if position == 0 else turn.turns[1].norm(dim=0).min()).item()
        report.find("not-a-rotation", f"a vector of length 1 becomes {length:.4g} long", f"position {position}")
        return True
    lost = _lost(turn)
    if lost is not None:
        feature, times = lost
        report.find("features-lost", f"feature {feature} of the {name} is multiplied by {times:.4g}", "any position")
        return True
    if turn.pairs is None:
        _groups(turn, report)
        return True
    defect = turn.defect.amax(0)
    if defect.max() < 1e-2:
        return False
    pair = int((turn.defect[1] if turn.defect[1].max() > 1e-2 else defect).argmax())
    _name_block(turn.blocks[:, pair], f"position 1, features {turn.pairs[pair]}", report)
    return True


def _lost(turn: Turn) -> tuple[int, float] | None:
    """A feature that does not pass as it should, and what it is multiplied by."""
    gram = (turn.start.T @ turn.start).diagonal().sqrt()
    if turn.pairs is None:
        zero = (gram < 1e-4).nonzero()
        return (int(zero[0]), 0.0) if len(zero) else None
    uniform = bool((gram - gram[0]).abs().max() < 1e-4)
    for i in sorted({*range(len(gram))} - {*turn.rotated}):
        through = turn.turns[:, i, i] * gram[i]
        if (not uniform and abs(gram[i] - 1) > 1e-3) or (through - through[0]).abs().max() > 1e-3:
            return i, through[(through - 1).abs().argmax()].item()
    return None


def _groups(turn: Turn, report: Report) -> None:
    gram = turn.turns.mT @ turn.turns
    off = (gram - gram[0]).abs().max()
    if off < 1e-3:
        report.unknown.append(
            "lengths stay, but features mix in larger groups than pairs: their angles have no names here"
        )
    else:
        report.find("not-a-rotation", f"lengths change by up to {100 * off:.2g} %", "position 1")


def _name_block(block: Tensor, shown: str, report: Report) -> None:
    """Each row of the block may be right by itself, with an angle of its own."""
    angles = torch.atan2(torch.stack((-block[:, 0, 1], block[:, 1, 0]), -1), block.diagonal(0, 1, 2))[1]
    rows = block.norm(dim=-1)
    if (rows - 1).abs().max() < 1e-2 and (angles[0].abs() / angles[1].abs() - 1).abs() > 1e-2:
        evidence = f"its two features have the frequencies {angles[0].abs():.4g} and {angles[1].abs():.4g}"
        report.find("mixed-layout", evidence, shown)
        return
    lengths = block.norm(dim=1)
    far = (lengths - 1).abs().argmax()
    product = (block[..., 0] * block[..., 1]).sum(-1).abs().max()
    said = f"a vector of length 1 becomes {lengths.flatten()[far]:.4g} long"
    if (lengths - 1).abs().max() < 1e-2:
        said = f"its two unit vectors come out at no right angle, with a product up to {product:.3g}"
    report.find("not-a-rotation", said, shown)
