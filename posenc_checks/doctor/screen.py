"""What a configuration says about its frequencies, in one screen of text."""

from __future__ import annotations

from itertools import groupby
from math import inf, pi

import torch

from posenc_lib.released.said import Said

__all__ = []


def screen(layer: str | None, said: Said) -> str:
    """Type, base and factor; the kinds of pairs and their turns; the first unseen angle; what the length changes."""
    rope = {key: value for key, value in said.rope.items() if not isinstance(value, list)}
    lines = [*([f"layers of type {layer}"] if layer else []), ", ".join(f"{k} {v}" for k, v in rope.items())]
    lines.append(f"{len(said.read.freqs)} pairs, attention factor {said.read.attention_factor:.6g}, at {said.n} tokens")
    return "\n".join([*lines, *_kinds(said), _unseen(said), _length(said)])


def _kinds(said: Said) -> list[str]:
    """Neighbouring pairs that are left alone, or divided by the same number, or by numbers in between."""
    ratio = (said.plain / said.read.freqs.double()).tolist()
    most = max(x for x in ratio if x < inf)
    kind = lambda i: next((x for x in (1.0, most, inf) if _near(ratio[i], x)), 0.0)  # noqa: E731
    turns = said.plain * (said.trained or said.n) / (2 * pi)
    lines = []
    for _, group in groupby(range(len(ratio)), key=kind):
        pairs = list(group)
        first, last = pairs[0], pairs[-1]
        by = f"{ratio[first]:.4g}" if _near(ratio[first], ratio[last]) else f"{ratio[first]:.4g} to {ratio[last]:.4g}"
        what = {"1": "as without scaling", "inf": "not rotated"}.get(by, f"divided by {by}")
        span = f"{turns[first]:.4g}" if first == last else f"{turns[first]:.4g} to {turns[last]:.4g}"
        where = f"pair {first}" if first == last else f"pairs {first} to {last}"
        lines.append(f"  {where}: {what}; {span} turns in {said.trained or said.n} tokens")
    return lines


def _near(x: float, y: float) -> bool:
    return x == y or abs(x / y - 1) < 1e-9


def _unseen(said: Said) -> str:
    """The fastest pair that did not make a whole turn in training, and turns further in n tokens."""
    if said.trained is None:
        return "the configuration does not say how long the texts were in training"
    before, after = said.plain * said.trained, said.read.freqs * said.n
    new = torch.nonzero((before < 2 * pi) & (after > before * (1 + 1e-9))).flatten().tolist()
    if not new:
        return f"at {said.n} tokens no pair sees an angle that it never saw in {said.trained}"
    i = new[0]
    return (
        f"first pair with angles that it never saw, at {said.n} tokens: {i}, up to {after[i]:.4g} after "
        f"{before[i]:.4g} in {said.trained}"
    )


def _length(said: Said) -> str:
    return {
        "dynamic": f"the base is that of {said.n} tokens, and another for other lengths above {said.most}",
        "longrope": f"the {'long' if said.n > (said.trained or 0) else 'short'} list; the other one on the other side "
        f"of {said.trained} tokens",
    }.get(said.type, "the frequencies are the same at every length")
