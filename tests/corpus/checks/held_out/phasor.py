# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved")
# formula: layout="interleaved"
# call: counted(m.rope, x)

def rope(x, positions, theta=10000.0):
    """x: (..., seq, dim), any backend that numpy understands"""
    x = np.asarray(x, dtype=np.float64)
    d = x.shape[-1]
    z = x[..., 0::2] + 1j * x[..., 1::2]
    omega = theta ** (-np.arange(d // 2) * 2.0 / d)
    phase = np.multiply.outer(np.asarray(positions), omega)
    z = z * np.exp(1j * phase)
    out = np.empty_like(x)
    out[..., 0::2] = z.real
    out[..., 1::2] = z.imag
    return out
