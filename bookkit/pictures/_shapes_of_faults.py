"""How far a rotated key has been from the right one up to a position, for four faults: each has a shape of its own."""

import sympy as sp
import torch

from bookkit.movable import Axis, Choice, Each, Movable, Say, Slider, dots, draggable, line, only, rounded, text
from bookkit.movable.truth import Said, numbers
from bookkit.pages.configurations import PHI_3_VISION
from posenc_lib import released_rope
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.rotary import rotate

FEATURES, DOUBLINGS, PARTS = 96, 13, 4
FAULTS = ("other pairing", "another base", "positions in bfloat16", "another list past 4,096")
CAUSES = (
    "At once: pairing, rows, scale",
    "Growing: base, exponent, scaling",
    "Exact to 256: half precision",
    "A jump: a list or table ends",
)


def errors() -> torch.Tensor:
    """Fault by fault, the largest so far at each part of a doubling; as shares of the key's length."""
    m = torch.arange(2**DOUBLINGS + 1, dtype=torch.float64)
    key = torch.tensor([1.0, 0.0], dtype=torch.float64).repeat(FEATURES // 2).expand(len(m), -1)

    def at(positions, freqs, layout="interleaved"):
        return rotate(key, position_angles(positions, freqs), layout=layout)

    plain, long = geometric_freqs(FEATURES), released_rope(PHI_3_VISION, n=8_192).freqs
    right = at(m, plain)
    wrong = [
        at(m, plain, "half"),
        at(m, geometric_freqs(FEATURES, 20_000.0)),
        at(m.bfloat16().double(), plain),
        torch.where(m[:, None] > 4_096, at(m, long), right),
    ]
    found = torch.stack([(x - right).norm(dim=-1).cummax(0).values for x in wrong])
    places = (2 ** (torch.arange(PARTS * DOUBLINGS + 1) / PARTS)).round().long()
    return found[:, places] / (FEATURES / 2) ** 0.5


def shapes_of_faults() -> Movable:
    which, e = sp.symbols("which e", real=True)
    i, j = sp.symbols("i j", integer=True, nonnegative=True)
    error = sp.IndexedBase("error")
    along = Each(i, 0, PARTS * DOUBLINGS)
    ticks = {0: "1", 4: "16", 8: "256", 12: "4,096"}
    return Movable(
        name="shapes_of_faults",
        alt="Four lines over the position from 1 to 8,192, one of them strong, the others dotted. The first is at 0.3 "
        "from position 1 on, and rises. The second grows slowly from 0. The third is 0 up to 256, and then rises. The "
        "fourth is 0 up to 4,096, and then jumps to about 1.5.",
        question="The lines show how far a faulty model differs from a right one. Which two faults does a test with "
        "200 tokens never see?",
        answer="Positions in bfloat16, which are exact up to 256, and the list of frequencies that changes past 4,096. "
        "Another base is hardly seen in the first few tokens. The other pairing is off from position 1.",
        controls=[
            Choice(which, "fault", FAULTS),
            Slider(e, "position:", 0, DOUBLINGS, 7, shown=2**e),
        ],
        marks=[
            line(i / PARTS, error[j, i], [Each(j, 0, len(FAULTS) - 1), along], "quiet"),
            line(i / PARTS, error[which, i], along, "a"),
            draggable(dots(e, error[which, PARTS * e], look="b"), e),
            text(only(sp.Eq(j, which), 0.2), 1.75, CAUSES, Each(j, 0, 3), "a", "start"),
        ],
        say=[Say("Off by", error[which, PARTS * e], 2, "of the key's length, so far.")],
        view=(0, DOUBLINGS, -0.05, 1.95),
        frames=[{"which": 0}, {"which": 2}],
        axes=(
            Axis("position", ticks),
            Axis("largest difference so far", {0: "0", 0.5: "0.5", 1: "1", 1.5: "1.5"}),
        ),
        tables={error: rounded(errors(), 7)},
    )


def truth(which: int, e: int) -> Said:
    m = torch.arange(2**e + 1)
    key = numbers(1, 0).repeat(48).expand(len(m), 96)
    plain = geometric_freqs(96)
    tables = (plain, geometric_freqs(96, 20_000.0), plain, released_rope(PHI_3_VISION, n=8_192).freqs)
    angles, right = (
        position_angles(m.bfloat16().double() if which == 2 else m, tables[which]),
        position_angles(m, plain),
    )
    if which == 3:
        angles = torch.where(m[:, None] > 4_096, angles, right)
    wrong = rotate(key, angles, layout="interleaved" if which else "half")
    return [((wrong - rotate(key, right)).norm(dim=-1).max() / key[0].norm()).item()]
