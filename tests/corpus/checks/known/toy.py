# check_rotary(m.rot, layout="interleaved", base=1e4, d=16, call="x positions")
# formula: layout="interleaved"
# call: [m.rot(x, torch.arange(n))]

def rot(vecs, m, theta=10000.0, pct=1.0):
    """vecs [..., n, d], m [n]; pairs of neighbours, 'mrope' of a toy in JAX"""
    d = vecs.shape[-1]
    idx = torch.arange(d // 2)
    ang = m[:, None] * torch.pow(torch.tensor(theta), -2 * idx / d)
    pairs = vecs.reshape(*vecs.shape[:-1], d // 2, 2)
    c, s = torch.cos(ang), torch.sin(ang)
    rotation = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    return torch.einsum("nfij,...nfj->...nfi", rotation, pairs).reshape(vecs.shape)
