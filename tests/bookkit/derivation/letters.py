"""The letters of these tests: one meaning for each."""

import sympy as sp

a, b, t, x, y, z = sp.symbols("a b t x y z", real=True)
p = sp.Symbol("p", positive=True)
r = sp.Symbol("r", nonnegative=True)
m, n, k = sp.symbols("m n k", integer=True)
i, j = sp.symbols("i j", integer=True, nonnegative=True)
K = sp.Symbol("K", integer=True, nonnegative=True)
N = sp.Symbol("N", integer=True, positive=True)
d = sp.Symbol("d", even=True, positive=True)
f, g = sp.Function("f", real=True), sp.Function("g", real=True)
h = sp.IndexedBase("h", real=True)
w = sp.IndexedBase("w", positive=True)
A, B = sp.MatrixSymbol("A", N, N), sp.MatrixSymbol("B", N, N)
