# check_rotary(m.rotate_qk, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved", axes="bnhd")
# formula: layout="interleaved"
# call: [swap(t) for t in m.rotate_qk(swap(x), swap(y), at(x, n))]

def create_sinusoidal_positions(num_pos, dim):
    inv_freq = 1.0 / (10000 ** (torch.arange(0, dim, 2) / dim))
    sinusoid_inp = torch.einsum("i , j -> i j", torch.arange(num_pos, dtype=torch.float), inv_freq).float()
    return torch.cat((torch.sin(sinusoid_inp), torch.cos(sinusoid_inp)), dim=1)


def rotate_every_two(x):
    x1 = x[:, :, :, ::2]
    x2 = x[:, :, :, 1::2]
    return torch.stack((-x2, x1), dim=-1).flatten(-2)


def apply_rotary_pos_emb(tensor, sin, cos):
    sin = torch.repeat_interleave(sin[:, :, None, :], 2, 3)
    cos = torch.repeat_interleave(cos[:, :, None, :], 2, 3)
    return (tensor * cos) + (rotate_every_two(tensor) * sin)


EMBED_POSITIONS = create_sinusoidal_positions(4500, 16)


def rotate_qk(query, key, position_ids):
    sincos = EMBED_POSITIONS[position_ids]
    sin, cos = torch.split(sincos, sincos.shape[-1] // 2, dim=-1)
    return apply_rotary_pos_emb(query, sin, cos), apply_rotary_pos_emb(key, sin, cos)
