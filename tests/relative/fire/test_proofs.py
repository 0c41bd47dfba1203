"""The derivations of relative/fire, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant("no logarithm of 1 plus", "sp.log(1 + c * x))", "sp.log(c * x))", Undecided),
    Mutant("a threshold that only caps", "psi(sp.Max(L, m)))", "psi(sp.Min(L, m)))", Refuted),
    Mutant("the distance as the ruler", "psi(sp.Max(L, m)))", "psi(sp.Max(L, m - n)) * 2)", Refuted),
    Mutant(
        "half is enough", 'step(1, because="$m$ is at most', 'step(sp.Rational(1, 2), because="$m$ is at most', Refuted
    ),
    Mutant(
        "never at 0",
        '0, because="neither logarithm is negative", sign="≥"',
        '0, because="neither logarithm is negative", sign=">"',
        Refuted,
    ),
    Mutant("the slope as it is", "r_1, r_2 = a / psi(L), c", "r_1, r_2 = a, c", Refuted),
    Mutant("the slope times the ruler", "r_1, r_2 = a / psi(L), c", "r_1, r_2 = a * psi(L), c", Refuted),
    Mutant("the ratio inside the logarithm", "r_1, r_2 = a / psi(L), c", "r_1, r_2 = a, c / psi(L)", Refuted),
    Mutant("KERPLE beyond the threshold too", "near = [n <= m, m <= L]", "near = [n <= m, m <= L + 1]", Refuted),
    Mutant("a shift is seen below the threshold", "given=[n < m, L <= m], claim", "given=[n < m], claim", Refuted),
    Mutant("of the own key as well", "given=[n < m, L <= m], claim", "given=[n <= m, L <= m], claim", Refuted),
    Mutant("only the query moves", "rho(m + j, n + j) - rho(m, n)", "rho(m + j, n) - rho(m, n)", Refuted),
    Mutant("the shift makes it larger", "(psi(m) - psi(m + j))", "(psi(m + j) - psi(m))", Refuted),
    Mutant("one ruler for both", "/ (psi(m) * psi(m + j))", "/ psi(m + j) ** 2", Refuted),
    Mutant("a linear fade", 'psi(t) / psi(m), because="$m$', 't / m, because="$m$', Refuted),
    Mutant("the distance without c", "        c * t / psi(m),", "        t / psi(m),", Refuted),
    Mutant(
        "the logarithm above its tangent",
        'because="ln(1 + x) ≤ x",\n        sign="≤"',
        'because="ln(1 + x) ≤ x",\n        sign="≥"',
        Refuted,
    ),
    Mutant("one key fewer is too many", "m + 1, because", "m + 2, because", Refuted),
    Mutant("values of either sign", 'sp.IndexedBase("v", nonnegative=True)', 'sp.IndexedBase("v", real=True)', Refuted),
    Mutant(
        "the constant once outside",
        'sp.exp(above[m]) / over_keys(sp.exp(above[k])),\n        because="$e',
        'sp.exp(above[m]) / total,\n        because="$e',
        Refuted,
    ),
    Mutant(
        "without the spread",
        'sp.exp(F) / over_keys(sp.exp(above[k])),\n        because="no',
        '1 / over_keys(sp.exp(above[k])),\n        because="no',
        Refuted,
    ),
    Mutant("the spread once", "sp.exp(F) / (m + 1),", "F / (m + 1),", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/fire"
    mutants = MUTANTS
