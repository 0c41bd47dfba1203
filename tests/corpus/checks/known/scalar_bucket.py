# check_bucket(m.buckets, bidirectional=True, distance="key - query")
# call: m.buckets(DISTANCES)

def bucket(rel):
    """One integer (key minus query) to a bucket: 32, 128, two directions."""
    half = 16
    exact = 8
    offset = half if rel > 0 else 0
    n = abs(rel)
    if n < exact:
        return offset + n
    scaled = math.log(n / exact) / math.log(128 / exact)
    return offset + min(half - 1, exact + int(scaled * (half - exact) + 1e-9))


def buckets(relative_position):
    return torch.tensor([bucket(int(r)) for r in relative_position.flatten()]).view(relative_position.shape)
