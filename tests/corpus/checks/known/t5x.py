# check_bucket(m.relative_position_bucket, bidirectional=True, distance="key - query")
# call: torch.as_tensor(m.relative_position_bucket(DISTANCES.numpy()))

def relative_position_bucket(relative_position, bidirectional=True, num_buckets=32, max_distance=128):
    """numpy, from T5X: relative position = key - query"""
    ret = 0
    n = -np.asarray(relative_position)
    if bidirectional:
        num_buckets //= 2
        ret += (n < 0).astype(np.int32) * num_buckets
        n = np.abs(n)
    else:
        n = np.maximum(n, 0)
    max_exact = num_buckets // 2
    is_small = n < max_exact
    val_if_large = max_exact + (
        np.log(n.astype(np.float32) / max_exact + np.finfo(np.float32).eps)
        / np.log(max_distance / max_exact)
        * (num_buckets - max_exact)
    ).astype(np.int32)
    val_if_large = np.minimum(val_if_large, num_buckets - 1)
    ret += np.where(is_small, n, val_if_large)
    return ret
