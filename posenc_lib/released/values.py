"""The rules for what a configuration says: like those of the border, for values that came from a file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from math import inf
from typing import Any

from posenc_lib.border import Rule, being, even, instance, number, positive, satisfying, whole
from posenc_lib.border.numbers import shown

MAX_BITS = 128
"""Of an integer: floats end, and the integers of a file do not."""

MAX_FEATURES = 2**16
"""Of a head. Of a wider one the frequencies could take all memory."""


def _real(name: str, x: Any, *, rule: Rule) -> float:
    return float(rule(name, x))


length = whole(1)
real = partial(_real, rule=positive)
base = partial(_real, rule=satisfying(lambda x: 1 < x < inf, "above 1 and finite, so that frequencies fall"))
ratio = partial(_real, rule=satisfying(lambda x: 1 <= x < inf, "at least 1 and finite: new length over trained"))
share = partial(
    _real, rule=satisfying(lambda x: 0 < x <= 1, "above 0 and at most 1, the fraction of features to rotate")
)


def features(name: str, d: Any) -> int:
    """Of a head."""
    return whole(2, MAX_FEATURES, beyond="no head has so many")(name, even(name, d))


MAX_LAYERS = 10_000
layers = whole(1, MAX_LAYERS, beyond="no model has so many layers")


def words(name: str, values: Any) -> list[str]:
    good = isinstance(values, (list, tuple)) and all(isinstance(word, str) for word in values)
    return list(being(lambda _: good, "a list of names, one for each layer")(name, values))


def entries(name: str, values: Any, n: int) -> list[Any]:
    """One for each of n layers. Some files have more, for layers that are only used in training."""
    if len(values) < n:
        raise ValueError(f"{name} must have an entry for each of {n} layers; got {len(values)}")
    return values


type_of_layers = being(lambda x: x is None or isinstance(x, str), "the name of a type of layers, or None")
_LIST = being(lambda x: isinstance(x, (list, tuple)) and len(x) > 0, "a list of numbers")
_MAPPING = instance(Mapping, "a dictionary, as json.load gives it")
names = being(
    lambda x: isinstance(x, Collection) and not isinstance(x, str) and all(isinstance(name, str) for name in x),
    "a set or a list of names",
)


def numbers(name: str, values: Any) -> list[float]:
    return [float(number(f"{name}[{i}]", _sized(f"{name}[{i}]", x))) for i, x in enumerate(_LIST(name, values))]


def mapping(name: str, given: Any) -> dict[str, Any]:
    """As a dictionary, which can be read again and again, with integers of a reasonable size."""
    given = _MAPPING(name, given)
    try:
        given = dict(given)
    except Exception as error:
        raise ValueError(f"{name} must be a dictionary; got one that raises {type(error).__name__}") from error
    return {key: _sized(shown(key), value) for key, value in given.items()}


def _sized(name: str, x: Any) -> Any:
    if isinstance(x, int) and x.bit_length() > MAX_BITS:
        raise ValueError(f"{name} must be below 2**{MAX_BITS} in size; got an integer of {x.bit_length()} bits")
    return x
