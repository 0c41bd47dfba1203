"""The derivations of shapes/graphs, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "the neighbours make one cosine",
        "2 * u(m) - 2 * sp.cos(theta(k)) * u(m)",
        "2 * u(m) - sp.cos(theta(k)) * u(m)",
        Refuted,
    ),
    Mutant("the sign of the cosine", "(2 - 2 * sp.cos(theta(k))) * u(m)", "(2 + 2 * sp.cos(theta(k))) * u(m)", Refuted),
    Mutant("the ring closes a node too soon", "u(m + N)", "u(m + N - 1)", Refuted),
    Mutant("half a ring closes", "u(m + N)", "u(m + N / 2)", Refuted),
    Mutant(
        "the path's eigenvalue with the ring's angle",
        "(2 - 2 * sp.cos(slower(k))) * w(m)",
        "(2 - 2 * sp.cos(2 * slower(k))) * w(m)",
        Refuted,
    ),
    Mutant("the wave of a path without its half step", "[w(0), w(N - 1)]", "[w(1), w(N - 1)]", Refuted),
    Mutant("the end of a path is a node further", "[w(0), w(N - 1)]", "[w(0), w(N - 2)]", Refuted),
    Mutant("L not symmetric", "[sp.Eq(L.T, L), ", "[", Undecided),
    Mutant(
        "the wrong eigenvalue taken out", ".step(mu * a.T * b, because", ".step(lam * mu * a.T * b, because", Undecided
    ),
    Mutant(
        "Q not orthogonal",
        "given=[sp.Eq(Q * Q.T, sp.Identity(r))]",
        "given=[]",
        Refuted,
    ),
    Mutant("Q forgets its transpose", "V * Q * Q.T * V.T", "V * Q * Q * V.T", Refuted),
    Mutant(
        "the product sees the sum of the nodes", "sp.cos((m - n) * theta(k))", "sp.cos((m + n) * theta(k))", Refuted
    ),
    Mutant("odd functions as well", "sp.Eq(f(-t), f(t))", "sp.Eq(f(-t), -f(t))", Refuted),
    Mutant("without the half", "f(t) / 2 + f(-t) / 2", "f(t) + f(-t)", Refuted),
    Mutant("the degree of another node", "over_nodes(edge[i, l]),", "over_nodes(edge[l, i]),", Refuted),
    Mutant(
        "renumbered on one side only",
        "W[number(i), l] * P[l, number(j)]),\n        given",
        "W[number(i), l] * P[l, j]),\n        given",
        Undecided,
    ),
    Mutant("the step goes the other way", "over_nodes(W[i, l] * P[l, j])", "over_nodes(W[i, l] * P[j, l])", Refuted),
    Mutant("an edge within a side", "sp.Eq(sides * step, -step * sides)", "sp.Eq(sides * step, step * sides)", Refuted),
    Mutant("the sign is not turned over again", "(-1) ** (K + 1) * walk", "(-1) ** K * walk", Undecided),
    Mutant("an even number of steps", "sp.Eq(side * back, -back * side)", "sp.Eq(side * back, back * side)", Refuted),
    Mutant("nodes on no side", "sp.Eq(side**2, 1)", "sp.Eq(side**2, 0)", Refuted),
    Mutant("the change with the other sign", "(q2 * k1 - q1 * k2)", "(q1 * k2 - q2 * k1)", Refuted),
    Mutant(
        "the flip changes the cosine", "2 * sp.sin(omega * (u_m - u_n))", "2 * sp.cos(omega * (u_m - u_n))", Refuted
    ),
    Mutant("the mean without the half", "sp.exp(-(sigma**2) * x**2 / 2)", "sp.exp(-(sigma**2) * x**2)", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/graphs"
    mutants = MUTANTS
