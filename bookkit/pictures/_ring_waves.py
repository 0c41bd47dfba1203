"""Two waves around a ring of nodes: the solver chooses their phase, and the product of two nodes does not see it."""

import math

import sympy as sp
import torch

from bookkit.movable import Each, Movable, Say, Slider, arrow, dots, draggable, line, text
from bookkit.movable.truth import Said, numbers
from posenc_lib.rotary import rotate
from posenc_lib.shapes import laplacian_eigenvectors

N = 12  # nodes
SWING = sp.Rational(3, 10)


def ring_waves() -> Movable:
    k, phase, m, n, t = sp.symbols("k phase m n t", real=True)
    j = sp.Symbol("j", integer=True, nonnegative=True)
    turn = 2 * sp.pi / N
    shift = phase * sp.pi / 180
    nodes, around = Each(j, 0, N - 1), Each(t, 0, N, 145)

    def at(node, radius):  # node 0 at the top, then clockwise
        return radius * sp.sin(turn * node), radius * sp.cos(turn * node)

    def entry(wave, node):
        return wave(k * turn * node - shift)

    def marked(node, name, look, height):  # named beside the ring: two words in it would lie on each other
        sample = arrow(-sp.Rational(17, 10), height, (-sp.Rational(21, 10), height), look=look)
        named = text(-sp.Rational(8, 5), height, name, look=look, anchor="start")
        return [draggable(arrow(*at(node, sp.Rational(1, 2)), look=look), node), sample, named]

    product = sum(entry(wave, m) * entry(wave, n) for wave in (sp.cos, sp.sin))
    return Movable(
        name="ring_waves",
        alt="Twelve nodes on a ring. A solid and a dashed wave run around it, a quarter of a wave apart, and cross the "
        "ring as often as their number says. Two arrows point at the node of the query and at that of the key.",
        question="The two waves have the same eigenvalue, so a solver may return them with any phase. If you turn "
        "the phase, and then both nodes by the same number of steps, which of the three numbers stays?",
        answer="The last one, which belongs to both waves. The entries of a node change with the phase; the product of "
        "two nodes' pairs is the cosine of k times the angle between them. It is a score of the rotary encoding.",
        controls=[
            Slider(k, "waves around the ring, k =", 1, 5, 2),
            Slider(phase, "phase in degrees:", 0, 345, 0, 15),
            Slider(m, "query at node", 0, N - 1, 4),
            Slider(n, "key at node", 0, N - 1, 1),
        ],
        marks=[
            line(*at(t, 1), around, "quiet"),
            line(*at(t, 1 + SWING * entry(sp.cos, t)), around, "a"),
            line(*at(t, 1 + SWING * entry(sp.sin, t)), around, "b"),
            dots(*at(j, 1 + SWING * entry(sp.cos, j)), nodes, "a"),
            dots(*at(j, 1 + SWING * entry(sp.sin, j)), nodes, "b"),
            text(*at(j, sp.Rational(8, 5)), [str(node) for node in range(N)], nodes),
            *marked(m, "query", "a", sp.Rational(17, 10)),
            *marked(n, "key", "c", sp.Rational(7, 5)),
        ],
        say=[
            Say("The query's entries:", entry(sp.cos, m), 2),
            Say("and", entry(sp.sin, m), 2),
            Say("Product with the key's entries:", product, 2),
        ],
        view=(-2.1, 2.1, -1.8, 1.8),
        play=phase,
        frames=[{"phase": 0}, {"phase": 105}],
    )


def truth(k: int, phase: int, m: int, n: int) -> Said:
    """The entries as a rotation; their product from the solver's pair of waves, whatever phase it has chosen."""
    entries = rotate(numbers(1, 0), 2 * math.pi * k * numbers(m) / 12 - math.radians(phase))
    step = torch.eye(12, dtype=torch.float64).roll(1, 0)
    pair = laplacian_eigenvectors(step + step.T, 2 * k)[1][:, -2:]
    return [*entries.tolist(), 6 * (pair[m] @ pair[n]).item()]
