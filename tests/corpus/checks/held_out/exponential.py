# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="half")
# call: counted(m.rope, x)
# n: 600

def generator(d, base=10000.0):
    """A block [[0, -w], [w, 0]] for each pair"""
    A = torch.zeros(d, d, dtype=torch.float64)
    w = base ** (-torch.arange(0, d, 2).double() / d)
    p = torch.arange(d // 2)
    A[p, p + d // 2] = -w
    A[p + d // 2, p] = w
    return A


def rope(x, positions):
    R = torch.linalg.matrix_exp(positions.double()[:, None, None] * generator(x.shape[-1]))
    return torch.einsum("nij,...nj->...ni", R, x.double()).to(x.dtype)
