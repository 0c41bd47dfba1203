"""Matrices: rotations in space, generators, inverses, blocks, reflections, traces."""

import sympy as sp
from sympy import BlockDiagMatrix, BlockMatrix, Eq, Identity, Matrix, MatrixSymbol, Ne, Trace, ZeroMatrix

from bookkit.derivation import define
from tests.bookkit.derivation.reach import Statement, line

N, M = sp.symbols("N M", integer=True, positive=True)
m, n = sp.symbols("m n", integer=True)
a, b, c, x, y, z = sp.symbols("a b c x y z", real=True)
beta, w = sp.symbols("beta omega", positive=True)
A, B, C, J, K, P, Q, S = (MatrixSymbol(name, N, N) for name in "ABCJKPQS")
X, V = MatrixSymbol("X", N, M), MatrixSymbol("V", M, N)
q, k, u, v = (MatrixSymbol(name, N, 1) for name in "qkuv")
E, F, G, H = (MatrixSymbol(name, M, M) for name in "EFGH")
I, J_ = Identity(N), Identity(M)
one = Identity(1)
zero = ZeroMatrix(N, N)

# rotations in space about a unit axis, Rodrigues
axis = Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
unit = Eq(x**2 + y**2 + z**2, 1)


def turn(t):
    return sp.eye(3) + sp.sin(t) * axis + (1 - sp.cos(t)) * axis**2


def plane(t):
    return Matrix([[sp.cos(t), -sp.sin(t)], [sp.sin(t), sp.cos(t)]])


def spin(t):  # of any size, by a generator with K³ = -K
    return I + sp.sin(t) * K + (1 - sp.cos(t)) * K**2


def quarter(t):  # of any size, by a generator with J² = -I
    return sp.cos(t) * I + sp.sin(t) * J


R = define("R", lambda t: plane(w * t))
generator = Eq(K**3, -K)
skew = Eq(A.T, -A)
orthogonal = Eq(Q.T * Q, I)
regular = Ne(sp.Determinant(A), 0)
normed = Eq(k.T * k, one)
reflect = I - 2 * k * k.T


def grid(t, s):
    """Rotary in two dimensions: the row's angle on one half, the column's on the other."""
    return BlockDiagMatrix(R(t), R(s))


