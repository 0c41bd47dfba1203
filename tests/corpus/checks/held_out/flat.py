# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved", axes="bhnd")
# formula: layout="interleaved"
# call: counted(m.rope, x)
# n: 40

def rope_flat(vec, pos, head_size, theta=10000.0):
    """vec: all heads of one token in a row, as the C code has it; changed in place"""
    for i in range(0, len(vec), 2):
        head_dim = i % head_size
        freq = 1.0 / theta ** (head_dim / head_size)
        fcr, fci = math.cos(pos * freq), math.sin(pos * freq)
        v0, v1 = vec[i], vec[i + 1]
        vec[i] = v0 * fcr - v1 * fci
        vec[i + 1] = v0 * fci + v1 * fcr


def rope(x, positions):
    """x [b, h, n, d]"""
    b, h, n, d = x.shape
    out = x.detach().double().numpy().transpose(0, 2, 1, 3).reshape(b, n, h * d).copy()
    for row in out:
        for j, p in enumerate(positions.tolist()):
            rope_flat(row[j], p, d)
    return torch.from_numpy(out.reshape(b, n, h, d).transpose(0, 2, 1, 3)).to(x.dtype)
