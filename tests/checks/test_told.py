"""What a check is told must make sense, and is refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from posenc_checks import check_bias, check_bucket, check_rotary, check_table, check_window, compare
from posenc_lib.relative import alibi_slopes, t5_bucket, window_index
from tests.corpus.checks.planted.pieces import rope

SLOPES = alibi_slopes(8)


def buckets(distances):
    return t5_bucket(distances)


def table(n, d):
    return torch.zeros(n, d)


REFUSED = [
    (check_rotary, (rope,), {"call": 3}, TypeError, "call must be text, as in call='q k cos sin'; got int"),
    (check_rotary, (rope,), {"d": 10**9}, ValueError, "d must be at most 1024"),
    (check_rotary, (rope,), {"groups": 0}, ValueError, "groups must be at least 1"),
    (check_bias, (SLOPES,), {"slopes": [1.0]}, TypeError, "slopes must be a tensor; got"),
    (check_bias, (SLOPES,), {"slopes": torch.arange(8)}, TypeError, "slopes must be floating point"),
    (check_bias, (SLOPES,), {"heads": 10**9}, ValueError, "heads must be at most 4096"),
    (check_bias, (SLOPES,), {"heads": 2.5}, TypeError, "heads must be an integer"),
    (check_bias, (SLOPES,), {"call": 3}, TypeError, "call must be text"),
    (check_bucket, (buckets,), {"buckets": 2.5}, TypeError, "must be an integer"),
    (check_bucket, (buckets,), {"max_distance": -1}, ValueError, "max_distance"),
    (check_bucket, (buckets,), {"distance": "up"}, ValueError, "distance must be one of key - query, query - key"),
    (check_bucket, (buckets,), {"bidirectional": "no"}, TypeError, "bidirectional must be True or False"),
    (check_window, (window_index,), {"window": 3}, TypeError, "window must be two integers"),
    (check_window, (window_index,), {"window": (0, 3)}, ValueError, "height of window must be at least 1"),
    (check_window, (window_index,), {"window": (10**5, 10**5)}, ValueError, "window must have at most 1,024 cells"),
    (check_window, (window_index,), {"order": "rows"}, ValueError, "order must be one of swin"),
    (check_table, (table,), {"d": 10**9}, ValueError, "d must be at most 65536"),
    (check_table, (table,), {"base": "large"}, TypeError, "base must be a number"),
    (check_table, (table,), {"layout": "quarter"}, ValueError, "layout must be one of"),
    (check_table, (table,), {"exponent": "i"}, ValueError, "exponent must be one of 2i/d"),
    (compare, (rope, rope), {"told": 3}, TypeError, "told must be a dictionary, as in told={'d': 64}; got int"),
    (compare, (rope, rope), {"told": {"d": (16,)}}, ValueError, "d for two functions must be a pair; got 1"),
    (compare, (rope, rope), {"told": {"d": 2.5}}, TypeError, "d must be an integer"),
    (
        compare,
        (rope, rope),
        {"told": {"layout": "half"}},
        ValueError,
        "told may hold call, axes, d, groups and table; got",
    ),
]


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize(
    ("check", "given", "told", "error", "says"), REFUSED, ids=[f"{e[0].__name__}-{e[4][:20]}" for e in REFUSED]
)
def test_what_makes_no_sense_is_refused(check, given, told, error, says):
    with pytest.raises(error) as caught:
        check(*given, **told)
    assert says in str(caught.value)


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize("check", [check_rotary, check_bias, check_bucket, check_window, check_table])
def test_a_class_or_a_number_is_no_function(check):
    assert "list is a class: give an object of it" in check(list).unknown[0]
    assert check(3).unknown == ["a function or a module is needed; got int"]


@pytest.mark.usefixtures("as_in_use")
def test_a_tensor_is_not_called():
    for slopes in (SLOPES, np.asarray(SLOPES)):
        assert check_bias(slopes, call="foo").unknown == ["call says how a function is called; got a tensor"]
