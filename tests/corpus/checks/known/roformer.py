# check_rotary(m.roformer, layout="interleaved", base=1e4, d=16)
# formula: layout="interleaved"
# call: m.roformer(x, y)

def sinusoidal_position_embeddings(seq_len, dim):
    position_enc = np.array([[pos / np.power(10000, 2 * (j // 2) / dim) for j in range(dim)] for pos in range(seq_len)])
    out = torch.empty(seq_len, dim)
    sentinel = dim // 2
    out[:, 0:sentinel] = torch.FloatTensor(np.sin(position_enc[:, 0::2]))
    out[:, sentinel:] = torch.FloatTensor(np.cos(position_enc[:, 1::2]))
    return out[None, None, :, :]


_TABLE = sinusoidal_position_embeddings(4608, 16)


def apply_rotary_position_embeddings(sinusoidal_pos, query_layer, key_layer):
    sin, cos = sinusoidal_pos.chunk(2, dim=-1)
    sin_pos = torch.stack([sin, sin], dim=-1).reshape_as(sinusoidal_pos)
    cos_pos = torch.stack([cos, cos], dim=-1).reshape_as(sinusoidal_pos)
    rotate_half_query = torch.stack([-query_layer[..., 1::2], query_layer[..., ::2]], dim=-1).reshape_as(query_layer)
    query_layer = query_layer * cos_pos + rotate_half_query * sin_pos
    rotate_half_key = torch.stack([-key_layer[..., 1::2], key_layer[..., ::2]], dim=-1).reshape_as(key_layer)
    key_layer = key_layer * cos_pos + rotate_half_key * sin_pos
    return query_layer, key_layer


def roformer(query_layer, key_layer, past_key_values_length=0):
    s = past_key_values_length
    return apply_rotary_position_embeddings(_TABLE[:, :, s : s + query_layer.shape[2]], query_layer, key_layer)
