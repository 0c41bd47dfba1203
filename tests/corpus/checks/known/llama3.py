# check_rotary(m.apply, layout="interleaved", d=64, freqs=llama3().float())
# formula: layout="interleaved", freqs=llama3(), wide=4
# call: [m.apply(x.repeat(1, 1, 1, 4), torch.arange(n))]

def apply_scaling(freqs, scale_factor=8, low_freq_factor=1, high_freq_factor=4, old_context_len=8192):
    low_freq_wavelen = old_context_len / low_freq_factor
    high_freq_wavelen = old_context_len / high_freq_factor
    new_freqs = []
    for freq in freqs:
        wavelen = 2 * math.pi / freq
        if wavelen < high_freq_wavelen:
            new_freqs.append(freq)
        elif wavelen > low_freq_wavelen:
            new_freqs.append(freq / scale_factor)
        else:
            smooth = (old_context_len / wavelen - low_freq_factor) / (high_freq_factor - low_freq_factor)
            new_freqs.append((1 - smooth) * freq / scale_factor + smooth * freq)
    return torch.tensor(new_freqs, dtype=freqs.dtype)


def apply(x, positions):
    """[b, h, n, d], neighbours as in Meta's code"""
    d = x.shape[-1]
    freqs = 1.0 / (500000.0 ** (torch.arange(0, d, 2)[: (d // 2)].float() / d))
    angles = torch.outer(positions.float(), apply_scaling(freqs))
    freqs_cis = torch.polar(torch.ones_like(angles), angles)
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(x_ * freqs_cis).flatten(-2).type_as(x)
