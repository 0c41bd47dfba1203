"""FIRE, as the contract takes it."""

from posenc_lib import Slots
from posenc_lib.relative import Fire, fire_ratio
from tests.contract.method import H, Method

ARGUMENTS = {"fire_ratio": lambda: [{"threshold": 2.0}], "Fire": lambda: [{"threshold": 2.0}]}


def fire():
    return Method((Fire, fire_ratio), relative=False, slots=Slots(bias=Fire(H, threshold=4.0)), per_pair=True)


METHODS = {"fire": fire}
