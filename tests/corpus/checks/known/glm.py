# check_rotary(m.glm_rope, layout="interleaved", base=1e4, d=16, d_rotated=8, axes="nbhd")
# formula: layout="interleaved", rot=8
# call: [m.glm_rope(x.permute(2, 0, 1, 3)).permute(1, 2, 0, 3)]

def build_cache(seq_len, n_elem=8, base=10000):
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, dtype=torch.float) / n_elem))
    seq_idx = torch.arange(seq_len, dtype=torch.float)
    idx_theta = torch.outer(seq_idx, theta).float()
    return torch.stack([torch.cos(idx_theta), torch.sin(idx_theta)], dim=-1)


def glm_rope(x, start=0):
    """x: [sq, b, np, hn]"""
    sq, b, np_, hn = x.shape
    rope_cache = build_cache(start + sq)[start:]
    rot_dim = rope_cache.shape[-2] * 2
    x, x_pass = x[..., :rot_dim], x[..., rot_dim:]
    xshaped = x.reshape(sq, -1, np_, rot_dim // 2, 2)
    rope_cache = rope_cache.view(sq, 1, 1, xshaped.size(3), 2)
    x_out2 = torch.stack(
        [
            xshaped[..., 0] * rope_cache[..., 0] - xshaped[..., 1] * rope_cache[..., 1],
            xshaped[..., 1] * rope_cache[..., 0] + xshaped[..., 0] * rope_cache[..., 1],
        ],
        -1,
    )
    x_out2 = x_out2.flatten(3)
    return torch.cat((x_out2, x_pass), dim=-1)
