"""The derivations of absolute/recurrent, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "a code that came twice starts the next one",
        ".step(f(p(j)), because=",
        ".step(f(p(j + 1)), because=",
        Refuted,
    ),
    Mutant("equal codes: the next one is the same one", ".step(p(j + 1), because=", ".step(p(j), because=", Refuted),
    Mutant("distinct without an inverse", "twice = [*undo, ", "twice = [", Refuted),
    Mutant("the inverse undoes two steps", "g(p(j + 1)), because", "g(p(j + 2)), because", Refuted),
    Mutant("the slope of tanh is 1 + tanh²", "(1 - sp.tanh(inner) ** 2)", "(1 + sp.tanh(inner) ** 2)", Refuted),
    Mutant("the inner derivative forgotten", "sp.Rational(9, 10) * (1 -", "(1 -", Refuted),
    Mutant("a contraction that expands", "gap(k + 1) <= c * gap(k)", "gap(k + 1) >= c * gap(k)", Refuted),
    Mutant("the bound does not shrink", ".step(c ** (k + 1) * D", ".step(c**k * D", Refuted),
    Mutant("triangle inequality the wrong way round", 'because="triangle inequality", sign="≤"',
          'because="triangle inequality", sign="≥"', Refuted),
    Mutant("one gap too many", "sp.Sum(gap(k + j), (j, 0, n - 1))", "sp.Sum(gap(k + j), (j, 0, n))", Undecided),
    Mutant("each gap is the first one", "bounds = sp.Sum(c ** (k + j) * D", "bounds = sp.Sum(c**j * D", Undecided),
    Mutant("geometric sum ends at n - 1", "c**k * D * (1 - c**n)", "c**k * D * (1 - c ** (n - 1))", Refuted),
    Mutant("what is left out is not the whole", ".step(c**k * D, because", ".step(c ** (k + n) * D, because", Refuted),
    Mutant("the sum has one term too many", "sp.Sum(a**j, (j, 0, k - 1))", "sp.Sum(a**j, (j, 0, k))", Refuted),
    Mutant(
        "the constant is added before the product",
        "a * code(k) + b, because",
        "a * (code(k) + b), because",
        Refuted,
    ),
    Mutant("relu is the absolute value", "(x + sp.Abs(x)) / 2", "x - sp.Abs(x)", Refuted),
    Mutant("gates that do not add up to 1", "(1 - z(u)) * candidate", "(1 + z(u)) * candidate", Refuted),
    Mutant("a gate that may be negative", "1 / (1 + sp.exp(-u))", "u / (1 + sp.exp(-u))", Refuted),
    Mutant("no bound on the candidate", "bounded = [candidate <= 1, h <= 1]", "bounded = [h <= 1]", Refuted),
    Mutant("a candidate below the bound", "from_below = [candidate >= -1, h >= -1]", "from_below = [h >= -1]", Refuted),
    Mutant("a path that runs backwards", "[sp.sin(theta * t), sp.cos(theta * t)]",
          "[sp.cos(theta * t), sp.sin(theta * t)]", Refuted),
    Mutant("Ω transposed", "sp.Matrix([[0, theta], [-theta, 0]])", "sp.Matrix([[0, -theta], [theta, 0]])", Refuted),
    Mutant("Ω symmetric", "sp.Matrix([[0, theta], [-theta, 0]])", "sp.Matrix([[0, theta], [theta, 0]])", Refuted),
    Mutant("the start is the first feature", "E(t) * sp.Matrix([0, 1])", "E(t) * sp.Matrix([1, 0])", Refuted),
    Mutant("sine and cosine exchanged", "sp.Matrix([sp.sin(t * theta), sp.cos(t * theta)])",
          "sp.Matrix([sp.cos(t * theta), sp.sin(t * theta)])", Refuted),
    Mutant("exponentials add", "E(1) * E(k), because", "E(1) + E(k), because", Refuted),
    Mutant("one step too few", "E(1) * E(k), because", "E(k), because", Refuted),
    Mutant("symmetric in place of skew", "sp.Eq(dP, (K - K.T) * P)", "sp.Eq(dP, (K + K.T) * P)", Refuted),
    Mutant("the transpose forgotten", "P.T * (K.T - K) * P", "P.T * (K - K.T) * P", Refuted),
    Mutant("Euler keeps the length", "(1 + theta**2) * (x**2 + y**2)", "x**2 + y**2", Refuted),
    Mutant("Euler with θ unsquared", "(1 + theta**2)", "(1 + theta)", Refuted),
    Mutant("product rule without its 2", "2 * q(t) * q(t).diff(t), because", "q(t) * q(t).diff(t), because", Refuted),
    Mutant("damping that feeds", "-2 * q(t) ** 2", "2 * q(t) ** 2", Refuted),
    Mutant("the blow-up with a sign", "(1 / (1 - t)) ** 2", "-((1 / (1 - t)) ** 2)", Refuted),
]  # fmt: skip


class TestProofs(Proofs):
    chapter = "absolute/recurrent"
    mutants = MUTANTS
