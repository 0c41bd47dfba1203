# check_rotary(m.rotate, layout="interleaved", base=1e4, d=16)
# formula: layout="interleaved"
# call: [m.rotate(x, torch.arange(n))]

def get_rotary_matrix(context_window, embedding_dim):
    R = torch.zeros((context_window, embedding_dim, embedding_dim))
    position = torch.arange(context_window).float()
    for i in range(embedding_dim // 2):
        theta = 10000.0 ** (-2.0 * i / embedding_dim)
        m_theta = position * theta
        R[:, 2 * i, 2 * i] = torch.cos(m_theta)
        R[:, 2 * i, 2 * i + 1] = -torch.sin(m_theta)
        R[:, 2 * i + 1, 2 * i] = torch.sin(m_theta)
        R[:, 2 * i + 1, 2 * i + 1] = torch.cos(m_theta)
    return R


def rotate(x, positions):
    """x: (batch, heads, tokens, d)"""
    R = get_rotary_matrix(int(positions.max()) + 1, x.shape[-1])[positions]
    return torch.einsum("nij,bhnj->bhni", R, x)
