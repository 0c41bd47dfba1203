"""The derivations of practice/packed-and-split, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("a text of N tokens ends at position N", "count(border - 1, start)", "count(border, start)", Refuted),
    Mutant("positions go on over the border", "count(border, border)", "count(border, start)", Refuted),
    Mutant("the next text is always lower", 'a token", sign="≤"', 'a token", sign="<"', Refuted),
    Mutant("ids that repeat within a text", "count(place + 1, start)", "count(place, start)", Refuted),
    Mutant("the error has the other sign", "m - n - c * (rank(m)", "m - n + c * (rank(m)", Refuted),
    Mutant("the error is one token a process", "m - n - c * (rank(m)", "m - n - (rank(m)", Refuted),
    Mutant("right on all processes", "given=here, ", "", Refuted),
    Mutant("striped tokens counted as contiguous", "sp.floor(z / c)", "sp.Mod(z, c)", Refuted),
    Mutant(
        "two shards off already at the next process", "    m - n - c, because", "    m - n - 2 * c, because", Refuted
    ),
    Mutant(
        "keys of an earlier process are too far", 'further at least", sign="≤"', 'further at least", sign="≥"', Refuted
    ),
    Mutant("a token does not see itself", "sp.Sum(t + 1, (t, chunk", "sp.Sum(t, (t, chunk", Refuted),
    Mutant("striped chunks", "scores(2 * P - 1 - r)", "scores(P + r)", Refuted),
    Mutant("contiguous chunks", "scores(r) + scores(2 * P - 1 - r)", "scores(2 * r) + scores(2 * r + 1)", Refuted),
    Mutant("blocks by the plain mean", "total(*one) * mean(*one) + total", "mean(*one) + total", Refuted),
    Mutant("blocks by their number of keys", "/ (total(*one) + total(*two))", "/ (A + B)", Refuted),
    Mutant("the second block begins one key later", "(A, A + B - 1)", "(A + 1, A + B - 1)", Refuted),
    Mutant(
        "the sum is too large as well",
        "x: sp.Sum(weight(x) * v[k], (k, 0, N - 1)) / Z(x)",
        "x: sp.Sum(weight(x) * v[k], (k, 0, N - 1)) / Z(0)",
        Refuted,
    ),
    Mutant("the log-sum-exp is smaller", "sp.log(Z(0)) + delta", "sp.log(Z(0)) - delta", Refuted),
    Mutant("the log-sum-exp knows nothing of it", "sp.log(Z(0)) + delta", "sp.log(Z(0))", Refuted),
    Mutant("the origins the other way round", "bias(m - n) + s * (x - y)", "bias(m - n) + s * (y - x)", Refuted),
    Mutant("the query's origin alone", "bias(m - n) + s * (x - y)", "bias(m - n) + s * x", Refuted),
    Mutant("a bias that is no line", "lambda back: -s * back", "lambda back: -s * abs(back)", Refuted),
    Mutant("an offset of the head is enough", "2 ** (-8 * (u + 1) / g)", "2 ** (-8 * (u + 1) / (P * g))", Refuted),
    Mutant("heads counted from 0", "r: 2 ** (-8 * (r * g + u + 1)", "r: 2 ** (-8 * (r * g + u)", Refuted),
    Mutant("the first device is right", 'negative", sign="<"', 'negative", sign="≥"', Refuted),
    Mutant("on one device too", "    given=[P >= 2],\n    claim", "    claim", Refuted),
]


class TestProofs(Proofs):
    chapter = "practice/packed-and-split"
    mutants = MUTANTS
