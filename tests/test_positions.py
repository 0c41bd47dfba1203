"""Positions of packed and padded texts, by loops over their tokens."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from posenc_lib import packed_positions, packed_texts, padded_positions

LENGTHS = st.lists(st.integers(0, 6), max_size=5)


@given(LENGTHS)
def test_packed_texts_one_after_another(lengths):
    row = [(text, place) for text, length in enumerate(lengths) for place in range(length)]
    given = torch.tensor(lengths, dtype=torch.int64)
    assert packed_texts(given).tolist() == [text for text, _ in row]
    assert packed_positions(given).tolist() == [place for _, place in row]


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.booleans())
def test_padded_positions_on_either_side(lengths, left):
    n = max(lengths)
    rows = [[False] * (n - k) + [True] * k if left else [True] * k + [False] * (n - k) for k in lengths]
    positions = padded_positions(torch.tensor(rows))
    assert positions.shape == (len(lengths), 1, n)
    for row, own, k in zip(rows, positions[:, 0].tolist(), lengths, strict=True):
        assert [p for p, real in zip(own, row, strict=True) if real] == list(range(k))
        assert all(p == (0 if left else k - 1) for p, real in zip(own, row, strict=True) if not real)


@pytest.mark.parametrize("make", [packed_positions, packed_texts])
def test_lengths_are_the_differences_of_offsets(make):
    cu_seqlens = torch.tensor([0, 3, 5], dtype=torch.int32)
    assert len(make(cu_seqlens.diff())) == 5
    with pytest.raises(ValueError, match=r"cu_seqlens\.diff\(\)"):
        make(cu_seqlens[None])
    with pytest.raises(ValueError, match="must not be negative"):
        make(torch.tensor([3, -1]))
