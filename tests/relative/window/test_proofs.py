"""The derivations of relative/window, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("offsets counted without zero", "(b, 0, 2 * w - 2)", "(b, 0, 2 * w - 3)", Refuted),
    Mutant("offsets of one sign only", ".step((2 * h - 1) * (2 * w - 1), because", ".step(h * w, because", Refuted),
    Mutant("one row more makes 2h + 1", ".step(2 * h * (2 * w - 1)", ".step((2 * h - 2) * (2 * w - 1)", Refuted),
    Mutant("rows of the grid numbered without room", "(2 * w - 1) * y + x", "w * y + x", Refuted),
    Mutant("the number of a cell with the height", "lambda y, x: (2 * w - 1)", "lambda y, x: (2 * h - 1)", Refuted),
    Mutant("query minus key", "down, right = v - y, u - x", "down, right = y - v, x - u", Refuted),
    Mutant("height and width exchanged", "right = v - y, u - x", "right = u - x, v - y", Refuted),
    Mutant("the middle forgotten", "(rows - 1) / 2 - (s(v, u)", "rows / 2 - (s(v, u)", Refuted),
    Mutant("the multiplier on the wrong direction", "- dy) * M + (w - 1 - dx)", "- dy) + M * (w - 1 - dx)", Refuted),
    Mutant("a stretch for one down forgotten", "(1 + a) * M + v, because", "a * M + v, because", Refuted),
    Mutant("2w - 2 is enough", "given=[M >= 2 * w - 1, v", "given=[M >= 2 * w - 2, v", Refuted),
    Mutant("offsets may differ by 2w", "v >= -(2 * w - 2)]", "v >= -2 * w]", Refuted),
    Mutant("the collision to the wrong side", "r(dy + 1, w - 1 - M)", "r(dy + 1, w - 1 + M)", Refuted),
    Mutant("the collision upwards", "r(dy + 1, w - 1 - M)", "r(dy - 1, w - 1 - M)", Refuted),
    Mutant("2w - 1 collides too", "given=[M <= 2 * w - 2]", "given=[M <= 2 * w - 1]", Refuted),
    Mutant("the table ends a row later", "last = rows - 1", "last = rows", Refuted),
    Mutant("the range with 2h - 1", "(2 * h - 2) * (M - (2 * w - 1))", "(2 * h - 2) * (M - (2 * h - 1))", Refuted),
    Mutant("wide and tall exchanged", "4 * (h - 1) * (h - w)", "4 * (h - 1) * (w - h)", Refuted),
    Mutant("the popular multiplier is 2h", "sp.Eq(M, 2 * h - 1)", "sp.Eq(M, 2 * h)", Refuted),
    Mutant("a gap between the stretches", "given=[M <= 2 * w - 1]", "given=[M <= 2 * w]", Refuted),
    Mutant("rows counted from one", "used = r(1 - h, 1 - w) + 1", "used = r(1 - h, 1 - w)", Refuted),
    Mutant(
        "lost rows in each of 2h - 1", "(2 * h - 2) * ((2 * w - 1) - M)", "(2 * h - 1) * ((2 * w - 1) - M)", Refuted
    ),
    Mutant(
        "ends on ends (align_corners)",
        "* (2 * w - 1) / (2 * w_new - 1) - half",
        "* (w - 1) / (w_new - 1) - half",
        Refuted,
    ),
    Mutant("half a point forgotten", "reads = (j + half)", "reads = j", Refuted),
    Mutant(
        "the table resized by h : h'", "dx * (2 * w - 1) / (2 * w_new - 1), because", "dx * w / w_new, because", Refuted
    ),
    Mutant("a logarithm without the 1", "sp.log(1 + x) / sp.log(8)", "sp.log(x) / sp.log(8)", Refuted),
    Mutant("log 2 is half of log 8", "third = sp.Rational(1, 3)", "third = sp.Rational(1, 2)", Refuted),
    Mutant("the symmetric row counted from one", ".step(rows - 1 - swin(dy, dx)", ".step(rows - swin(dy, dx)", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/window"
    mutants = MUTANTS
