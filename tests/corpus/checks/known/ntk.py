# check_rotary(m.apply, layout="half", d=64, freqs=geo(64, 1e4 * 4 ** (64 / 62)).float())
# formula: freqs=geo(64, 1e4 * 4 ** (64 / 62)), wide=4
# call: [m.apply(x.repeat(1, 1, 1, 4), torch.arange(n))]

def ntk_freqs(dim, base=10000.0, alpha=4.0):
    base = base * alpha ** (dim / (dim - 2))
    return 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))


def apply(x, positions):
    freqs = torch.outer(positions.float(), ntk_freqs(x.size(-1)))
    cos, sin = torch.cos(freqs), torch.sin(freqs)
    even, odd = x[..., : x.size(-1) // 2], x[..., x.size(-1) // 2 :]
    return torch.cat([even * cos - odd * sin, odd * cos + even * sin], -1)
