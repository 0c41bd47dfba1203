# check_rotary(m.text_rope, d=16, base=1e4, sense="counterclockwise", first=0, layout="half")
# call: m.text_rope(x, y, at(x, n))

SECTIONS = [2, 3, 3]
inv_freq = 1.0 / 10000 ** (torch.arange(0, 16, 2).float() / 16)


def rotate_half(x):
    return torch.cat((-x[..., 8:], x[..., :8]), -1)


def apply_multimodal_rotary_pos_emb(q, k, cos, sin, mrope_section, unsqueeze_dim=1):
    mrope_section = mrope_section * 2
    cos = torch.cat([m[i % 3] for i, m in enumerate(cos.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    sin = torch.cat([m[i % 3] for i, m in enumerate(sin.split(mrope_section, dim=-1))], dim=-1).unsqueeze(unsqueeze_dim)
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def text_rope(q, k, position_ids):
    """position_ids [b, n]; for text, time, height and width are the same"""
    ids = torch.stack((position_ids, position_ids, position_ids))
    freqs = ids[..., None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    return apply_multimodal_rotary_pos_emb(q, k, emb.cos(), emb.sin(), SECTIONS)
