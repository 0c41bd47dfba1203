# check_bucket(m.both, bidirectional=True, distance="key - query")
# call: m.both(DISTANCES)

def bucket_of(x, y, n_buckets=32, bidirectional=True):
    """One pair, as in C: x is the query's place, y the key's"""
    max_distance = 128
    bucket = 0
    if bidirectional:
        n_buckets >>= 1
    max_exact = n_buckets >> 1
    d = y - x
    if bidirectional:
        bucket += (d > 0) * n_buckets
        d = abs(d)
    else:
        d = -min(d, 0)
    if d < max_exact:
        return bucket + d
    steps = n_buckets - max_exact
    large = math.floor(max_exact + math.log(d / max_exact) * steps / math.log(max_distance / max_exact))
    return bucket + min(large, n_buckets - 1)


def both(relative_position):
    return torch.tensor([bucket_of(0, int(r)) for r in relative_position.flatten()]).view(relative_position.shape)


def past(relative_position):
    flat = relative_position.flatten().tolist()
    return torch.tensor([bucket_of(0, r, 32, False) for r in flat]).view(relative_position.shape)
