"""DeBERTa's bias, as the contract takes it."""

from posenc_lib import DisentangledBias
from tests.contract.method import D_MODEL, H, Method

METHODS = {"deberta": lambda: Method((DisentangledBias,), relative=True, slots=DisentangledBias(D_MODEL, H, 6).slots())}
NO_METHOD = {
    "deberta_row": "the row of DeBERTa's table",
    "log_bucket": "the bucket of a distance, for DeBERTa's table",
}
