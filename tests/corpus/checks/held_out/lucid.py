# check_bucket(m.buckets, bidirectional=False, distance="query - key")
# formula: bi=False
# call: m.buckets(-DISTANCES)

class RelativePositionBuckets(nn.Module):
    """Causal: distance = query - key, what lies ahead is 0"""

    def __init__(self, num_buckets=32, max_distance=128):
        super().__init__()
        self.num_buckets, self.max_distance = num_buckets, max_distance

    def forward(self, distance):
        n = distance.clamp(min=0)
        exact = self.num_buckets // 2
        ratio = torch.log(n.clamp(min=1).double() / exact) / math.log(self.max_distance / exact)
        large = (exact + ratio * (self.num_buckets - exact) + 1e-9).long().clamp(max=self.num_buckets - 1)
        return large.where(n >= exact, n)


buckets = RelativePositionBuckets()
