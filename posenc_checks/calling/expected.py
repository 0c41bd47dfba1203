"""What a reader says of a rotation before it is read. What nobody expects is a fact, and no fault."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from posenc_checks.calling.convention import AXES
from posenc_lib.inputs import require_base, require_one_of, require_positive, require_whole
from posenc_lib.pairs import Layout, geometric_freqs, require_layout
from posenc_lib.rotary.rotary import require_freqs

SENSES = ("counterclockwise", "clockwise")


@dataclass(frozen=True)
class Expected:
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
        counts = {"d_rotated": self.d_rotated, "first": self.first}
        require_whole(**{name: n for name, n in counts.items() if n is not None})

    def freqs_of(self, pairs: int) -> Tensor | None:
        """The expected frequencies of so many pairs."""
        if self.freqs is not None:
            return self.freqs.double()
        return None if self.base is None or not pairs else geometric_freqs(2 * pairs, self.base)


def require_call(axes: str | None, d: int | None) -> None:
    """The axes are known ones, and a head has two features at least."""
    if axes is not None:
        require_one_of("axes", axes, AXES)
    if d is not None:
        require_whole(d=d, least=2)
