"""Every check of an argument: declared above a function by `border`, as rules that stand in the files beside this one.

`declare` reads arguments by their rules. `numbers`, `tensors` and `positions` hold the rules, `relations` makes a rule
for several arguments out of a condition and a sentence. `values`, `angles` and `scores` hold what many functions ask.
`precision` keeps constants and products exact.
"""

from posenc_lib.border.declare import Relation, Rule, border
from posenc_lib.border.numbers import (
    base,
    being,
    device,
    even,
    factor,
    finite,
    flag,
    float_dtype,
    function,
    generator,
    instance,
    number,
    one_of,
    positive,
    satisfying,
    sides,
    whole,
    wide_dtype,
)
from posenc_lib.border.positions import counted, distances, from_zero, known, length, places, shared, tokens, within
from posenc_lib.border.relations import each, named, together
from posenc_lib.border.tensors import (
    arithmetic_dtype,
    constant,
    content,
    freqs,
    not_negative,
    per_pair,
    shaped,
    table,
    tensor,
    wide,
)

__all__ = [
    "Relation",
    "Rule",
    "arithmetic_dtype",
    "base",
    "being",
    "border",
    "constant",
    "content",
    "counted",
    "device",
    "distances",
    "each",
    "even",
    "factor",
    "finite",
    "flag",
    "float_dtype",
    "freqs",
    "from_zero",
    "function",
    "generator",
    "instance",
    "known",
    "length",
    "named",
    "not_negative",
    "number",
    "one_of",
    "per_pair",
    "places",
    "positive",
    "satisfying",
    "shaped",
    "shared",
    "sides",
    "table",
    "tensor",
    "together",
    "tokens",
    "whole",
    "wide",
    "wide_dtype",
    "within",
]
