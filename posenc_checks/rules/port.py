"""Two rotations that should be one: where they differ, and in which order to look for the cause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from posenc_checks.reading.frequencies import describe, geometric_fit
from posenc_checks.reading.probe import wrap
from posenc_checks.reading.reading import COARSE, FINE, Reading
from posenc_checks.report.found import Fact, Fault, Finding
from posenc_checks.rules.driver import rule
from posenc_checks.rules.scaling import SCALINGS, difference

DIFFER = Fault("differ", "the two do different things", "what stands first in the list", page="practice/check-your-own")

ORDER = [
    "features",
    "tensors",
    "positions",
    "layout",
    "sense",
    "base",
    "scaling",
    "part",
    "offset",
    "factor",
    "dtype",
    "angles",
]
"""In which order to look: each of them can make the next ones look wrong."""


@dataclass(frozen=True)
class Pair:
    """What the second has otherwise than the first, by name; where they part, and whether only the keys do."""

    differences: dict[str, str]
    apart: str | None = None
    keys_only: bool = False


@rule()
def does_the_same(pair: Pair) -> Iterator[Fact | Finding]:
    found = {name: pair.differences[name] for name in ORDER if name in pair.differences}
    for name, both in found.items():
        yield Fact(name, both)
    yield Fact("look at", ", then ".join(found) or "nothing: they agree")
    for name, both in list(found.items())[:1]:
        yield Finding(DIFFER, f"{name}: {both}", "position 1")


@rule()
def says_where(pair: Pair) -> Iterator[Fact]:
    if pair.apart:
        yield Fact("they part", pair.apart)
    if pair.keys_only:
        yield Fact("of", "the keys only; queries agree")


def differences(a: Reading, b: Reading) -> dict[str, str]:
    """What the second has otherwise than the first, by name."""
    freqs_a, freqs_b = a.freqs.abs(), b.freqs.abs()
    (dtype_a, true_a), (dtype_b, true_b) = a.rounding(freqs_b), b.rounding(freqs_a)
    one, other = a.facts() | {"dtype": dtype_a}, b.facts() | {"dtype": dtype_b}
    found = {name: f"{one[name]} | {other[name]}" for name in one if name in other and one[name] != other[name]}
    coarse = a.coarse or b.coarse
    found |= _frequencies((a, true_a), (b, true_b), 1e-2 if coarse else 3e-4)
    return found or _angles(a, b, COARSE if coarse else FINE)


def _frequencies(one: tuple[Reading, Tensor], other: tuple[Reading, Tensor], tolerance: float) -> dict[str, str]:
    """Another base, or other frequencies by scaling; those of a part may be the first ones of the whole."""
    (a, f), (b, g) = one, other
    n, noise = min(len(f), len(g)), a.noise + b.noise
    if n == 0 or ((f[:n] - g[:n]).abs() <= tolerance * g[:n] + noise).all():
        return {}
    seen = int((f[:n].minimum(g[:n]) > noise / tolerance).sum())
    if seen < n:  # the others turn too slowly to be read
        return _seen(f[:seen], g[:seen], (f, g), 10 * tolerance)
    words = [describe(x, 2 * len(x), r.features, max(tolerance, 1e-3)) for r, x in (one, other)]
    if len(f) != len(g):
        return {} if words[0] == words[1] else {"base": " | ".join(words)}
    faults = [difference(g, f, b.features, tolerance), difference(f, g, a.features, tolerance)]
    scaled = any(found and found[0] in SCALINGS for found in faults)
    return {"scaling" if scaled else "base": " | ".join(words)}


def _seen(f: Tensor, g: Tensor, whole: tuple[Tensor, Tensor], tolerance: float) -> dict[str, str]:
    fits = [geometric_fit(x, tolerance) for x in (f, g)]
    words = " | ".join(", ".join(f"{each:.3g}" for each in x[:3].tolist()) + ", …" for x in whole)
    return {"base" if all(fit and abs(fit[0] - 1) < tolerance for fit in fits) else "scaling": words}


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
