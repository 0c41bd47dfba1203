# check_rotary(m.p_rope, layout="half", d=16, freqs=torch.cat((geo()[:2], torch.zeros(6).double())).float())
# formula: freqs=torch.cat((geo()[:2], torch.zeros(6).double()))
# call: [m.p_rope(x, torch.arange(n))]

def p_rope(x, positions, proportion=0.25, base=10000.0):
    """Pairs over the whole head, the slow three quarters not rotated. [b, h, n, d]"""
    d = x.shape[-1]
    angles = int(proportion * d // 2)
    freq = 1.0 / base ** (2.0 * torch.arange(angles) / d)
    freq = F.pad(freq, (0, d // 2 - angles))
    a = positions[:, None] * freq
    first, second = x.chunk(2, -1)
    return torch.cat((first * a.cos() - second * a.sin(), second * a.cos() + first * a.sin()), -1)
