"""What a check is told must make sense, and is refused in a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from posenc_checks import check_bias, check_bucket, check_rotary, check_table, check_window
from posenc_lib.relative import alibi_slopes

SLOPES = alibi_slopes(8)


@pytest.mark.usefixtures("as_in_use")
@pytest.mark.parametrize("check", [check_rotary, check_bias, check_bucket, check_window, check_table])
def test_a_class_or_a_number_is_no_function(check):
    assert "list is a class: give an object of it" in check(list).unknown[0]
    assert check(3).unknown == ["a function or a module is needed; got int"]


@pytest.mark.usefixtures("as_in_use")
def test_a_tensor_is_not_called():
    for slopes in (SLOPES, np.asarray(SLOPES)):
        assert check_bias(slopes, call="foo").unknown == ["call says how a function is called; got a tensor"]
