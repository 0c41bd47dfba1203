"""Two waves around a ring of nodes: the solver chooses their phase, and the product of two nodes does not see it."""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, dots, draggable, line, named_arrow, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import rotate
from posenc_lib.shapes import laplacian_eigenvectors

N = 12  # nodes
SWING, SIDE, BELOW = 0.3, 2.05, -2.2  # of a wave; of the rings from the middle; of what names the arrows


def ring_waves() -> Movable:
    k, phase, m, n, t = sp.symbols("k phase m n t", real=True)
    j = sp.Symbol("j", integer=True, nonnegative=True)
    turn = 2 * sp.pi / N
    shift = phase * sp.pi / 180
    nodes, around = Each(j, 0, N - 1), Each(t, 0, N, 145)

    def at(node, radius, middle=0):  # node 0 at the top, then clockwise
        return middle + radius * sp.sin(turn * node), radius * sp.cos(turn * node)

    def entry(wave, node):
        return wave(k * turn * node - shift)

    def ring(middle, wave, look):
        yield line(*at(t, 1, middle), around, "quiet")
        yield line(*at(t, 1 + SWING * entry(wave, t), middle), around, look)
        yield dots(*at(j, 1 + SWING * entry(wave, j), middle), nodes, look)
        yield text(*at(j, 1.63, middle), [str(node) for node in range(N)], nodes)
        for node, pointer in ((m, "a"), (n, "b")):
            yield draggable(arrow(*at(node, 0.6, middle), (middle, 0), look=pointer), node)

    product = sum(entry(wave, m) * entry(wave, n) for wave in (sp.cos, sp.sin))
    return Movable(
        name="ring_waves",
        alt="Two rings of the same twelve nodes, with a wave around each, a quarter of a wave apart. In both, two "
        "arrows point at the node of the query and at that of the key.",
        question="A solver may return these two waves with any phase. If you turn it, which of the three numbers "
        "stays?",
        answer="The last one, which belongs to both waves. The entries of a node change with the phase; the product of "
        "two nodes' pairs is the cosine of k times the angle between them, and stays when both move on together. It is "
        "a score of the rotary encoding.",
        controls=[
            Slider(k, "waves around the ring, k =", 1, 5, 2),
            Slider(phase, "phase in degrees:", 0, 345, 0, 15),
            Slider(m, "query at node", 0, N - 1, 4),
            Slider(n, "key at node", 0, N - 1, 1),
        ],
        marks=[
            *ring(-SIDE, sp.cos, "c"),
            *ring(SIDE, sp.sin, "c"),
            *named_arrow(-1.2, BELOW, "query", "a", 0.5),
            *named_arrow(1, BELOW, "key", "b", 0.5),
        ],
        say=[
            Say("The query's entries:", entry(sp.cos, m), 2),
            Say("and", entry(sp.sin, m), 2),
            Say("Product with the key's entries:", product, 2),
        ],
        view=(-3.9, 3.9, -2.5, 1.85),
        play=phase,
        frames=[{"phase": 0}, {"phase": 105}],
    )


def truth(k: int, phase: int, m: int, n: int) -> Said:
    """The entries as a rotation; their product from the solver's pair of waves, whatever phase it has chosen."""
    entries = rotate(numbers(1, 0), 2 * math.pi * k * numbers(m) / 12 - math.radians(phase))
    step = torch.eye(12, dtype=torch.float64).roll(1, 0)
    pair = laplacian_eigenvectors(step + step.T, 2 * k)[1][:, -2:]
    return [*entries.tolist(), 6 * (pair[m] @ pair[n]).item()]
