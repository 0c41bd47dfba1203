"""T5's bias, as the contract takes it."""

from posenc_lib import T5Bias
from tests.contract.method import H, Method

METHODS = {"t5": lambda: Method((T5Bias,), relative=True, slots=T5Bias(H, n_buckets=8, max_distance=16).slots())}
NO_METHOD = {"t5_bucket": "the bucket of a distance, for T5's table", "t5_edges": "where T5's buckets begin"}
