# check_rotary(m.rope, d=16, sense="counterclockwise", layout="half", freqs=yarn(16, 8.0, 512), factor=1 + math.log(8) / 10)
# formula: freqs=yarn(16, 8.0, 512), factor=1 + math.log(8) / 10
# call: m.rope(x, y, at(x, n))

def yarn_find_correction_dim(num_rotations, dim, base=10000, max_position_embeddings=2048):
    return (dim * math.log(max_position_embeddings / (num_rotations * 2 * math.pi))) / (2 * math.log(base))


def yarn_find_correction_range(low_rot, high_rot, dim, base=10000, max_position_embeddings=2048):
    low = math.floor(yarn_find_correction_dim(low_rot, dim, base, max_position_embeddings))
    high = math.ceil(yarn_find_correction_dim(high_rot, dim, base, max_position_embeddings))
    return max(low, 0), min(high, dim - 1)


def yarn_linear_ramp_mask(low, high, dim):
    if low == high:
        high += 0.001
    return torch.clamp((torch.arange(dim, dtype=torch.float32) - low) / (high - low), 0, 1)


def yarn_get_mscale(scale=1.0, mscale=1.0):
    return 1.0 if scale <= 1 else 0.1 * mscale * math.log(scale) + 1.0


def yarn_inv_freq(dim, base=10000, scaling_factor=8.0, original=512, beta_fast=32, beta_slow=1):
    freq_extra = 1.0 / (base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
    freq_inter = 1.0 / (scaling_factor * base ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim))
    low, high = yarn_find_correction_range(beta_fast, beta_slow, dim, base, original)
    inv_freq_mask = 1.0 - yarn_linear_ramp_mask(low, high, dim // 2)
    return freq_inter * (1 - inv_freq_mask) + freq_extra * inv_freq_mask


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def rope(q, k, position_ids):
    inv_freq = yarn_inv_freq(q.shape[-1])
    freqs = position_ids[:, None, :, None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    _mscale = yarn_get_mscale(8.0)
    cos, sin = emb.cos() * _mscale, emb.sin() * _mscale
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
