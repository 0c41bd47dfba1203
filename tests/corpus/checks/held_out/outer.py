# check_window(m.relative_position_index, order="swin")
# call: m.relative_position_index((3, 5))

def relative_position_index(window_size):
    """Two Toeplitz matrices, put together by a sum over blocks"""
    h, w = window_size
    dy = torch.arange(h)[:, None] - torch.arange(h) + (h - 1)
    dx = torch.arange(w)[:, None] - torch.arange(w) + (w - 1)
    index = dy[:, None, :, None] * (2 * w - 1) + dx[None, :, None, :]
    return index.reshape(h * w, h * w)
