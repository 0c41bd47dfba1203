"""What the page says of transformers."""

from __future__ import annotations

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config
from transformers.models.t5.modeling_t5 import T5Block

from tests.support.weights import filled

IDS = torch.randint(50, (1, 9), generator=torch.Generator().manual_seed(0))
SIZES = {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 64}


@pytest.fixture(scope="module")
def llama():
    return filled(LlamaForCausalLM(LlamaConfig(**SIZES, num_hidden_layers=2, vocab_size=50)))


def off(out, right):
    return (out.logits[:, -right.shape[1] :] - right).abs().max().item()


@torch.no_grad()
@pytest.mark.parametrize("training", [False, True])
def test_packed_texts_see_each_other_unless_there_is_neither_cache_nor_mask(llama, training):
    llama.train(training)
    positions, alone = torch.tensor([[0, 1, 2, 3, 0, 1, 2, 3, 4]]), llama(IDS[:, 4:]).logits
    ones = torch.ones_like(IDS)
    assert off(llama(IDS, position_ids=positions, use_cache=False), alone) < 1e-6
    assert off(llama(IDS, position_ids=positions), alone) > 0.1
    assert off(llama(IDS, position_ids=positions, use_cache=False, attention_mask=ones), alone) > 0.1


@torch.no_grad()
def test_a_bare_forward_pass_counts_places_and_generate_counts_tokens(llama):
    gpt = filled(GPT2LMHeadModel(GPT2Config(n_embd=32, n_head=2, n_layer=2, vocab_size=50, n_positions=16)))
    mask = torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1, 1]])
    own = {"position_ids": (mask.cumsum(-1) - 1).clamp(min=0)}
    for model, free in ((llama.eval(), True), (gpt.eval(), False)):
        alone = model(IDS[:, 3:]).logits
        assert off(model(IDS, attention_mask=mask, **own), alone) < 1e-5
        assert (off(model(IDS, attention_mask=mask), alone) < 1e-5) == free
        counted = model._prepare_position_ids_for_generation(IDS, {"attention_mask": mask})
        assert torch.equal(counted, own["position_ids"])


def test_t5_has_no_bias_in_cross_attention():
    config = T5Config(d_model=8, d_kv=4, num_heads=2, d_ff=8, num_layers=1, is_decoder=True)
    own, cross, _ = T5Block(config, has_relative_attention_bias=True).layer
    assert (own.SelfAttention.has_relative_attention_bias, cross.EncDecAttention.has_relative_attention_bias) == (
        True,
        False,
    )
