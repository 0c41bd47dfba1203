"""The derivations of extension/yarn, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted, Undecided

SHARE = "sp.Max(0, sp.Min(1, (r - alpha) / (beta - alpha)))"
BLEND = "((1 - kept) / s + kept) * theta"
NUMBER = "d * sp.log(L_ / (2 * sp.pi * r)) / (2 * sp.log(b))"
CODE = "sp.log(turns_of_i / alpha) / sp.log(beta / alpha),"
BOUND = "bound = (sp.log(M / alpha) - 1 + alpha / M) / Lam"
SMOOTH = "smooth = (L_ / lam - alpha) / (beta - alpha)"
FAST_WAVE, SLOW_WAVE = "(theta, lam < L_ / beta)", "(theta / s, lam > L_ / alpha)"
WAVES = ".step(theta / ((1 - gamma(turns_)) * s + gamma(turns_)), because"
PARTIAL = "a**2 * by_distance(m - n) + q2 * k2, because"
SQUARE = "a**2 * k.T * R(m - n) * q, because"

MUTANTS = [
    Mutant("no cut at 0", SHARE, "sp.Min(1, (r - alpha) / (beta - alpha))", Refuted),
    Mutant("the ramp the wrong way round", SHARE, "sp.Max(0, sp.Min(1, (beta - r) / (beta - alpha)))", Refuted),
    Mutant("the share of the other part", BLEND, "(kept / s + 1 - kept) * theta", Refuted),
    Mutant("multiplied by the factor", BLEND, "((1 - kept) * s + kept) * theta", Refuted),
    Mutant("the slow pair too fast", "turns_ <= alpha]", "turns_ <= beta]", Refuted),
    Mutant("the slow pair left at the old length", "s * L_ * new, given", "L_ * new, given", Refuted),
    Mutant("the fast pair too slow", "turns_ >= beta]", "turns_ >= alpha]", Refuted),
    Mutant("bounds also for s below 1", "given=[kept <= 1, s >= 1], claim", "given=[kept <= 1], claim", Refuted),
    Mutant("a share above 1", "given=[kept <= 1, s >= 1], claim", "given=[s >= 1], claim", Refuted),
    Mutant("a share that falls towards fast pairs", "kept2 <= kept, theta2", "kept2 >= kept, theta2", Refuted),
    Mutant("the order of any two pairs", "theta2 < theta, s >= 1]", "s >= 1]", Refuted),
    Mutant("a faster pair that is as slow", "theta2 < theta, s >= 1]", "theta2 <= theta, s >= 1]", Refuted),
    Mutant("features counted for pairs", NUMBER, "d * sp.log(L_ / (2 * sp.pi * r)) / sp.log(b)", Refuted),
    Mutant("turns counted in radians", NUMBER, "d * sp.log(L_ / r) / (2 * sp.log(b))", Refuted),
    Mutant("the code's ramp taken for the paper's", CODE, "(turns_of_i - alpha) / (beta - alpha),", Refuted),
    Mutant("the code's ramp upside down", CODE, "sp.log(beta / turns_of_i) / sp.log(beta / alpha),", Refuted),
    Mutant("the ends exchanged", "(number(alpha) - i) /", "(i - number(beta)) /", Refuted),
    Mutant("a tighter bound", BOUND, "bound = (sp.log(M / alpha) - 1) / Lam", Refuted),
    Mutant(
        "the arithmetic mean in the place of M", "sp.Eq(beta, alpha + M * Lam)", "sp.Eq(beta, 2 * M - alpha)", Refuted
    ),
    Mutant("the tangent at alpha", "by=LOGARITHM.at(r / M - 1)", "by=LOGARITHM.at(r / alpha - 1)", Undecided),
    Mutant("the largest gap at the slow end", "given=[ends, sp.Eq(r, M)]", "given=[ends, sp.Eq(r, alpha)]", Refuted),
    Mutant("a point off the chord", "sp.Eq(w * beta, r - (1 - w) * alpha)", "sp.Eq(w * beta, r - w * alpha)", Refuted),
    Mutant("Llama's ends exchanged", FAST_WAVE, "(theta, lam < L_ / alpha)", Refuted),
    Mutant("Llama's long waves multiplied", SLOW_WAVE, "(theta * s, lam > L_ / alpha)", Refuted),
    Mutant(
        "Llama's blend even in the wavelength",
        SMOOTH,
        "smooth = (L_ / alpha - lam) / (L_ / alpha - L_ / beta)",
        Refuted,
    ),
    Mutant("Llama's blend the wrong way round", SMOOTH, "smooth = (beta - L_ / lam) / (beta - alpha)", Refuted),
    Mutant("a turn of one radian", "sp.Eq(lam, 2 * sp.pi / theta)", "sp.Eq(lam, 1 / theta)", Refuted),
    Mutant("Llama blends wavelengths", ".step(new, because", WAVES, Refuted),
    Mutant("the factor not squared", SQUARE, "a * k.T * R(m - n) * q, because", Refuted),
    Mutant("the distance the other way", SQUARE, "a**2 * k.T * R(n - m) * q, because", Refuted),
    Mutant("a query that does not grow", "* larger * R(m) * q", "* R(m) * q", Refuted),
    Mutant("the whole score grown", PARTIAL, "a**2 * (by_distance(m - n) + q2 * k2), because", Refuted),
    Mutant("all features grown", "sp.diag(a, a, 1)", "sp.diag(a, a, a)", Refuted),
    Mutant("the rotated part not squared", PARTIAL, "a * by_distance(m - n) + q2 * k2, because", Refuted),
    Mutant("a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]", Refuted),
    Mutant(
        "the harmonic mean above the arithmetic one",
        "theta / ((1 - kept) * s + kept), given",
        "theta / ((1 - kept) * s), given",
        Refuted,
    ),
]


class TestProofs(Proofs):
    chapter = "extension/yarn"
    mutants = MUTANTS
