"""What the chapter proves about Variations, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.rotary import variations

numbers = st.integers(-100, 100)


@pytest.mark.claim("variations.sum")
@given(numbers, numbers, st.floats(0.01, 10))
def test_the_score_of_a_sum_is_the_sum_of_the_scores(j, k, slope):
    parts = variations(torch.tensor([j, k]), slope=slope)
    whole = variations(torch.tensor([j + k]), slope=slope)
    torch.testing.assert_close(whole, parts.sum(0, keepdim=True), rtol=1e-12, atol=1e-10)
