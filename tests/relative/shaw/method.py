"""Shaw's tables, as the contract takes them."""

from posenc_lib import ShawKeys, ShawValues, Slots
from tests.contract.method import D, H, Method


def shaw() -> Method:
    keys, values = ShawKeys(D, left=4, right=4, heads=H), ShawValues(D, left=4, right=4, heads=H)
    return Method((ShawKeys, ShawValues), relative=True, slots=Slots(content_bias=keys, value_bias=values))


METHODS = {"shaw": shaw}
NO_METHOD = {"clipped": "the row of Shaw's table", "skew": "a part of relative attention"}
