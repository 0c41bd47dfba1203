"""What is known of one rotation, as a function or as a recording; and in what two of them differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from posenc_checks import frequencies
from posenc_checks.expectations import SENSES, STEPS, layout_of, span
from posenc_checks.precision import Deviation, explain
from posenc_checks.probe import follow, wrap
from posenc_checks.report import Report

ORDER = ["features", "positions", "layout", "sense", "base", "scaling", "part", "offset", "factor", "dtype", "angles"]
"""In which order to look: each of them can make the next ones look wrong."""
HALF = ("positions-half", "angles-half", "freqs-half")
FINE, COARSE = 2e-3, 0.03
"""How far an angle may be off, in radians: in float32, and where cosines, sines or features are in half precision."""


@dataclass(frozen=True)
class Reading:
    """Angles [n, pairs] at positions, less those of position 0. `noise` is how far a frequency may be off."""

    features: int
    pairs: list[tuple[int, int]]
    positions: Tensor
    angles: Tensor
    start: str = ""
    factor: float = 1.0
    cos_sin: str | None = None  # the half precision of which they all are
    in_bfloat16: Tensor | None = None  # the angles, for features in bfloat16
    places: str = "as given"
    noise: float = 0.0
    tolerance: float = FINE

    @property
    def freqs(self) -> Tensor:
        return follow(self.positions, self.angles, 4_096 if self.coarse or self.noise else 256)

    @property
    def coarse(self) -> bool:
        return self.cos_sin is not None or self.tolerance > FINE


def differences(a: Reading, b: Reading) -> dict[str, str]:
    """What the second has otherwise than the first, by name, in the order in which to look."""
    freqs_a, freqs_b = a.freqs.abs(), b.freqs.abs()
    (dtype_a, true_a), (dtype_b, true_b) = _rounding(a, freqs_b), _rounding(b, freqs_a)
    facts = [_facts(each) | {"dtype": dtype} for each, dtype in ((a, dtype_a), (b, dtype_b))]
    shared = [name for name in facts[0] if name in facts[1]]
    found = {name: f"{facts[0][name]} | {facts[1][name]}" for name in shared if facts[0][name] != facts[1][name]}
    coarse = a.coarse or b.coarse
    found |= _frequencies(a, true_a, b, true_b, 1e-2 if coarse else 3e-4, a.noise + b.noise)
    if not found:
        found |= _angles(a, b, COARSE if coarse else FINE)
    return {name: found[name] for name in ORDER if name in found}


def say(found: dict[str, str], report: Report) -> None:
    report.facts |= found
    report.facts["look at"] = ", then ".join(found) or "nothing: they agree"
    for name, both in list(found.items())[:1]:
        report.find("differ", f"{name}: {both}", "position 1")


def _facts(one: Reading) -> dict[str, object]:
    facts: dict[str, object] = {"features": one.features, "positions": one.places}
    if not one.pairs:
        return facts | {"part": "nothing is rotated in pairs"}
    rotated = sorted(i for pair in one.pairs for i in pair)
    return facts | {
        "layout": layout_of(one.pairs) or f"pairs {one.pairs[:2]}, …",
        "sense": SENSES[bool(one.freqs.sum() < 0)],
        "part": f"{len(rotated)} features, {span(rotated)}",
        "offset": one.start,
        "factor": round(one.factor, 2 if one.coarse else 3),
    }


def _rounding(one: Reading, other: Tensor) -> tuple[str, Tensor]:
    """What is in half precision, and the frequencies as they were before: the other's may explain them."""
    freqs = one.freqs.abs()
    if not one.pairs:
        return "unknown", freqs
    expected = other if len(other) == len(freqs) else None
    tolerance = COARSE if one.coarse else one.tolerance
    found = explain(one.positions, one.angles, one.freqs, expected, tolerance, one.noise)
    if found is not None:
        return _said(found), found.freqs if found.fault in HALF else freqs
    if one.cos_sin:
        return f"cos and sin in {one.cos_sin}", freqs
    if one.in_bfloat16 is not None:
        low = explain(one.positions, one.in_bfloat16, one.freqs, expected, COARSE)
        if low is not None and low.fault != "freqs-half":
            return f"{_said(low)}, for features in bfloat16", freqs
    return "no rounding seen", freqs


def _said(found: Deviation) -> str:
    return found.what.removeprefix("the ").rstrip(",")


def _frequencies(a: Reading, f: Tensor, b: Reading, g: Tensor, tolerance: float, noise: float) -> dict[str, str]:
    """Another base, or other frequencies by scaling; those of a part may be the first ones of the whole."""
    n = min(len(f), len(g))
    if n == 0 or ((f[:n] - g[:n]).abs() <= tolerance * g[:n] + noise).all():
        return {}
    seen = int((torch.minimum(f[:n], g[:n]) > noise / tolerance).sum())
    if seen < n:  # the others turn too slowly to be read
        fits = [frequencies.geometric_fit(x[:seen], 10 * tolerance) for x in (f, g)]
        words = " | ".join(", ".join(f"{each:.3g}" for each in x[:3].tolist()) + ", …" for x in (f, g))
        return {"base" if all(fit and abs(fit[0] - 1) < 10 * tolerance for fit in fits) else "scaling": words}
    said = [frequencies.says(x, 2 * len(x), r.features, max(tolerance, 1e-3)) for x, r in ((f, a), (g, b))]
    if len(f) != len(g):
        return {} if said[0] == said[1] else {"base": " | ".join(said)}
    names = [*frequencies.differences(g, f, None, b.features, tolerance)]
    names += frequencies.differences(f, g, None, a.features, tolerance)
    scaled = any(name.startswith(("scal", "rotated-twice")) for name, _ in names)
    return {"scaling" if scaled else "base": " | ".join(said)}


def _angles(a: Reading, b: Reading, tolerance: float) -> dict[str, str]:
    """A net below all names: the same positions must have the same angles."""
    if a.pairs != b.pairs:
        return {"angles": "other features are paired"}
    for p, i, j in _shared(a.positions, b.positions):
        off = wrap(a.angles[i] - b.angles[j]).abs()
        if len(off) and off.max() > tolerance:
            return {"angles": f"equal up to position {p}, where pair {int(off.argmax())} is {off.max():.2g} rad off"}
    return {}


def _shared(a: Tensor, b: Tensor) -> Iterator[tuple[int, int, int]]:
    at = {p: j for j, p in enumerate(b.tolist())}
    return ((p, i, at[p]) for i, p in enumerate(a.tolist()) if p in at)


def name_offset(angles: Tensor, freqs: Tensor) -> str:
    """The angles of position 0, in steps where they are so many."""
    if angles.abs().max() < 1e-2:
        return "from 0"
    steps = [s for s in STEPS if wrap(angles - s * freqs).abs().max() < 1e-2]
    return f"position 0 is rotated as {steps[0]}" if steps else f"position 0 is rotated by {angles[0]:.3g} rad"


def parting(a: Tensor, b: Tensor) -> str | None:
    """Where two rows of matrices, or of features, first differ."""
    n = min(len(a), len(b))
    off = (a[:n] - b[:n]).abs().flatten(1)
    apart = (off.amax(1) > 1e-3).nonzero()
    if not len(apart):
        return None
    p = int(apart[0])
    feature = int((a[p] - b[p]).abs().amax(-1).argmax())
    return f"at position {p}, most at feature {feature}, by {off[p].max():.3g}"


def no_angles(x: Tensor) -> Tensor:
    return torch.zeros(len(x), 0, dtype=torch.float64)
