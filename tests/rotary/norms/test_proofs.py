"""The derivations of rotary/norms, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("a phase that is no rotation", "sp.exp(sp.I * m * freq[i])", "sp.exp(m * freq[i])", Refuted),
    Mutant("the rotation lost", "sp.exp(sp.I * m * freq[j]) * plain, because", "plain, because", Refuted),
    Mutant("the norm of one pair", "sp.Sum(sp.Abs(pair(i)) ** 2, (i, 0, N - 1)) /", "sp.re(pair(0)) ** 2 /", Refuted),
    Mutant("weights that differ", "Derivation(G(g, g) * R(m) * q,", "Derivation(G(g, 1) * R(m) * q,", Refuted),
    Mutant("the other sense", "    R(m) * G(g, g) * q,", "    R(-m) * G(g, g) * q,", Refuted),
    Mutant(
        "the sum of the positions lost",
        "* sp.cos(alpha + beta + (m + n) * theta),\n",
        "* sp.cos(alpha + beta),\n",
        Refuted,
    ),
    Mutant(
        "sum and difference exchanged",
        "lambda: (a + b) / 2 * sp.cos(alpha",
        "lambda: (a - b) / 2 * sp.cos(alpha",
        Refuted,
    ),
    Mutant(
        "weights of the key forgotten", "sp.Eq(g0 * h0, a), sp.Eq(g1 * h1, b)", "sp.Eq(g0, a), sp.Eq(g1, b)", Refuted
    ),
    Mutant("sines subtracted", "        + b * sp.sin(here)", "        - b * sp.sin(here)", Refuted),
    Mutant("the wave moves by one angle", "sp.cos(psi + 2 * theta)", "sp.cos(psi + theta)", Refuted),
    Mutant("only the query moves", "weighted(m + 1, n + 1)", "weighted(m + 1, n)", Refuted),
    Mutant("equal weights refuted", "k.T * G(2, 1) * R(m - n) * k)", "(R(n) * k).T * G(2, 1) * R(m) * k)", Undecided),
    Mutant(
        "the rotation outside",
        "c * W_uk * R_far * W_q.T * x.T, because",
        "c * R_far * W_uk * W_q.T * x.T, because",
        Refuted,
    ),
    Mutant(
        "merged all the same", "c * W_uk * R_far * W_q.T * x.T, because", "c * W_uk * W_q.T * x.T, because", Refuted
    ),
    Mutant("the key rotated alone", "score = (R_n * key).T * (R_m * query)", "score = (R_n * key).T * query", Refuted),
    Mutant("the content rotated too", "        key.T * query + (R_n", "        key.T * R_far * query + (R_n", Refuted),
    Mutant(
        "the slice not rotated",
        "        c * M * x.T + k_r.T * R_far * q_r,",
        "        c * M * x.T + k_r.T * q_r,",
        Refuted,
    ),
    Mutant("the wrong product merges", "sp.Eq(W_uk * W_q.T, M)", "sp.Eq(W_uk, M)", Undecided),
    Mutant("a gradient that does not grow", "    -t * ell_q * ell_k * sp.sin", "    -ell_q * ell_k * sp.sin", Refuted),
    Mutant("the sign of the gradient", "    -t * ell_q * ell_k * sp.sin", "    t * ell_q * ell_k * sp.sin", Refuted),
    Mutant("a curvature that grows like the gradient", "    -(t**2) * ell_q", "    -t * ell_q", Refuted),
    Mutant("the factor of the angle lost", "    -t * theta * sp.sin(t * theta)", "    -t * sp.sin(t * theta)", Refuted),
    Mutant("a direction that shows nothing", "sp.Eq(phase, sp.pi / 2 - theta)", "sp.Eq(phase, -theta)", Refuted),
    Mutant("seen at every frequency", "(b - a) * sp.sin(theta), because", "b - a, because", Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/norms"
    mutants = MUTANTS
