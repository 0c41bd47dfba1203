# check_window(m.index_table, order="swin")
# call: torch.as_tensor(m.index_table(3, 5))

def index_table(wh, ww):
    n = wh * ww
    idx = np.zeros((n, n), dtype=np.int64)
    for q in range(n):
        qy, qx = divmod(q, ww)
        for k in range(n):
            ky, kx = divmod(k, ww)
            idx[q, k] = (qy - ky + wh - 1) * (2 * ww - 1) + (qx - kx + ww - 1)
    return idx
