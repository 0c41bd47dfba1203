"""The derivations of rotary/groups, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("keys get the inverse and not its transpose", "sp.Eq(A_back, C_n.T), sp", "sp.Eq(A_back, C_n), sp", Refuted),
    Mutant("keys with the matrix of the queries", "sp.Eq(C_n.T, A_back), sp", "sp.Eq(C_n, A_back), sp", Refuted),
    Mutant("no group", "sp.Eq(A_back * A_m, A_between)]", "sp.Eq(A_m * A_back, A_between)]", Refuted),
    Mutant("the group law in the other order", "(G_next, G * G_h)]", "(G_next, G_h * G)]", Refuted),
    Mutant("a step of 0", '"h", real=True, nonzero=True', '"h", real=True', Undecided),
    Mutant("a rate on the other side", "sp.Eq(rate_E, -B * E)]", "sp.Eq(rate_E, -E * B)]", Refuted),
    Mutant("both grow", "sp.Eq(rate_E, -B * E)]", "sp.Eq(rate_E, B * E)]", Refuted),
    Mutant(
        "a generator that rotates clockwise",
        "[[-rho, -theta], [theta, -rho]]",
        "[[-rho, theta], [-theta, -rho]]",
        Refuted,
    ),
    Mutant("a generator that grows", "[[-rho, -theta], [theta, -rho]]", "[[rho, -theta], [theta, rho]]", Refuted),
    Mutant("the key's matrix is not inverted", "(shear(-n).T * key).T", "(shear(n).T * key).T", Refuted),
    Mutant("the key's matrix is not transposed", "(shear(-n).T * key).T", "(shear(-n) * key).T", Refuted),
    Mutant("a bias for far keys", ".step(-s * (m - n), because", ".step(s * (m - n), because", Refuted),
    Mutant("the key's own gate counts", "(l, n + 1, m)), because", "(l, n, m)), because", Refuted),
    Mutant("a clock that runs backwards", "lambda n: -sp.Sum", "lambda n: sp.Sum", Refuted),
    Mutant("symmetric for skew", ".step(B + B.T, because", ".step(B - B.T, because", Refuted),
    Mutant("orthogonality forgotten", "sp.Eq(rate_G, G * B), sp.Eq(G.T * G, I)]", "sp.Eq(rate_G, G * B)]", Refuted),
    Mutant(
        "a basis that is not orthogonal", "both_sides, given=[sp.Eq(P * P.T, I)], claim", "both_sides, claim", Refuted
    ),
    Mutant(
        "the basis has no effect before the rotation",
        ".step((R_n * P).T * (R_m * P), because",
        ".step(R_n.T * R_m, because",
        Refuted,
    ),
    Mutant("a basis after the rotation that is not orthogonal", "given=[sp.Eq(P.T * P, I)], claim", "claim", Refuted),
    Mutant("no square in the closed form", "(1 - sp.cos(x * r)) / r**2", "(1 - sp.cos(x * r)) / r", Undecided),
    Mutant("the cube with the other sign", "L * L * L, -(r**2) * L)", "L * L * L, (r**2) * L)", Refuted),
    Mutant("the whole commutator", "(A * B - B * A) / 2, because", "A * B - B * A, because", Refuted),
    Mutant("all matrices commute", "(A * B - B * A) / 2, because", "sp.ZeroMatrix(d, d), because", Refuted),
    Mutant("turns subtracted", 'R(m + n), because="both turn', 'R(m - n), because="both turn', Refuted),
    Mutant("the other sense on one side", "    .step(R(n) * R(m),", "    .step(R(-n) * R(m),", Refuted),
    Mutant("a shear for a rotation", "[[cos, -sin], [sin, cos]]", "[[cos, -sin], [0, cos]]", Refuted),
    Mutant(
        "generators need not commute",
        "given = [*one_generator, sp.Eq(A_far * By, By * A_far)]",
        "given = one_generator",
        Refuted,
    ),
    Mutant("key not transposed", "(Au * Bv).T * (Ax * By), given", "(Au * Bv) * (Ax * By), given", Refuted),
    Mutant("the order of a transposed product", ".step(Bv.T * A_far * By,", ".step(A_far * Bv.T * By,", Refuted),
    Mutant("the places added", "Eq(Au.T * Ax, A_far)", "Eq(Au * Ax, A_far)", Refuted),
    Mutant("planes that share no feature", "sp.diag(1, quarter))()", "sp.diag(quarter, 1))()", Undecided),
    Mutant("two mirrors, once the angle", "R(2 * (alpha - beta)), because", "R(alpha - beta), because", Refuted),
    Mutant("two mirrors, the other order", "R(2 * (alpha - beta)), because", "R(2 * (beta - alpha)), because", Refuted),
    Mutant("the cube without the inner product", "v.dot(v) - u.dot(v) ** 2", "v.dot(v)", Refuted),
    Mutant("a sine without its length", "sp.Derivative(up, x), claim", "sp.Derivative(r * up, x), claim", Refuted),
    Mutant(
        "the derivative without its sign",
        '    sp.cos(x * r), because="inner',
        '    -sp.cos(x * r), because="inner',
        Refuted,
    ),
    Mutant("the second factor keeps its size", '    up, because="inner', '    square, because="inner', Refuted),
]


class TestProofs(Proofs):
    chapter = "rotary/groups"
    mutants = MUTANTS
