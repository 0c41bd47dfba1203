"""Groups: Cayley's map, powers, determinants, what is conjugate."""

from sympy import Eq, Ne, Trace

from tests.bookkit.derivation.truths import Truth
from tests.bookkit.derivation.truths.letters import A, B, D, I, J, K, P, Q, c, det, s

skew, orthogonal = Eq(A.T, -A), Eq(Q.T * Q, I)
regular = (Ne(det(I + A), 0), Ne(det(I - A), 0))
inverse = A.inverse()
cayley = (I - A) * (I + A).inverse()

TRUTHS = [
    Truth("Cayley's map is orthogonal", cayley.T * cayley, "=", I, (skew, *regular)),
    Truth("Cayley's map from the other side", cayley * cayley.T, "=", I, (skew, *regular)),
    Truth("the two factors of Cayley's map commute", cayley, "=", (I + A).inverse() * (I - A), (Ne(det(I + A), 0),)),
    Truth("a resolvent commutes", A * (I + A).inverse(), "=", (I + A).inverse() * A, (Ne(det(I + A), 0),)),
    Truth("a power of what is conjugate", (A * B * inverse) ** K, "=", A * B**K * inverse, (Ne(det(A), 0),)),
    Truth("a power by eigenvectors", (P * D * P.inverse()) ** K * P, "=", P * D**K, (Ne(det(P), 0),)),
    Truth("a power of an orthogonal matrix", (Q**K).T * Q**K, "=", I, (orthogonal,)),
    Truth("a power commutes", A**K * B, "=", B * A**K, (Eq(A * B, B * A),)),
    Truth("the determinant of an orthogonal matrix", det(Q) ** 2, "=", 1, (orthogonal,)),
    Truth("the determinant of a product", det(A * B), "=", det(A) * det(B)),
    Truth("the determinant of what is conjugate", det(P * A * P.inverse()), "=", det(A), (Ne(det(P), 0),)),
    Truth("the trace of what is conjugate", Trace(P * A * P.inverse()), "=", Trace(A), (Ne(det(P), 0),)),
    Truth("a commutator of skew matrices is skew", (A * B - B * A).T, "=", B * A - A * B, (skew, Eq(B.T, -B))),
    Truth("exponents of a turn cancel", (c * I + s * J) * (c * I - s * J), "=", I, (Eq(J**2, -I), Eq(c**2 + s**2, 1))),
    Truth("an involution, to an even power", A ** (2 * K), "=", I, (Eq(A**2, I),)),
]
