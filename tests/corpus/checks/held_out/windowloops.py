# check_window(m.relative_position_index, order="swin")
# call: m.relative_position_index((3, 5))

def relative_position_index(window_size):
    h, w = window_size
    index = np.zeros((h * w, h * w), dtype=np.int64)
    for a in range(h * w):
        for b in range(h * w):
            (ya, xa), (yb, xb) = divmod(a, w), divmod(b, w)
            index[a, b] = (ya - yb + h - 1) * (2 * w - 1) + (xa - xb + w - 1)
    return index
