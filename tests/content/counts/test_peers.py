"""CoPE in x-transformers; and CoPE, Abacus, coupled positions and BiPE from the authors' files."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path

import pytest
import torch

from posenc_lib import Slots, attention, causal_mask
from posenc_lib.content import CoPE, abacus_positions, coupled_positions, segment_positions
from tests.support.weights import filled as with_numbers
from tests.support.weights import normal

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "`torch.jit.script` is deprecated")
    from x_transformers.x_transformers import CoPE as TheirCoPE

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "counts_authors.json").read_text(encoding="utf-8"))
PLACES = torch.arange(6)
MASK = causal_mask(PLACES, PLACES)


def theirs(ours, q, k, *, max_pos, scale=0.5):
    module = TheirCoPE(4, 2, max_pos).double()
    module.load_state_dict({"pos_emb": ours.table})
    return module(q, (q @ k.mT * scale).masked_fill(~MASK, -torch.finfo(q.dtype).max))


@pytest.mark.parametrize("rows", [2, 4, 16])
def test_x_transformers_bias_is_ours(rows):
    ours, q, k = with_numbers(CoPE(4, rows)), normal(1, 2, 6, 4), normal(1, 2, 6, 4, seed=1)
    made = ours(q, k, PLACES, PLACES)
    torch.testing.assert_close(made.tril(), theirs(ours, q, k, max_pos=rows).tril(), rtol=0, atol=1e-12)


def test_its_gates_see_scores_that_are_divided():
    ours, q, k = with_numbers(CoPE(4, 4)), normal(1, 2, 6, 4), normal(1, 2, 6, 4, seed=1)
    undivided = theirs(ours, q, k, max_pos=4, scale=1.0)
    assert (ours(q, k, PLACES, PLACES) - undivided).tril().abs().max() > 0.1


def filled(shape, modulus):
    """Numbers without a generator, as the oracle's script makes them."""
    n = math.prod(shape)
    return ((7 * torch.arange(n, dtype=torch.float64) % modulus) / modulus - 0.5).reshape(shape)


@pytest.mark.parametrize(("option", "divided_by"), [("default", 2), ("nodiv", 1)])
def test_the_authors_code_divides_what_the_table_gives_and_the_listing_does_not(option, divided_by):
    cope = CoPE(4, 4).double()
    cope.table.data = filled((4, 4), 11).T / divided_by  # its table has a column for each count
    q, k, v = 4 * filled((2, 6, 4), 13), 4 * filled((2, 6, 4), 17), filled((2, 6, 4), 19)
    out = attention(q, k, v, Slots(content_bias=cope), mask=MASK)
    torch.testing.assert_close(out, torch.tensor(ORACLE["cope"][option]).double(), rtol=0, atol=1e-6)


def test_the_authors_abacus():
    tokens = torch.tensor(ORACLE["abacus_tokens"])
    digits = (tokens >= 4) & (tokens <= 13)
    assert abacus_positions(digits).tolist() == ORACLE["abacus_eval"]
    assert abacus_positions(digits, offset=ORACLE["abacus_offset"]).tolist() == ORACLE["abacus_train_seed_3"]


def test_the_authors_coupled_positions():
    """A start of 1; ours are those of the digits, and the authors give + and = the start."""
    text = ORACLE["coupled_text"]
    digits = torch.tensor([each.isdigit() for each in text])
    ours = coupled_positions(digits, torch.arange(len(text)) > text.index("="), offset=1)
    assert torch.where(digits, ours, 1).tolist() == ORACLE["coupled_positions"]


def test_the_authors_segments():
    tokens = torch.tensor(ORACLE["bipe_tokens"])
    segments, within = segment_positions(torch.isin(tokens, torch.tensor([869, 13])))
    assert (segments.tolist(), within.tolist()) == (ORACLE["bipe_segments"], ORACLE["bipe_within"])


def test_their_full_stop_is_one_after_a_space():
    """What their tokenizer makes of two texts, and which of it their code takes for the end of a segment."""
    usual, spaced = ORACLE["bipe_tokenizer"].values()
    assert [token in (869, 13) for token in usual] == [False, False, True, False]
    assert [token in (869, 13) for token in spaced] == [True, True]
