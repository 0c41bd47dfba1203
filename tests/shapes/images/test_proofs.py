"""The derivations of shapes/images, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

MUTANTS = [
    Mutant(
        "a sine for each axis alone",
        "return sines + sp.cos(at * theta[i]) * sp.cos(other * theta[i])",
        "return sines",
        Refuted,
    ),
    Mutant("places added", "K(y - y_k) + K(x - x_k), because", "K(y + y_k) + K(x + x_k), because", Refuted),
    Mutant("row and column crossed", "K(y - y_k) + K(x - x_k), because", "K(y - x_k) + K(x - y_k), because", Refuted),
    Mutant("the kernels multiplied", "K(y - y_k) + K(x - x_k), because", "K(y - y_k) * K(x - x_k), because", Refuted),
    Mutant("one kernel of both", "K(y - y_k) + K(x - x_k), because", "K(y - y_k + x - x_k), because", Refuted),
    Mutant(
        "columns of another height", "column_at(row * W + col, W), given", "column_at(row * W + col, H), given", Refuted
    ),
    Mutant("column x on a square", ").step(row, because", ").step(col, because", Refuted),
    Mutant("a patch beyond the row", "inside = [col <= W - 1]", "inside = [col <= W]", Refuted),
    Mutant("row y on a square", "    col, because", "    row, because", Refuted),
    Mutant("numbered by the height", "row_at(row * W + col, W), given", "row_at(row * H + col, W), given", Refuted),
    Mutant("column 1 alone", ", sp.Eq(found_row, 0)]", "]", Refuted),
    Mutant("row 0 alone", "sp.Eq(found_col, 1), sp.Eq", "sp.Eq", Refuted),
    Mutant("the row times the height", "found_col * H + found_row)]", "found_row * H + found_col)]", Refuted),
    Mutant("always the exact middle", '    half, because="rounding', '    0, because="rounding', Refuted),
    Mutant("all that is left over, not half", "sp.floor((n - N) / 2)", "sp.floor(n - N)", Refuted),
    Mutant("from the corner", "r + sp.floor((n - N) / 2)", "r", Refuted),
    Mutant("no half step", "n / N * (r + half) - half)\n\n\ndef read", "n / N * r)\n\n\ndef read", Refuted),
    Mutant("the mirror of N rows", "read(u(N - 1 - r), lambda j: E[j])", "read(u(N - r), lambda j: E[j])", Refuted),
    Mutant(
        "flipped again", "read(u(N - 1 - r), lambda j: E[j])", "read(u(N - 1 - r), lambda j: E[n - 1 - j])", Refuted
    ),
    Mutant("weights with a sense", "weight(sp.Abs(place - j)) * old(j)", "weight(place - j) * old(j)", Refuted),
    Mutant("a copy only before the first row", "sp.Sum(terms, (j, -2, n + 1))", "sp.Sum(terms, (j, -2, n))", Refuted),
    Mutant(
        "the scale upside down",
        "n / N * (r + half) - half)\n\n\ndef read",
        "N / n * (r + half) - half)\n\n\ndef read",
        Undecided,
    ),
    Mutant("there and back is the identity", "(4074 * E[k] + 56 * side - 45 * next_side) / 4096", "E[k]", Refuted),
    Mutant("by straight lines", "(4074 * E[k] + 56 * side - 45 * next_side) / 4096", "(6 * E[k] + side) / 8", Refuted),
    Mutant("the smoothed parameter", "torch_has = [sp.Eq(a, -3 * quarter)]", "torch_has = [sp.Eq(a, -half)]", Refuted),
    Mutant(
        "even rows on the other side",
        "between(lambda m: E[m], k - 1, 1 - quarter)",
        "between(lambda m: E[m], k - 1, quarter)",
        Refuted,
    ),
    Mutant("read at the even row", "odd_row(k - 1) + even_row(k + 1)", "odd_row(k) + even_row(k)", Refuted),
    Mutant("a row too far", "far(2 - t) * row(k + 2)", "far(2 - t) * row(k + 3)", Refuted),
    Mutant("the tenth is harmless", "n - 1 - n * epsilon / (N + epsilon), because", "n - 1, because", Refuted),
    Mutant(
        "a tenth of the old size", "n - 1 - n * epsilon / (N + epsilon), because", "n - 1 - epsilon, because", Refuted
    ),
    Mutant("the tenth subtracted", "n / (N + epsilon) * (r + half)", "n / (N - epsilon) * (r + half)", Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/images"
    mutants = MUTANTS
