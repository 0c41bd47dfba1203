# check_bucket(m.t5_bucket, bidirectional=True, distance="key - query")
# call: m.t5_bucket(DISTANCES.numpy())

def t5_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """relative_position = memory_position - query_position"""
    n = -np.asarray(relative_position)
    ret = np.zeros_like(n)
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).astype(np.int64) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    max_exact = num_buckets // 2
    val_if_large = max_exact + (
        np.log(n.astype(np.float32) / max_exact + np.finfo(np.float32).eps)
        / np.log(max_distance / max_exact) * (num_buckets - max_exact)
    ).astype(np.int64)
    val_if_large = np.minimum(val_if_large, num_buckets - 1)
    return ret + np.where(n < max_exact, n, val_if_large)
