"""TUPE, as the contract takes it."""

from posenc_lib import Learned, TupeBias
from tests.contract.method import D_MODEL, H, Method, rows

METHODS = {
    "tupe": lambda: Method((TupeBias,), relative=False, slots=TupeBias(Learned(rows()), D_MODEL, H).slots()),
}
