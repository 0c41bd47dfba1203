"""Errors that people make in these formulas, planted one at a time into the chapters' derivations."""

from typing import NamedTuple


class Plant(NamedTuple):
    chapter: str
    name: str
    right: str  # stands in exactly one derivation cell of the chapter
    wrong: str


PLANTED = [
    Plant(
        "order-blind", "the scores lose a transpose", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_q * W_k.T * X.T * P"
    ),
    Plant(
        "order-blind", "queries and keys swapped", "P * X * W_q * W_k.T * X.T * P.T", "P * X * W_k * W_q.T * X.T * P.T"
    ),
    Plant(
        "order-blind",
        "divided by d, not by its root",
        "X.T * P.T / sp.sqrt(d),\n    because=",
        "X.T * P.T / d,\n    because=",
    ),
    Plant("order-blind", "the scores' rows reordered, not their columns", "step(P * S(X) * P.T", "step(P * S(X)"),
    Plant("order-blind", "P on both sides of the scores", "step(P * S(X) * P.T", "step(P * S(X) * P"),
    Plant(
        "order-blind",
        "the softmax over the queries",
        "over_keys(sp.exp(score[pi(i), l])),\n    because",
        "over_keys(sp.exp(score[l, pi(j)])),\n    because",
    ),
    Plant("order-blind", "the weights said to be invariant", "step(weight(pi(i), pi(j))", "step(weight(i, j)"),
    Plant("order-blind", "the weights transposed", "step(weight(pi(i), pi(j))", "step(weight(pi(j), pi(i))"),
    Plant("order-blind", "only the numerator reordered", "step(weight(pi(i), pi(j))", "step(weight(i, pi(j))"),
    Plant("order-blind", "the output said to be invariant", "step(P * (A * X * W_v)", "step(A * X * W_v"),
    Plant("order-blind", "the permutation left inside", "step(P * (A * X * W_v)", "step(A * (P * X * W_v)"),
    Plant(
        "order-blind",
        "a permutation taken for its own inverse",
        "(P * A * P.T) * (P * X * W_v)",
        "(P * A * P) * (P * X * W_v)",
    ),
    Plant("order-blind", "a sum for a mean", "step(ones.T * Y / n", "step(ones.T * Y"),
    Plant(
        "order-blind",
        "the rows of P for its columns",
        "given=[sp.Eq(ones.T * P, ones.T)]",
        "given=[sp.Eq(P * ones, ones)]",
    ),
    Plant("order-blind", "the query's scores reordered the wrong way", "step(s(X) * P.T", "step(s(X) * P"),
    Plant("order-blind", "the query's scores said to be invariant", "step(s(X) * P.T", "step(s(X)"),
    Plant("order-blind", "weights and values reordered alike", "(a * P.T) * (P * V)", "(a * P) * (P * V)"),
    Plant(
        "order-blind",
        "the token itself not counted",
        "sp.KroneckerDelta(j, 1) / t, (j, 1, t)",
        "sp.KroneckerDelta(j, 1) / (t + 1), (j, 1, t)",
    ),
    Plant(
        "order-blind",
        "the marker out of sight",
        "sp.KroneckerDelta(j, 1) / t, (j, 1, t)",
        "sp.KroneckerDelta(j, 1) / t, (j, 2, t)",
    ),
    Plant("order-blind", "the clock counts from 0", "step(1 / t, because", "step(1 / (t + 1), because"),
    Plant("order-blind", "the clock's step on the wrong side", "1 / (t * (t + 1))", "1 / (t * (t - 1))"),
    Plant("order-blind", "the clock runs forwards", "Derivation(1 / t - 1 / (t + 1)", "Derivation(1 / (t + 1) - 1 / t"),
    Plant("order-blind", "the text moved the other way", "text(m - shift + k)", "text(m + shift + k)"),
    Plant("order-blind", "the convolution mirrored", "text(m - shift + k)", "text(m - shift - k)"),
    Plant("order-blind", "the middle weight counted as missing", "(k, -r, -1)", "(k, -r, 0)"),
    Plant("order-blind", "the right side missing", "(k, -r, -1)", "(k, 1, r)"),
    Plant("order-blind", "the recurrence with its tokens swapped", "(keep - 1) * (u - v)", "(keep - 1) * (v - u)"),
    Plant("order-blind", "the recurrence forgets the new token", "(keep - 1) * (u - v)", "keep * (u - v)"),
    Plant("order-blind", "the codes move with the tokens", "P * E - E, because", "0 * E, because"),
    Plant("order-blind", "the codes' difference the wrong way round", "P * E - E, because", "E - P * E, because"),
    Plant("order-blind", "only one index read backwards", "bias(n - 1 - i, n - 1 - j)", "bias(n - 1 - i, j)"),
    Plant(
        "order-blind", "a signed distance read backwards", '"B", lambda i, j: -sp.Abs(i - j)', '"B", lambda i, j: i - j'
    ),
    Plant(
        "transformer",
        "independence, a factor lost",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q^2") * mean("k^2") - mean("q") * mean("k")',
    ),
    Plant(
        "transformer",
        "independence, sign",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q^2") * mean("k^2") + (mean("q") * mean("k")) ** 2',
    ),
    Plant(
        "transformer",
        "the means left in",
        'variance = mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
        'variance = mean("q") * mean("q^2") * mean("k^2") - (mean("q") * mean("k")) ** 2',
    ),
    Plant("transformer", "variance without its square", 'mean("qk") ** 2,', 'mean("qk"),'),
    Plant(
        "transformer", "features that are not independent", '    sp.Eq(mean("q^2k^2"), mean("q^2") * mean("k^2")),', ""
    ),
    Plant("transformer", "queries of variance two", 'sp.Eq(mean("q^2"), 1)', 'sp.Eq(mean("q^2"), 2)'),
    Plant(
        "transformer",
        "no hypothesis on the means",
        'given=means + squares, claim="transformer.scale").step(\n    sp.Sum(1, (i',
        'given=squares, claim="transformer.scale").step(\n    sp.Sum(1, (i',
    ),
    Plant("transformer", "variance √d instead of d", ".step(d, because", ".step(sp.sqrt(d), because"),
    Plant(
        "transformer", "sum from 0 to d", "score = sp.Sum(variance, (i, 1, d))", "score = sp.Sum(variance, (i, 0, d))"
    ),
    Plant(
        "transformer", "divided by √d twice", "sp.Sum(variance / d, (i, 1, d))", "sp.Sum(variance / d**2, (i, 1, d))"
    ),
    Plant(
        "transformer",
        "the variance divided by √d",
        "sp.Sum(variance / d, (i, 1, d))",
        "sp.Sum(variance / sp.sqrt(d), (i, 1, d))",
    ),
    Plant("transformer", "cost, three maps instead of four", "4 * mu(n, d, d) + sp.Sum", "3 * mu(n, d, d) + sp.Sum"),
    Plant(
        "transformer",
        "cost, heads of full width",
        "one_head = mu(n, d / h, n) + mu(n, n, d / h)",
        "one_head = mu(n, d, n) + mu(n, n, d)",
    ),
    Plant(
        "transformer",
        "cost, averages forgotten",
        "one_head = mu(n, d / h, n) + mu(n, n, d / h)",
        "one_head = mu(n, d / h, n)",
    ),
    Plant(
        "transformer",
        "cost, the value product the other way round",
        "one_head = mu(n, d / h, n) + mu(n, n, d / h)",
        "one_head = mu(n, d / h, n) + mu(d / h, n, d / h)",
    ),
    Plant(
        "transformer",
        "cost, quadratic in d",
        ").step(4 * n * d**2 + 2 * n**2 * d, because",
        ").step(4 * n * d**2 + 2 * n * d**2, because",
    ),
    Plant("transformer", "cost, heads counted from 0", "sp.Sum(one_head, (j, 1, h))", "sp.Sum(one_head, (j, 0, h))"),
    Plant(
        "transformer",
        "cost, the number of heads stays",
        ").step(4 * n * d**2 + 2 * n**2 * d, because",
        ").step(4 * n * d**2 + 2 * h * n**2 * d, because",
    ),
    Plant("transformer", "positions that do not reach the values", "A * X * W_v + A * E * W_v", "A * X * W_v + A * E"),
    Plant("transformer", "the map forgotten for the positions", "A * (X * W_v + E * W_v)", "A * (X * W_v + E)"),
    Plant("transformer", "the map on the wrong side", "A * X * W_v + A * E * W_v", "A * X * W_v + W_v * A * E"),
    Plant("transformer", "weights left out", "A * X * W_v + A * E * W_v", "A * X * W_v + E * W_v"),
    Plant("transformer", "columns sum to one instead of rows", "sp.Eq(A * ones, ones)", "sp.Eq(A.T * ones, ones)"),
    Plant("transformer", "weights that sum to two", "sp.Eq(A * ones, ones)", "sp.Eq(A * ones, 2 * ones)"),
    Plant(
        "transformer", "a transpose lost on the map", "Q * W_k.T * Y.T * P.T, because", "Q * W_k * Y.T * P.T, because"
    ),
    Plant(
        "transformer",
        "permutation without its transpose",
        "Q * W_k.T * Y.T * P.T, because",
        "Q * W_k.T * Y.T * P, because",
    ),
    Plant(
        "transformer",
        "the permuted keys twice",
        "Q * K_transposed(Y) * P.T, because",
        "Q * K_transposed(P * Y) * P.T, because",
    ),
    Plant(
        "transformer", "scores that are invariant", "Q * K_transposed(Y) * P.T, because", "Q * K_transposed(Y), because"
    ),
    Plant("transformer", "weights permuted the wrong way", "(U * P.T) * V(P * Y), given", "(U * P) * V(P * Y), given"),
    Plant("transformer", "values not permuted", "(U * P.T) * V(P * Y), given", "(U * P.T) * V(Y), given"),
    Plant(
        "transformer",
        "a permutation that is its own inverse",
        "undone = [sp.Eq(P.T * P, sp.Identity(n))]",
        "undone = [sp.Eq(P.T * P, P)]",
    ),
    Plant(
        "transformer", "the map of the values lost", "U * P.T * P * Y * W_v, because", "U * P.T * P * Y * W_k, because"
    ),
    Plant(
        "transformer", "denominator without its hypothesis", "ones_stay = [sp.Eq(P.T * ones, ones)]", "ones_stay = []"
    ),
    Plant("transformer", "denominator, a factor too many", ").step(U * ones, because", ").step(2 * U * ones, because"),
    Plant(
        "transformer",
        "overtaking at d instead of 2d",
        "2 * n * d * (n - 2 * d), because",
        "2 * n * d * (n - d), because",
    ),
    Plant(
        "sinusoidal",
        "addition theorem of the sine, sign",
        "sin_m * cos_k + cos_m * sin_k",
        "sin_m * cos_k - cos_m * sin_k",
    ),
    Plant(
        "sinusoidal",
        "addition theorem of the cosine, sign",
        "cos_m * cos_k - sin_m * sin_k",
        "cos_m * cos_k + sin_m * sin_k",
    ),
    Plant("sinusoidal", "the shifted vector on both sides", "R(k) * p(m), because", "R(k) * p(m + k), because"),
    Plant("sinusoidal", "the matrix transposed", "R(k) * p(m), because", "R(k).T * p(m), because"),
    Plant("sinusoidal", "the inverse without its minus", "R(-k), because=", "R(k), because="),
    Plant("sinusoidal", "composition subtracts", "R(k1 + k2)", "R(k1 - k2)"),
    Plant("sinusoidal", "the transpose forgotten", "R(k1) * R(-k2)", "R(k1) * R(k2)"),
    Plant("sinusoidal", "the difference the wrong way round", "R(k1 - k2)", "R(k2 - k1)"),
    Plant("sinusoidal", "the norm without its half", ".step(d / 2, because", ".step(d, because"),
    Plant("sinusoidal", "Pythagoras with a cube", "+ sp.cos(m * theta_i) ** 2", "+ sp.cos(m * theta_i) ** 3"),
    Plant(
        "sinusoidal",
        "2i becomes 2i + 1 in the cosine",
        "+ sp.cos(m * theta_i) ** 2",
        "+ sp.cos(m * b ** (-(2 * i + 1) / d)) ** 2",
    ),
    Plant("sinusoidal", "the kernel of the sum", "sp.cos((m - n) * theta_i)", "sp.cos((m + n) * theta_i)"),
    Plant(
        "sinusoidal", "a sine with the exponent 2i + 1", "sp.sin(n * theta_i)", "sp.sin(n * b ** (-(2 * i + 1) / d))"
    ),
    Plant("sinusoidal", "the kernel loses its sines", "over_pairs(sines + cosines)", "over_pairs(cosines)"),
    Plant("sinusoidal", "the kernel odd", "kernel(k), because=", "-kernel(k), because="),
    Plant("sinusoidal", "half angle lost", "4 * sp.sin(apart / 2) ** 2", "4 * sp.sin(apart) ** 2"),
    Plant("sinusoidal", "a factor 4 becomes 2", "4 * sp.sin(apart / 2) ** 2", "2 * sp.sin(apart / 2) ** 2"),
    Plant(
        "sinusoidal",
        "uniqueness without k ≠ 0",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", integer=True)',
    ),
    Plant(
        "sinusoidal",
        "uniqueness for real k",
        'sp.Symbol("k", integer=True, nonzero=True)',
        'sp.Symbol("k", real=True, nonzero=True)',
    ),
    Plant("sinusoidal", "longest wavelength as the paper prints it", "2 * sp.pi * b ** ((d - 2) / d)", "2 * sp.pi * b"),
    Plant(
        "sinusoidal",
        "wavelength: frequency in its place",
        "2 * sp.pi / b ** (-2 * i / d)",
        "2 * sp.pi * b ** (-2 * i / d)",
    ),
    Plant("sinusoidal", "the last pair is d/2", "wavelength(d / 2 - 1)", "wavelength(d / 2)"),
    Plant(
        "sinusoidal",
        "alpha and beta exchanged",
        "sp.cos(2 * beta * m) - sp.cos(2 * alpha * m)",
        "sp.cos(2 * alpha * m) - sp.cos(2 * beta * m)",
    ),
    Plant("sinusoidal", "double angle not doubled", "sp.cos(2 * beta * m)", "sp.cos(beta * m)"),
    Plant("sinusoidal", "growth loses the position", "r**m * sp.Abs(z0)", "r * sp.Abs(z0)"),
    Plant("sinusoidal", "Ω transposed", "[[0, theta], [-theta, 0]]", "[[0, -theta], [theta, 0]]"),
    Plant("sinusoidal", "the flow runs backwards", "(Omega * t).exp()", "(-Omega * t).exp()"),
    Plant(
        "sinusoidal",
        "log space without its minus",
        "sp.exp(-(2 * i / d) * sp.log(b))",
        "sp.exp((2 * i / d) * sp.log(b))",
    ),
    Plant(
        "sinusoidal",
        "log space: base and frequency swapped",
        "sp.exp(-(2 * i / d) * sp.log(b))",
        "b * sp.exp(-(2 * i / d))",
    ),
    Plant("sinusoidal", "determinant of a reflection", ".det()).step(1,", ".det()).step(-1,"),
    Plant(
        "rotary",
        "length to the first power",
        'rho(q, 0) ** 2, because="the demand, at 0 and 0"',
        'rho(q, 0), because="the demand, at 0 and 0"',
    ),
    Plant("rotary", "length doubled", "sp.Abs(q) ** 2, because", "2 * sp.Abs(q) ** 2, because"),
    Plant("rotary", "directions added", ".step(Phi(q, 0) - Phi(k, 0)", ".step(Phi(q, 0) + Phi(k, 0)"),
    Plant("rotary", "demand at the wrong distance", ".step(Gamma(q, k, 0)", ".step(Gamma(q, k, 1)"),
    Plant("rotary", "alpha and beta swapped", "gap(1) - alpha + beta", "gap(1) + alpha - beta"),
    Plant("rotary", "step taken for the angle itself", ".step(phi(1), because", ".step(phi(m), because"),
    Plant("rotary", "telescope starts one late", "(j, 1, M))\nDerivation(phi(M)", "(j, 2, M))\nDerivation(phi(M)"),
    Plant("rotary", "one step too many", "M * theta, because", "(M + 1) * theta, because"),
    Plant(
        "rotary", "turns subtracted", 'R(m + n), because="addition theorems"', 'R(m - n), because="addition theorems"'
    ),
    Plant("rotary", "a sine without its sign", "[[cos, -sin], [sin, cos]]", "[[cos, sin], [sin, cos]]"),
    Plant("rotary", "transpose lost", "Derivation(R(m).T * R(n), claim", "Derivation(R(m) * R(n), claim"),
    Plant(
        "rotary",
        "distance the wrong way round",
        'q.T * R(n - m) * k, because="a turn back',
        'q.T * R(m - n) * k, because="a turn back',
    ),
    Plant("rotary", "frequency and base of the key forgotten", "lambda n: R(n) * k", "lambda n: k"),
    Plant("rotary", "cross product with the wrong sign", "(q0 * k1 - q1 * k0)", "(q1 * k0 - q0 * k1)"),
    Plant("rotary", "cross product lost", "even + odd, because", "even, because"),
    Plant("rotary", "conjugate lost", "sp.re(z * sp.conjugate(w) * turn(m - n))", "sp.re(z * w * turn(m - n))"),
    Plant("rotary", "exponents added", "* turn(m - n)), because", "* turn(m + n)), because"),
    Plant("rotary", "norm without the square", "q0**2 + q1**2, because", "q0 + q1, because"),
    Plant("rotary", "permutation sorts nothing", "[0, 0, 1, 0], [0, 1, 0, 0]", "[0, 1, 0, 0], [0, 0, 1, 0]"),
    Plant("rotary", "halves in the wrong order", "[[c, -s], [s, c]]", "[[c, s], [-s, c]]"),
    Plant("rotary", "permutation does not cancel", ".step(R_m.T * R_n,", ".step(R_n.T * R_m,"),
    Plant("rotary", "second half negated instead of the first", "[-x2, -x3, x0, x1]", "[x2, x3, -x0, -x1]"),
    Plant("rotary", "rotate_half pairs neighbours", "[-x2, -x3, x0, x1]", "[-x1, x0, -x3, x2]"),
    Plant("rotary", "cosines interleaved for halves", "sp.cos(m * slow)] * 2", "sp.cos(m * theta)] * 2"),
    Plant("rotary", "output turned back", "turn(s) * output(0)", "turn(-s) * output(0)"),
    Plant("rotary", "output not turned", "turn(s) * output(0)", "output(0)"),
    Plant("rotary", "kernel never rises", 'with error bounds", sign="<"', 'with error bounds", sign=">"'),
    Plant("rotary", "kernel rises from the start", 'with error bounds", sign=">"', 'with error bounds", sign="<"'),
    Plant(
        "rotary",
        "summation by parts, index",
        "- over(S[i + 1] * (h[i + 1] - h[i]))\n",
        "- over(S[i] * (h[i + 1] - h[i]))\n",
    ),
    Plant("rotary", "wrong end vanishes", "sp.Eq(h[N], 0)]\n", "sp.Eq(h[0], 0)]\n"),
    Plant("rotary", "bound without its factor", "ceiling = mu * over", "ceiling = over"),
    Plant(
        "rotary",
        "triangle inequality the wrong way",
        'because="triangle inequality", sign="≤"',
        'because="triangle inequality", sign="≥"',
    ),
    Plant("rotary", "mean of a cosine", '.step(0, because="a whole turn")', '.step(1, because="a whole turn")'),
    Plant("rotary", "mean of a squared cosine is one", "sp.Rational(1, 2), because", "1, because"),
    Plant("rotary", "pairs counted as features", "(i, 0, d / 2 - 1)),\n    given", "(i, 0, d - 1)),\n    given"),
    Plant("rotary", "query turned the wrong way", "Derivation(k.T * R(-r).T", "Derivation(k.T * R(r).T"),
    Plant("rotary", "preferred distance with the wrong sign", "sp.Eq(m, n + r)", "sp.Eq(m, n - r)"),
    Plant("rotary", "bound without the square", "for e in (term, ell[i] ** 2))", "for e in (term, ell[i]))"),
    Plant(
        "rotary",
        "a whole number of radians is never below one",
        '1, because="π is irrational", sign="<"',
        '1, because="π is irrational", sign=">"',
    ),
    Plant("rotary", "mirror that is a turn", "[sp.sin(c), -sp.cos(c)]", "[-sp.sin(c), sp.cos(c)]"),
    Plant(
        "rotary",
        "sum taken for the distance",
        'R(m + n), because="two turns the same way"',
        'R(m - n), because="two turns the same way"',
    ),
]
