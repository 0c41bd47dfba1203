"""The derivations of relative/window, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant("offsets counted without zero", "(j, 0, 2 * w - 2)", "(j, 0, 2 * w - 3)", Refuted),
    Mutant("offsets of one sign only", ".step((2 * h - 1) * (2 * w - 1), because", ".step(h * w, because", Refuted),
    Mutant("one row more makes 2h + 1", ".step(2 * h * (2 * w - 1)", ".step((2 * h - 2) * (2 * w - 1)", Refuted),
    Mutant("rows of the grid numbered without room", "(2 * w - 1) * y + x", "w * y + x", Refuted),
    Mutant("the number of a cell with the height", "lambda y, x: (2 * w - 1)", "lambda y, x: (2 * h - 1)", Refuted),
    Mutant("key minus query", "c(y - dy, x - dx)", "c(y + dy, x + dx)", Refuted),
    Mutant("height and width exchanged", "c(y - dy, x - dx)", "c(y - dx, x - dy)", Refuted),
    Mutant("the middle forgotten", "(R - 1) / 2 + c(y, x)", "R / 2 + c(y, x)", Refuted),
    Mutant(
        "the multiplier on the wrong direction",
        "(dy + h - 1) * M + (dx + w - 1)",
        "(dy + h - 1) + M * (dx + w - 1)",
        Refuted,
    ),
    Mutant("a stretch for one down forgotten", "(1 + a) * M + b, because", "a * M + b, because", Refuted),
    Mutant("2w - 2 is enough", "given=[M >= 2 * w - 1, b", "given=[M >= 2 * w - 2, b", Refuted),
    Mutant("offsets may differ by 2w", "b >= -(2 * w - 2)]", "b >= -2 * w]", Refuted),
    Mutant("the collision to the wrong side", "r(dy - 1, 1 - w + M)", "r(dy - 1, 1 - w - M)", Refuted),
    Mutant("the collision with the next stretch", "r(dy - 1, 1 - w + M)", "r(dy + 1, 1 - w + M)", Refuted),
    Mutant("2w - 1 collides too", "given=[M <= 2 * w - 2]", "given=[M <= 2 * w - 1]", Refuted),
    Mutant("the table ends a row later", "last = rows - 1", "last = rows", Refuted),
    Mutant("the range with 2h - 1", "(2 * h - 2) * (M - (2 * w - 1))", "(2 * h - 2) * (M - (2 * h - 1))", Refuted),
    Mutant("wide and tall exchanged", "4 * (h - 1) * (h - w)", "4 * (h - 1) * (w - h)", Refuted),
    Mutant("the popular multiplier is 2h", "sp.Eq(M, 2 * h - 1)", "sp.Eq(M, 2 * h)", Refuted),
    Mutant("a gap between the stretches", "given=[M <= 2 * w - 1]", "given=[M <= 2 * w]", Refuted),
    Mutant("rows counted from one", "used = r(h - 1, w - 1) + 1", "used = r(h - 1, w - 1)", Refuted),
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
    Mutant("the sign of the offset lost", "swin(-dy, -dx)", "swin(dy, -dx)", Refuted),
    Mutant("a logarithm without the 1", "sp.log(1 + z) / sp.log(8)", "sp.log(z) / sp.log(8)", Refuted),
    Mutant("log 2 is half of log 8", "third = sp.Rational(1, 3)", "third = sp.Rational(1, 2)", Refuted),
    Mutant("the symmetric row counted from one", "rows - 1 - swin(dy, dx)", "rows - swin(dy, dx)", Refuted),
]


class TestProofs(Proofs):
    chapter = "relative/window"
    mutants = MUTANTS
