# check_rotary(m.multimodal, layout="half", base=1e4, d=16)
# call: [m.multimodal(x, at(x, n))]

def rotate_half(x):
    x1, x2 = x.chunk(2, -1)
    return torch.cat((-x2, x1), -1)


def multimodal(x, position_ids, mrope_section=(2, 3, 3)):
    """Qwen2-VL for text: the three axes have the same positions. x [b, h, n, d], position_ids [b, n]"""
    pos3 = position_ids[None].expand(3, *position_ids.shape)
    inv_freq = 1.0 / (10000 ** (torch.arange(0, x.shape[-1], 2).float() / x.shape[-1]))
    freqs = pos3[..., None].float() * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    cos, sin = emb.cos(), emb.sin()
    sec = list(mrope_section) * 2
    cos = torch.cat([m[i % 3] for i, m in enumerate(cos.split(sec, dim=-1))], dim=-1).unsqueeze(1)
    sin = torch.cat([m[i % 3] for i, m in enumerate(sin.split(sec, dim=-1))], dim=-1).unsqueeze(1)
    return (x * cos) + (rotate_half(x) * sin)
