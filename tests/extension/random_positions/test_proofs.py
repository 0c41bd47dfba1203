"""The derivations of extension/random-positions, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("a gap counted as its free positions", "steps = sp.Sum(1 + free[j]", "steps = sp.Sum(free[j]", Refuted),
    Mutant(
        "one step too many", "steps = sp.Sum(1 + free[j], (j, 1, k))", "steps = sp.Sum(1 + free[j], (j, 0, k))", Refuted
    ),
    Mutant("the draw shrinks distances", '.step(k, because="no number', '.step(k + 1, because="no number', Refuted),
    Mutant("one wall forgotten", "given=[sp.Eq((n + 1) * mu, L + 1)]", "given=[sp.Eq(n * mu, L + 1)]", Refuted),
    Mutant("both walls forgotten", "given=[sp.Eq((n + 1) * mu, L + 1)]", "given=[sp.Eq((n + 1) * mu, L - 1)]", Refuted),
    Mutant("positions that count from 1", "sp.Sum(mu, (j, 0, i)) - 1", "sp.Sum(mu, (j, 0, i))", Refuted),
    Mutant("tokens counted from 1", ".step((i + 1) * mu - 1", ".step(i * mu - 1", Refuted),
    Mutant("stretched by L/n", ".step((i + 1) * (L + 1) / (n + 1) - 1", ".step((i + 1) * L / n - 1", Refuted),
    Mutant("as many tokens above as below", "C(L - 1 - x, n - 1 - i) / C(L, n)", "C(L - 1 - x, i) / C(L, n)", Refuted),
    Mutant("the token itself not taken out", "C(L - 1 - x, n - 1 - i) / C(L, n)", "C(L - x, n - i) / C(L, n)", Refuted),
    Mutant("next position below in place of above", "place(x + 1) / place(x)", "place(x) / place(x + 1)", Refuted),
    Mutant("factor off by one", "(x + 1) * (L - n + i - x)", "(x + 1) * (L - n + i - x + 1)", Refuted),
    Mutant("position held but not removed", "holding = C(L - 1, n - 1)", "holding = C(L, n - 1)", Refuted),
    Mutant("position left out", "holding = C(L - 1, n - 1)", "holding = C(L - 1, n)", Refuted),
    Mutant("slack turned round", "slack = sp.exp(-y) - (1 - y)", "slack = (1 - y) - sp.exp(-y)", Refuted),
    Mutant("a growing miss", "slack = sp.exp(-y) - (1 - y)", "slack = sp.exp(y) - (1 - y)", Refuted),
    Mutant("remainder of the wrong sign", "sp.Integral((y - t)", "sp.Integral((t - y)", Refuted),
    Mutant("two positions drawn independently", "both = C(L - 2, n - 2) / C(L, n)", "both = (n / L) ** 2", Refuted),
    Mutant("ordered pairs", "(L - r) * both, given", "2 * (L - r) * both, given", Refuted),
    Mutant("distances all alike", "(L - r) * both, given", "L * both, given", Refuted),
    Mutant("a step not glued", "C(L - r, n - 1) / C(L, n))", "C(L - r, n - 2) / C(L, n))", Refuted),
    Mutant("one pair too few", "step_of(1)", "step_of(2)", Refuted),
    Mutant("a collision with itself", "sp.Sum(j / L, (j, 0, n - 1))", "sp.Sum(j / L, (j, 0, n))", Refuted),
    Mutant("pairs counted twice", "n * (n - 1) / (2 * L)", "n * (n - 1) / L", Refuted),
    Mutant("birthday without its square", "n * (n - 1) / (2 * L)", "n / L", Refuted),
    Mutant("only the key is shifted", "R((m + s) * theta).T", "R(m * theta).T", Refuted),
    Mutant("shift on the wrong side", "R((m + s) * theta).T", "R((m - s) * theta).T", Refuted),
    Mutant("a jump past the end", "u_b <= L - n]", "u_b <= L]", Refuted),
    Mutant("jumps that go back", "given=[u_a <= u_b]", "given=[u_a >= u_b]", Refuted),
    Mutant("room for the whole range", "j - i + L - n, because", "j - i + L - n - 1, because", Refuted),
    Mutant("a chunk that jumps within", "at(j, u_a) - at(i, u_a)", "at(j, u_b) - at(i, u_a)", Refuted),
    Mutant(
        "a chunk is stretched",
        'at = define("m", lambda i, u: i + u)',
        'at = define("m", lambda i, u: 2 * i + u)',
        Refuted,
    ),
    Mutant("a jump too few", "(jump, r - n + 1, r - 1)", "(jump, r - n + 2, r - 1)", Refuted),
    Mutant(
        "a jump that stays out of account",
        "sp.Sum(1 / (L - n + 1), (jump, r - n + 1, r - 1)",
        "sp.Sum(1 / (L - n), (jump, r - n + 1, r - 1)",
        Refuted,
    ),
    Mutant("as often as there are tokens", "(n - 1) / (L - n + 1), because", "n / (L - n + 1), because", Refuted),
    Mutant("query turned but not transposed", "R((m + s) * theta).T", "R((m + s) * theta)", Refuted),
    Mutant("a far distance by any jump", "(jump, r - n + 1, L - n)", "(jump, r - n + 1, L - n + 1)", Refuted),
    Mutant("as rare as it is long", "(L - r) / (L - n + 1), because", "r / (L - n + 1), because", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/random-positions"
    mutants = MUTANTS
