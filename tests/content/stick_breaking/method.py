"""Stick-breaking, as the contract takes it."""

from collections.abc import Callable

from posenc_lib import Slots
from posenc_lib.content import stick_breaking, stick_breaking_with_rest
from tests.contract.method import Given, Method


def with_weights(weights: Callable) -> Method:
    return Method((weights,), relative=True, ordinal=True, slots=Slots(weights=Given(weights)))


METHODS = {
    "stick-breaking": lambda: with_weights(stick_breaking),
    "stick-breaking with the rest": lambda: with_weights(stick_breaking_with_rest),
}
UNCHECKED = dict.fromkeys(
    ("stick_breaking.scores", "stick_breaking_with_rest.scores"),
    "a key with the score -inf is hidden, and one with inf takes all that the nearer ones have left",
)
