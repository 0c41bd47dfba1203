"""The derivations of shapes/speech, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("an even window makes as many", "N + 1, because", "N, because", Refuted),
    Mutant("a window fits in once more", "N + 2 * c - (K - 1)", "N + 2 * c - K", Refuted),
    Mutant("an odd window makes a frame too many", 'N, because="an odd', 'N + 1, because="an odd', Refuted),
    Mutant("zeros on one side only", "made(2 * c + 1), claim", "made(2 * c + 1) - c, claim", Refuted),
    Mutant("the other cut is the frame before", "z(m + 1), because", "z(m - 1), because", Refuted),
    Mutant("the other cut changes nothing", "z(m + 1), because", "z(m), because", Refuted),
    Mutant("the variance without its 4", "4 * s / G, because", "s / G, because", Refuted),
    Mutant("groups make it larger", "4 * s / G, because", "4 * s * G, because", Refuted),
    Mutant("the window is clear from frame c - 1 on", "given=[m >= c, j >= 0]", "given=[m >= c - 1, j >= 0]", Refuted),
    Mutant("it is clear up to N - c + 1", "m <= N - c, j <= 2 * c - 1", "m <= N - c + 1, j <= 2 * c - 1", Refuted),
    Mutant("the window has a step more", "m <= N - c, j <= 2 * c - 1", "m <= N - c, j <= 2 * c", Refuted),
    Mutant("the sound moves the other way", "z(m - g), because", "z(m + g), because", Refuted),
    Mutant("the weight of the frame itself is added", "a * w[c - m], because", "a * w[c], because", Refuted),
    Mutant("the weights are added from the other side", "a * w[c - m], because", "a * w[c + m], because", Refuted),
    Mutant("at the end a weight is added", "-a * w[N + c - m]", "a * w[N + c - m]", Refuted),
    Mutant("at the end one step off", "-a * w[N + c - m]", "-a * w[N + c - m - 1]", Refuted),
    Mutant("the query's place is in the row", "- q_[l, i]) * r[n, i]", "- q_[l, i]) * r[m - n, i]", Refuted),
    Mutant("rows are equal for all queries", "(q_[m, i] - q_[l, i]) * r[n, i], (i", "0 * r[n, i], (i", Refuted),
    Mutant("from the top it is the distance", "delta + M - N, because", "delta, because", Refuted),
    Mutant("from the top, the other way", "delta + M - N, because", "delta + N - M, because", Refuted),
    Mutant("the cut begins a row late", "(M - N) + N - 1 - delta", "(M - N + 1) + N - 1 - delta", Refuted),
    Mutant("the matrix turns the other way", "(R(M - N) * entries), because", "(R(N - M) * entries), because", Refuted),
    Mutant("the matrix is the same", "(R(M - N) * entries), because", "entries, because", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/speech"
    mutants = MUTANTS