STATEMENTS = [
    Statement(
        "a turn in space is orthogonal",
        line(turn(a).T * turn(a), sp.eye(3), unit),
        line(turn(a).T * turn(a), sp.eye(3)),
    ),
    Statement(
        "turns in space about one axis add",
        line(turn(a) * turn(b), turn(a + b), unit),
        line(turn(a) * turn(b), turn(a - b), unit),
    ),
    Statement(
        "a turn in space keeps its axis",
        line(turn(a) * Matrix([x, y, z]), Matrix([x, y, z])),
        line(turn(a) * Matrix([x, y, -z]), Matrix([x, y, -z]), unit),
    ),
    Statement("the generator in space, cubed", line(axis**3, -axis, unit), line(axis**2, -sp.eye(3), unit)),
    Statement(
        "turns of one generator add (any size)",
        line(spin(a) * spin(b), spin(a + b), generator),
        line(spin(a) * spin(b), spin(a + b)),
    ),
    Statement(
        "turns of one generator commute", line(spin(a) * spin(b), spin(b) * spin(a)), line(spin(a) * P, P * spin(a))
    ),
    Statement(
        "a turn of a skew generator is orthogonal",
        line(spin(a).T * spin(a), I, generator, Eq(K.T, -K)),
        line(spin(a).T * spin(a), I, generator, Eq(K.T, K)),
    ),
    Statement(
        "a complex structure turns",
        line(quarter(a) * quarter(b), quarter(a + b), Eq(J**2, -I)),
        line(quarter(a) * quarter(b), quarter(a + b), Eq(J**2, I)),
    ),
    Statement(
        "a relative turn",
        line(spin(a).T * spin(b), spin(b - a), generator, Eq(K.T, -K)),
        line(spin(a).T * spin(b), spin(a - b), generator, Eq(K.T, -K)),
    ),
    Statement(
        "a skew form of one vector is 0",
        line(q.T * A * q, 0, skew),
        line(q.T * A * k, 0, skew),
    ),
    Statement(
        "a skew form of two vectors changes its sign",
        line(q.T * A * k, -k.T * A * q, skew),
        line(q.T * A * k, k.T * A * q, skew),
    ),
    Statement("a score is its own transpose", line(q.T * A * k, k.T * A.T * q), line(q.T * A * k, k.T * A * q)),
    Statement(
        "a conjugated square",
        line((A * B * A.inverse()) ** 2, A * B**2 * A.inverse(), regular),
        line((A * B * A.inverse()) ** 2, A**2 * B**2 * A.inverse() ** 2, regular),
    ),
    Statement(
        "an orthogonal matrix from the other side", line(Q * Q.T, I, orthogonal), line(X * X.T, I, Eq(X.T * X, J_))
    ),
    Statement(
        "a product of orthogonal ones",
        line((P * Q).T * (P * Q), I, orthogonal, Eq(P.T * P, I)),
        line((P + Q).T * (P + Q), I, orthogonal, Eq(P.T * P, I)),
    ),
    Statement(
        "a one-sided inverse of a square matrix", line(B * A * C, C, Eq(A * B, I)), line(V * X * E, E, Eq(X * V, I))
    ),
    Statement(
        "the Cayley transform is orthogonal",
        line(((I - A) * (I + A).inverse()).T * (I - A) * (I + A).inverse(), I, skew, Ne(sp.Determinant(I + A), 0)),
        line(((I - A) * (I + A).inverse()).T * (I - A) * (I + A).inverse(), I, Ne(sp.Determinant(I + A), 0)),
    ),
    Statement(
        "a reflection is orthogonal (Householder)", line(reflect.T * reflect, I, normed), line(reflect.T * reflect, I)
    ),
    Statement(
        "two reflections and their relative step (PaTH)",
        line((reflect * q).T * (reflect * v), q.T * v, normed),
        line((reflect * q).T * v, q.T * v, normed),
    ),
    Statement("a reflection turns its own vector round", line(reflect * k, -k, normed), line(reflect * k, k, normed)),
    Statement(
        "the delta rule keeps what is orthogonal",
        line((I - beta * k * k.T) * v, v, Eq(k.T * v, ZeroMatrix(1, 1))),
        line((I - beta * k * k.T) * v, (1 - beta) * v, Eq(k.T * v, ZeroMatrix(1, 1))),
    ),
    Statement(
        "the delta rule reads back what it wrote",
        line((S * (I - k * k.T) + v * k.T) * k, v, normed),
        line((S * (I - k * k.T) + v * k.T) * k, S * k + v, normed),
    ),
    Statement(
        "two delta steps with one key",
        line((I - k * k.T) ** 2, I - k * k.T, normed),
        line((I - 2 * k * k.T) ** 2, I - 2 * k * k.T, normed),
    ),
    Statement("a trace turns round", line(Trace(A * B), Trace(B * A)), line(Trace(A * B), Trace(A * B.T))),
    Statement(
        "a trace of three, rectangular ones among them",
        line(Trace(A * X * V), Trace(V * A * X)),
        line(Trace(A * B * C), Trace(A * C * B)),
    ),
    Statement(
        "a rotated trace",
        line(Trace(Q.T * A * Q), Trace(A), orthogonal),
        line(Trace(Q.T * A * Q.T), Trace(A), orthogonal),
    ),
    Statement("the trace of a skew matrix", line(Trace(A), 0, skew), line(Trace(A), 0, Eq(A.T, A))),
    Statement(
        "the trace of a scalar product", line(Trace(q * k.T), Trace(k.T * q)), line(Trace(q * k.T), Trace(q * q.T))
    ),
    Statement(
        "block-diagonal matrices multiply by blocks",
        line(BlockDiagMatrix(A, E) * BlockDiagMatrix(B, F), BlockDiagMatrix(A * B, E * F)),
        line(BlockDiagMatrix(A, E) * BlockDiagMatrix(B, F), BlockDiagMatrix(B * A, E * F)),
    ),
    Statement(
        "a block-diagonal matrix of orthogonal ones",
        line(BlockDiagMatrix(Q, E).T * BlockDiagMatrix(Q, E), Identity(N + M), orthogonal, Eq(E.T * E, J_)),
        line(BlockDiagMatrix(Q, E).T * BlockDiagMatrix(Q, E), Identity(N + M), orthogonal),
    ),
    Statement(
        "blocks of a score (content and position)",
        line(BlockMatrix([[q.T, u.T]]) * BlockMatrix([[k], [v]]), q.T * k + u.T * v),
        line(BlockMatrix([[q.T, u.T]]) * BlockMatrix([[k], [v]]), q.T * v + u.T * k),
    ),
    Statement(
        "a triangle of blocks",
        line(
            BlockMatrix([[I, X], [ZeroMatrix(M, N), J_]]) * BlockMatrix([[I, -X], [ZeroMatrix(M, N), J_]]),
            Identity(N + M),
        ),
        line(
            BlockMatrix([[I, X], [ZeroMatrix(M, N), J_]]) * BlockMatrix([[I, X], [ZeroMatrix(M, N), J_]]),
            Identity(N + M),
        ),
    ),
    Statement(
        "a grid: the relative turn of each half",
        line(grid(m, n).T * grid(a, b), grid(a - m, b - n)),
        line(grid(m, n).T * grid(a, b), grid(m - a, n - b)),
    ),
    Statement(
        "a block of any size beside a turn",
        line(BlockDiagMatrix(R(m), Q).T * BlockDiagMatrix(R(n), Q), BlockDiagMatrix(R(n - m), I), orthogonal),
        line(BlockDiagMatrix(R(m), Q).T * BlockDiagMatrix(R(n), Q), BlockDiagMatrix(R(m - n), I), orthogonal),
    ),
    Statement(
        "commuting generators: the square of a sum",
        line((A + B) ** 2, A**2 + 2 * A * B + B**2, Eq(B * A, A * B)),
        line((A + B) ** 2, A**2 + 2 * A * B + B**2),
    ),
    Statement(
        "commuting generators turn independently (LieRE)",
        line(quarter(a) * spin(b), spin(b) * quarter(a), Eq(K * J, J * K)),
        line(quarter(a) * spin(b), spin(b) * quarter(a)),
    ),
    Statement(
        "a rotated score is relative (xPos)",
        line(
            (c * R(m) * Matrix([x, y])).T * (R(n) * Matrix([a, b]) / c),
            Matrix([[x, y]]) * R(n - m) * Matrix([a, b]),
            Ne(c, 0),
        ),
        line(
            (c * R(m) * Matrix([x, y])).T * (R(n) * Matrix([a, b]) * c),
            Matrix([[x, y]]) * R(n - m) * Matrix([a, b]),
            Ne(c, 0),
        ),
    ),
]
