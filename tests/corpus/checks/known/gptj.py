# check_rotary(m.rotate_tokens, layout="interleaved", base=1e4, d=16, axes="nhd")
# formula: layout="interleaved", same=True
# call: [m.rotate_tokens(x[0].transpose(0, 1)).transpose(0, 1)[None].expand_as(x)]

def fixed_pos_embedding(x, seq_dim=0):
    dim = x.shape[-1]
    inv_freq = 1. / (10000 ** (np.arange(0, dim, 2) / dim))
    sinusoid_inp = np.einsum('i , j -> i j', np.arange(x.shape[seq_dim]), inv_freq)
    return torch.from_numpy(np.sin(sinusoid_inp)).float(), torch.from_numpy(np.cos(sinusoid_inp)).float()


def rotate_every_two(x):
    x1 = x[:, :, ::2]
    x2 = x[:, :, 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return rearrange(x, '... d j -> ... (d j)')


def apply_rotary_pos_emb(x, sincos):
    sin, cos = map(lambda t: repeat(t, 'b n -> b (n j)', j=2)[-x.shape[0]:, None, :], sincos)
    return (x * cos) + (rotate_every_two(x) * sin)


def rotate_tokens(x):
    """[tokens, heads, features], from position 0"""
    return apply_rotary_pos_emb(x, fixed_pos_embedding(x))
