# check_rotary(m.rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved")
# formula: layout="interleaved"
# call: [torch.cat((m.rope(x[..., :n // 2, :], y[..., :n // 2, :])[0], (late := m.rope(x[..., n // 2:, :], y))[0]), -2), late[1]]

def fixed_pos_embedding(seq, dim):
    inv_freq = 1.0 / (10000 ** (np.arange(0, dim, 2) / dim))
    sinusoid_inp = np.einsum("i , j -> i j", np.arange(seq), inv_freq)
    return torch.from_numpy(np.sin(sinusoid_inp)), torch.from_numpy(np.cos(sinusoid_inp))


def rotate_every_two(x):
    x = rearrange(x, "... (d j) -> ... d j", j=2)
    x1, x2 = x.unbind(dim=-1)
    return rearrange(torch.stack((-x2, x1), dim=-1), "... d j -> ... (d j)")


def apply_rotary_pos_emb(x, sincos):
    sin, cos = map(lambda t: repeat(t, "n d -> n (d j)", j=2)[-x.shape[-2] :], sincos)
    return x * cos + rotate_every_two(x) * sin


def rope(q, k):
    sincos = fixed_pos_embedding(k.shape[-2], k.shape[-1])
    return apply_rotary_pos_emb(q, sincos), apply_rotary_pos_emb(k, sincos)
