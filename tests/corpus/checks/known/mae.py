# check_table(m.positions_table, d=32, base=1e4, layout="half", exponent="2i/d")
# formula: layout="half"
# call: m.positions_table(np.arange(n))

def get_1d_sincos_pos_embed_from_grid(embed_dim, pos):
    omega = np.arange(embed_dim // 2, dtype=np.float64)
    omega /= embed_dim / 2.0
    omega = 1.0 / 10000**omega
    pos = pos.reshape(-1)
    out = np.einsum("m,d->md", pos, omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def positions_table(pos):
    return torch.from_numpy(get_1d_sincos_pos_embed_from_grid(32, np.asarray(pos))).float()
