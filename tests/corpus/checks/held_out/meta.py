# check_rotary(m.forward, d=16, base=1e4, sense="counterclockwise", first=0, layout="interleaved", axes="bnhd")
# formula: layout="interleaved"
# call: [swap(t) for t in pieces(lambda q, k, a, b: m.forward(q, k, a), swap(x), swap(y), dim=1)]

def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, device=freqs.device)
    freqs = torch.outer(t, freqs).float()
    return torch.polar(torch.ones_like(freqs), freqs)


def reshape_for_broadcast(freqs_cis, x):
    shape = [d if i == 1 or i == x.ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)


def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)


FREQS_CIS = precompute_freqs_cis(16, 2 * 4096)


def forward(xq, xk, start_pos):
    seqlen = xq.shape[1]
    return apply_rotary_emb(xq, xk, FREQS_CIS[start_pos : start_pos + seqlen])
