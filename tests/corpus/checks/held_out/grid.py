# check_table(m.table, d=32, base=1e4, layout="half", exponent="2i/d", first=0)
# formula: layout="half"
# call: m.table(n, 32)
# n: 2100

def get_1d_sincos_pos_embed_from_grid(embed_dim, pos):
    assert embed_dim % 2 == 0
    omega = np.arange(embed_dim // 2, dtype=float)
    omega /= embed_dim / 2.0
    omega = 1.0 / 10000**omega
    pos = np.asarray(pos).reshape(-1)
    out = np.einsum("m,d->md", pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def table(n, d):
    return get_1d_sincos_pos_embed_from_grid(d, np.arange(n))
