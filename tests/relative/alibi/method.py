"""ALiBi, as the contract takes it."""

from posenc_lib import Alibi, Slots, alibi_slopes
from tests.contract.method import H, Method


def alibi(future: float | None = None) -> Method:
    slopes = alibi_slopes(H)
    bias = Alibi(slopes, None if future is None else future * slopes)
    return Method((Alibi, alibi_slopes), relative=True, slots=Slots(bias=bias))


METHODS = {"alibi": alibi, "alibi two-sided": lambda: alibi(future=3.0)}
