# check_rotary(m.rope_all, layout="interleaved", base=1e4, d=16)
# formula: layout="interleaved"
# call: [m.rope_all(x, torch.arange(n))]
# n: 300

def rope_forward(vec, pos):
    """One head's vector at one position, as in llama2.c."""
    out = vec.clone()
    head_size = vec.shape[-1]
    for i in range(0, head_size, 2):
        freq = 1.0 / math.pow(10000.0, i / head_size)
        val = pos * freq
        fcr = math.cos(val)
        fci = math.sin(val)
        v0 = vec[..., i]
        v1 = vec[..., i + 1]
        out[..., i] = v0 * fcr - v1 * fci
        out[..., i + 1] = v0 * fci + v1 * fcr
    return out


def rope_all(x, positions):
    rows = [rope_forward(x[..., j, :], int(p)) for j, p in enumerate(positions)]
    return torch.stack(rows, dim=-2)
