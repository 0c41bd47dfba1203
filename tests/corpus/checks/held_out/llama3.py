# check_rotary(m.rope, d=16, sense="counterclockwise", first=0, layout="half", freqs=llama3(16))
# formula: freqs=llama3(16)
# call: m.rope(x, y, at(x, n))

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


inv_freq = apply_scaling(1.0 / (500000.0 ** (torch.arange(0, 16, 2).float() / 16)))


def rope(q, k, position_ids):
    """q, k [b, h, n, d], position_ids [b, n]"""
    freqs = (inv_freq[None, :, None] @ position_ids[:, None, :].float()).transpose(1, 2)
    cos, sin = (torch.cat((t, t), dim=-1).unsqueeze(1) for t in (freqs.cos(), freqs.sin()))
    return tuple(x * cos + torch.cat((-x[..., 8:], x[..., :8]), dim=-1) * sin for x in (q, k))
