"""The derivations of shapes/generators, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

MUTANTS = [
    Mutant(
        "only the query turned",
        "Derivation((R(y, x) * k).T * R(y, x) * q, claim",
        "Derivation(k.T * R(y, x) * q, claim",
        Refuted,
    ),
    Mutant(
        "words at different places",
        "Derivation((R(y, x) * k).T * R(y, x) * q, claim",
        "Derivation((R(y, x) * k).T * R(x, y) * q, claim",
        Refuted,
    ),
    Mutant(
        "values without their weights",
        "sp.exp(s) * v + sp.exp(s_2) * v_2 + others",
        "sp.exp(s) * v + v_2 + others",
        Refuted,
    ),
    Mutant("values left behind", "output(s_b, v_b, s_a, v_a), because", "output(s_b, v_a, s_a, v_b), because", Refuted),
    Mutant(
        "the patch forgotten", '(R(y, x) * k).T * q, because="a turn by 0"', 'k.T * q, because="a turn by 0"', Refuted
    ),
    Mutant("turned on and not back", "R(-u, -w) * q, because", "R(u, w) * q, because", Refuted),
    Mutant("nothing changes for the word", "R(-u, -w) * q, because", "q, because", Refuted),
    Mutant("the shift of one of two", "* R(y - c_y, x - c_x) * q", "* R(y, x) * q", Refuted),
    Mutant("shifted apart", "* R(y - c_y, x - c_x) * q", "* R(y + c_y, x + c_x) * q", Refuted),
    Mutant("rows shifted by columns", "(R(y_k - c_y, x_k - c_x)", "(R(y_k - c_x, x_k - c_y)", Refuted),
    Mutant(
        "the cosine of an unrotated key",
        "(turn(0, 0) * k).T * R(y, x) * q",
        "(turn(1, 0) * k).T * R(y, x) * q",
        Refuted,
    ),
    Mutant(
        "only the sine of a query set to 0",
        "(R(y, x) * k).T * turn(0, 0) * q",
        "(R(y, x) * k).T * turn(1, 0) * q",
        Refuted,
    ),
    Mutant(
        "a score of 0 means no weight",
        '1 / Z, because="the exponential of 0"',
        '0, because="the exponential of 0"',
        Refuted,
    ),
    Mutant("a score that is not 0", "given=[sp.Eq(s_0, 0)]", "given=[sp.Eq(s_0, 1)]", Refuted),
    Mutant("one key more", "(j, 1, n)), claim", "(j, 0, n)), claim", Refuted),
    Mutant("a factor 2 in the exponent lost", "(-2 * i / sp.Integer(16))", "(-i / sp.Integer(16))", Refuted),
    Mutant("base 10,000", "sp.Integer(256) **", "sp.Integer(10_000) **", Refuted),
    Mutant("half the time", "hand(up, t + 16 * sp.pi)", "hand(up, t + 8 * sp.pi)", Refuted),
    Mutant("a fifth hand", "rotation(t * 2**u / 8)", "rotation(t * 2**u / 16)", Refuted),
    Mutant("half a turn", "by(r - period, period), because", "by(r - period / 2, period), because", Refuted),
    Mutant("the other way", "by(-(T / c - T + 1), T / c), because", "by(T / c - T + 1, T / c), because", Refuted),
    Mutant("always the next frame", "by(-(T / c - T + 1), T / c), because", "by(-1, T / c), because", Refuted),
    Mutant("the share on the wrong side", "given=[T > c * period]", "given=[c * T > period]", Refuted),
    Mutant("without the share", "given=[T < c * period]", "given=[T < period]", Refuted),
    Mutant("not squared", "last / factor ** (2 * tau**2), because", "last / factor ** (2 * tau), because", Refuted),
    Mutant(
        "NTK at the start", 'last / factor**2, because="at the start"', 'last / factor, because="at the start"', Refuted
    ),
    Mutant("NTK half way", "frequency(P, 1 / sp.sqrt(2))", "frequency(P, sp.Rational(1, 2))", Refuted),
    Mutant("still extended at the end", 'last, because="at the end"', 'last / factor, because="at the end"', Refuted),
]


class TestProofs(Proofs):
    chapter = "shapes/generators"
    mutants = MUTANTS
