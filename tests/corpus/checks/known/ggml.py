# check_rotary(m.ggml_rope, layout="half", base=1e4, d=16, axes="nhd")
# formula: same=True
# call: [torch.as_tensor(m.ggml_rope(x[0].transpose(0, 1).numpy(), list(range(n)))).transpose(0, 1)[None].expand_as(x)]
# n: 300

def ggml_rope(x, pos, n_dims=16, freq_base=10000.0, freq_scale=1.0):
    """x: numpy array (tokens, heads, n_dims); pos: list of ints; NEOX ordering"""
    x = np.asarray(x)
    dst = np.empty_like(x)
    theta_scale = freq_base ** (-2.0 / n_dims)
    for i2, p in enumerate(pos):
        theta = freq_scale * float(p)
        for ic in range(n_dims // 2):
            cos_theta, sin_theta = np.cos(theta), np.sin(theta)
            x0, x1 = x[i2, :, ic], x[i2, :, ic + n_dims // 2]
            dst[i2, :, ic] = x0 * cos_theta - x1 * sin_theta
            dst[i2, :, ic + n_dims // 2] = x0 * sin_theta + x1 * cos_theta
            theta *= theta_scale
    return dst
