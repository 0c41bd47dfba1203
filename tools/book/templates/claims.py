"""What the chapter proves about TITLE, verified in numbers on the library's code."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib.ROOM import CLASS

# Every claim that a cell of the page derives has a test here, on the code of the library and of the same strength as
# the sentence. Its mark names the claim. Delete these lines, then:
#   .venv/bin/python -m pytest tests/ROOM/MODULE/test_claims.py
numbers = st.integers(0, 100)


@pytest.mark.claim("NAME.sum")
@given(numbers, numbers)
def test_the_score_of_a_sum_is_the_sum_of_the_scores(j, k):
    parts = CLASS(1).bias_at(torch.tensor([j, k]))
    whole = CLASS(1).bias_at(torch.tensor([j + k]))
    torch.testing.assert_close(whole, parts.sum(-1, keepdim=True), rtol=0, atol=0)
