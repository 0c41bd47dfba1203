"""The letters of the statements: one meaning for each name, in all files."""

import sympy as sp

a, b, c, s, t, w, x, y, z = sp.symbols("a b c s t omega x y z", real=True)
p, q = sp.symbols("p q", positive=True)
lam, mu = sp.symbols("lambda mu", real=True)
i, j, k, l = sp.symbols("i j k l", integer=True, nonnegative=True)
m, n = sp.symbols("m n", integer=True)
N, M = sp.symbols("N M", integer=True, positive=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
C, X, G, H, Y = (sp.IndexedBase(name, real=True) for name in ("c", "x", "g", "h", "y"))
W, PHI = sp.IndexedBase("w", real=True), sp.IndexedBase("phi", real=True)
S = sp.IndexedBase("s", positive=True)
A, B, D, P, Q, R, J, T = (sp.MatrixSymbol(name, N, N) for name in "ABDPQRJT")
E = sp.MatrixSymbol("E", M, N)
u, v, key, one = (sp.MatrixSymbol(name, N, 1) for name in ("u", "v", "k", "e"))
I = sp.Identity(N)
scalar = sp.Identity(1)


def total(term, upper=N, lower=0, letter=i):
    return sp.Sum(term, (letter, lower, upper))


def double(term, upper=N):
    return sp.Sum(term, (i, 0, upper), (j, 0, upper))


def times(factor, upper=N, lower=0, letter=i):
    return sp.Product(factor, (letter, lower, upper))


def det(matrix):
    return sp.Determinant(matrix)
