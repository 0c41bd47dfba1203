"""FIRE, as the contract takes it."""

from posenc_lib import Slots
from posenc_lib.relative import Fire, fire_ratio
from tests.contract.method import D, H, Method

ARGUMENTS = {"fire_ratio": lambda: [{"threshold": 2.0}], "Fire": lambda: [{"threshold": 2.0}]}


def fire():
    """With as many hidden units as the contract allows a pair of positions, which hold a number each."""
    return Method((Fire, fire_ratio), relative=False, slots=Slots(bias=Fire(H, D * H, threshold=4.0)), per_pair=True)


METHODS = {"fire": fire}
