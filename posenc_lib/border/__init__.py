"""Every check of an argument: declared above a function by `border`, as rules that stand in the files beside this one.

`declare` reads arguments by their rules. `numbers`, `tensors` and `positions` hold the rules. `values`, `angles` and
`scores` hold what several arguments must satisfy together, called in the first line of a body. `precision` keeps
constants and products exact.
"""

from posenc_lib.border.declare import Rule, border
from posenc_lib.border.numbers import (
    base,
    device,
    even,
    factor,
    finite,
    flag,
    float_dtype,
    function,
    generator,
    number,
    one_of,
    positive,
    satisfying,
    sides,
    whole,
    wide_dtype,
)
from posenc_lib.border.positions import counted, distances, length, places, shared, tokens, within
from posenc_lib.border.tensors import (
    arithmetic_dtype,
    constant,
    content,
    freqs,
    not_negative,
    per_pair,
    table,
    tensor,
    wide,
)

__all__ = [
    "Rule",
    "arithmetic_dtype",
    "base",
    "border",
    "constant",
    "content",
    "counted",
    "device",
    "distances",
    "even",
    "factor",
    "finite",
    "flag",
    "float_dtype",
    "freqs",
    "function",
    "generator",
    "length",
    "not_negative",
    "number",
    "one_of",
    "per_pair",
    "places",
    "positive",
    "satisfying",
    "shared",
    "sides",
    "table",
    "tensor",
    "tokens",
    "whole",
    "wide",
    "wide_dtype",
    "within",
]
