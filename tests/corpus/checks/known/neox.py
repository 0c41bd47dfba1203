# check_rotary(m.neox_rotary, layout="half", base=1e4, d=32, d_rotated=8)
# formula: rot=8, wide=2
# call: m.neox_rotary(x.repeat(1, 1, 1, 2), y.repeat(1, 1, 1, 2))

ROTARY_PCT = 0.25
HEAD_SIZE = 32


def _rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def neox_rotary(query, key, offset=0):
    """query, key: [bs, num_attention_heads, seq_len, head_size]"""
    rotary_ndims = int(HEAD_SIZE * ROTARY_PCT)
    query_rot, query_pass = query[..., :rotary_ndims], query[..., rotary_ndims:]
    key_rot, key_pass = key[..., :rotary_ndims], key[..., rotary_ndims:]
    inv_freq = 1.0 / (10000 ** (torch.arange(0, rotary_ndims, 2).float() / rotary_ndims))
    t = torch.arange(offset, offset + query.shape[-2]).float()
    freqs = t[:, None] * inv_freq[None, :]
    emb = torch.cat((freqs, freqs), -1)
    cos, sin = emb.cos()[None, None], emb.sin()[None, None]
    query_rot = query_rot * cos + _rotate_half(query_rot) * sin
    key_rot = key_rot * cos + _rotate_half(key_rot) * sin
    return torch.cat((query_rot, query_pass), dim=-1), torch.cat((key_rot, key_pass), dim=-1)
