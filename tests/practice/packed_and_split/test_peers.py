"""What the page says of transformers, of torch's context parallelism, and of slopes in FlashInfer."""

from __future__ import annotations

import math

import pytest
import torch
from torch.distributed.tensor.experimental._context_parallel import _load_balancer
from transformers import DataCollatorWithFlattening, OPTConfig, RobertaConfig
from transformers.generation.utils import GenerationMixin
from transformers.masking_utils import find_packed_sequence_indices
from transformers.modeling_flash_attention_utils import prepare_fa_kwargs_from_position_ids
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from bookkit.pages.sharding import shards
from posenc_lib import alibi_slopes, packed_positions, packed_texts, padded_positions

IDS = torch.tensor([0, 1, 2, 2, 2, 2, 4, 5, 0, 1, 2, 3])


def texts_of_masks(ids):
    found = find_packed_sequence_indices(ids[None])
    return 1 if found is None else int(found.max()) + 1


def texts_of_offsets(ids):
    (offsets, _), _ = prepare_fa_kwargs_from_position_ids(ids[None])
    return len(offsets) - 1


@pytest.mark.parametrize(
    ("ids", "of_masks", "of_offsets"),
    [
        (packed_positions(torch.tensor([8, 4])), 2, 2),
        (IDS, 6, 2),
        (torch.tensor([0, 0, 0, 0, 2, 3]), 5, 4),  # begins with an image of 2 x 2 patches
        (torch.tensor([0, 1, 2, 0, 1, 5, 6]), 3, 2),  # a jump
        (packed_positions(torch.tensor([3, 1, 2])) + 2, 3, 3),  # RoBERTa's
        (torch.arange(6), 1, 1),
    ],
)
def test_transformers_finds_texts_by_two_rules(ids, of_masks, of_offsets):
    assert (texts_of_masks(ids), texts_of_offsets(ids)) == (of_masks, of_offsets)


def test_the_collator_passes_the_borders_and_counts_from_0():
    features = [{"input_ids": [5] * n} for n in (8, 4)]
    made = DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_tensors="pt")(features)
    lengths = torch.tensor([8, 4])
    assert torch.equal(made["position_ids"][0], packed_positions(lengths))
    assert torch.as_tensor(made["cu_seq_lens_q"]).diff().tolist() == [8, 4]
    later = DataCollatorWithFlattening(position_ids_start=2, return_tensors="pt")(features)
    assert torch.equal(later["position_ids"][0], packed_positions(lengths) + 2)


def test_spellings_of_left_padding():
    real = torch.tensor([[False] * 3 + [True] * 5])
    count, mask = real.cumsum(-1), real.long()
    filled = GenerationMixin._prepare_position_ids_for_generation(None, mask, {"attention_mask": mask})
    assert torch.equal(filled, (count - 1).masked_fill(~real, 0))
    assert torch.equal(filled, padded_positions(real)[:, 0])
    padding = RobertaConfig().pad_token_id
    words = torch.where(real, 7, padding)
    assert padding == 1
    assert torch.equal(RobertaEmbeddings.create_position_ids_from_input_ids(words, padding), count * real + padding)
    opt = OPTLearnedPositionalEmbedding(20, OPTConfig().hidden_size)
    assert opt.offset == 2
    assert torch.equal(opt(mask), opt.weight[count * real - 1 + 2])


@pytest.mark.parametrize(("n", "ranks"), [(8, 2), (48, 4)])
def test_zigzag_is_the_order_of_torchs_context_parallelism(n, ranks):
    balancer = _load_balancer._create_default_load_balancer(n, ranks, "cpu")
    assert torch.equal(balancer._generate_indices().flatten(), torch.cat(shards.zigzag(n, ranks)))
    assert _load_balancer._create_default_load_balancer(n + ranks, ranks, "cpu") is None  # contiguous


def flashinfer_slopes(h: int) -> torch.Tensor:
    """As `flashinfer/utils.py` of commit ba1f206 computes them from the heads that it is given."""
    n = 2 ** int(math.log2(h))
    first = [2.0 ** (-8 * i / n) for i in range(1, n + 1)]
    return torch.tensor(first + [2.0 ** (-4 * i / n) for i in range(1, 2 * (h - n) + 1, 2)])


@pytest.mark.parametrize("h", [4, 8, 12, 32])
def test_flashinfer_has_the_slopes_of_all_heads_and_no_others(h):
    torch.testing.assert_close(flashinfer_slopes(h), alibi_slopes(h).float())
    of_two = flashinfer_slopes(h // 2)
    assert not of_two.isclose(alibi_slopes(h).float()[: h // 2]).any()  # the first device


def test_divided_offsets_of_megatron_are_those_of_zigzag_inside_each_text():
    """`cu_seqlens // cp_size`, and of each text the slices that `_get_thd_freqs_on_this_cp_rank` takes (49f463c)."""
    lengths, ranks = torch.tensor([8, 16]), 4
    offsets = torch.cat((torch.tensor([0]), lengths.cumsum(0))) // ranks
    for r, own in enumerate(shards.inside_each(shards.zigzag, lengths, ranks)):
        taken = []
        for n in offsets.diff().tolist():
            half, full = n // 2, ranks * n
            at = torch.arange(full)
            taken += [at[r * half : (r + 1) * half], at[full - (r + 1) * half : full - r * half]]
        assert torch.equal(torch.cat(taken), packed_positions(lengths)[own])
        assert torch.equal(packed_texts(offsets.diff()), packed_texts(lengths)[own])
