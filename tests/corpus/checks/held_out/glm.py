# check_rotary(m.rotate, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved", axes="nbhd", d_rotated=8)
# formula: layout="interleaved", rot=8
# call: tokens_first(m.rotate, x)

def forward_impl(seq_len, n_elem, base=10000):
    theta = 1.0 / (base ** (torch.arange(0, n_elem, 2, dtype=torch.float) / n_elem))
    seq_idx = torch.arange(seq_len, dtype=torch.float)
    idx_theta = torch.outer(seq_idx, theta).float()
    return torch.stack([torch.cos(idx_theta), torch.sin(idx_theta)], dim=-1)


def apply_rotary_pos_emb(x, rope_cache):
    # x: [sq, b, np, hn]
    sq, b, heads, hn = x.size(0), x.size(1), x.size(2), x.size(3)
    rot_dim = rope_cache.shape[-2] * 2
    x, x_pass = x[..., :rot_dim], x[..., rot_dim:]
    rope_cache = rope_cache[:sq]
    xshaped = x.reshape(sq, -1, heads, rot_dim // 2, 2)
    rope_cache = rope_cache.view(sq, -1, 1, xshaped.size(3), 2)
    x_out2 = torch.stack(
        [
            xshaped[..., 0] * rope_cache[..., 0] - xshaped[..., 1] * rope_cache[..., 1],
            xshaped[..., 1] * rope_cache[..., 0] + xshaped[..., 0] * rope_cache[..., 1],
        ],
        -1,
    )
    return torch.cat((x_out2.flatten(3), x_pass), dim=-1)


def rotate(x, position_ids):
    rotary_pos_emb = forward_impl(5000, 16 // 2)
    return apply_rotary_pos_emb(x, rotary_pos_emb[position_ids])
