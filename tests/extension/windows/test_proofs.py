"""The derivations of extension/windows, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "clipped from below",
        'clip = define("r", lambda m, n: sp.Min(',
        'clip = define("r", lambda m, n: sp.Max(',
        Refuted,
    ),
    Mutant(
        "the last token counted from 1",
        'w + (N - 1 - w) / f, because="no key',
        'w + (N - 2 - w) / f, because="no key',
        Refuted,
    ),
    Mutant(
        "the second token in the place of the first",
        "    leaky(N - 1, sp.Integer(0)), given",
        "    leaky(N - 1, sp.Integer(1)), given",
        Refuted,
    ),
    Mutant(
        "the largest id without its shift",
        "top = floor((N - 1) / G) + w - floor(w / G)",
        "top = floor((N - 1) / G)",
        Refuted,
    ),
    Mutant(
        "a quotient for the floor of w",
        "top = floor((N - 1) / G) + w - floor(w / G)",
        "top = floor((N - 1) / G) + w - w / G",
        Refuted,
    ),
    Mutant("the reach of the paper", "longest = G * (L - w + floor(w / G))", "longest = G * (L - w) + w", Undecided),
    Mutant(
        "a text that is one token shorter", "given=[sp.Eq(m, longest), w", "given=[sp.Eq(m, longest - 1), w", Refuted
    ),
    Mutant("the second group", "    groups(N - 1, sp.Integer(0)),", "    groups(N - 1, G),", Refuted),
    Mutant("no id skipped at the seam", '    w + 1, because="$w$ tokens', '    w, because="$w$ tokens', Refuted),
    Mutant(
        "a far key in the window",
        'given=[m - n >= w], claim="windows.seam"',
        'given=[m - n >= w - 1], claim="windows.seam"',
        Refuted,
    ),
    Mutant("a group that does not divide", "given=[sp.Eq(w, u * G)]", "given=[w >= u * G]", Refuted),
    Mutant("a table of two rows", "(sp.Min(place(m) + s, c), sp.Eq(number(m), number(n) + 1)),", "", Undecided),
    Mutant("the chunk before without its offset", "(sp.Min(place(m) + s, c),", "(sp.Min(place(m), c),", Refuted),
    Mutant(
        "a local size above the chunk", "sizes = [s <= c, c <= 2 * s - 1]", "sizes = [s <= c, c <= 3 * s]", Undecided
    ),
    Mutant(
        "the window of the query's place",
        "sp.Min(m - n, c - place(n)), because",
        "sp.Min(m - n, c - place(m)), because",
        Refuted,
    ),
    Mutant("exact one further", "within = [m - n <= local + 1]", "within = [m - n <= local + 2]", Refuted),
    Mutant("a far id above the local size", '    local + 1, because=r"both', '    local + 2, because=r"both', Refuted),
    Mutant(
        "a query in the second chunk",
        "given=[m >= 2 * s, s <= c, c <= 2 * s - 2]",
        "given=[m >= s, s <= c, c <= 2 * s - 2]",
        Refuted,
    ),
    Mutant(
        "the order at any local size",
        "given=[m >= 2 * s, s <= c, c <= 2 * s - 2]",
        "given=[m >= 2 * s, s <= c, c <= 2 * s - 1]",
        Refuted,
    ),
    Mutant("sinks that move", "(n - gone, True)", "(n, True)", Refuted),
    Mutant("a query that does not move", "query = sp.Min(m, a + b - 1)", "query = m", Refuted),
    Mutant("a place too many", "query = sp.Min(m, a + b - 1)", "query = sp.Min(m, a + b)", Refuted),
    Mutant(
        "tokens that were forgotten", "recent = [n >= a, n <= m, m - n <= b - 1]", "recent = [n >= a, n <= m]", Refuted
    ),
    Mutant("the queries' own angles", "    beta(v) - beta(n),\n", "    alpha(v) - alpha(n),\n", Undecided),
    Mutant("groups of one token", "given=[G >= 2]", "given=[G >= 1]", Refuted),
    Mutant("a leak of 1", "given=[f > 1]", "given=[f >= 1]", Refuted),
    Mutant(
        "keys of one chunk", "ends = dual(s, s - 1) - dual(s, s)", "ends = dual(s, s - 1) - dual(s, s - 1)", Refuted
    ),
    Mutant("a change that has the other sign", ".step(1 - 1 / f, because", ".step(1 / f - 1, because", Refuted),
    Mutant(
        "a text within the window reaches it too",
        "    clip(N - 1, sp.Integer(0)), given=[w <= N - 1]",
        "    clip(N - 1, sp.Integer(0)), given=[w <= N]",
        Refuted,
    ),
    Mutant("moved by half a chunk", "dual(m + s, n + s), claim", "dual(m + 1, n + 1), claim", Refuted),
    Mutant("the key alone moves", "dual(m + s, n + s), claim", "dual(m, n + s), claim", Refuted),
]


class TestProofs(Proofs):
    chapter = "extension/windows"
    mutants = MUTANTS
