"""A tiny random model of a class of transformers: its layers and heads as they are, everything else small."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

MOST = 3 * 10**8
SMALL = {
    0: "pad_token_id bos_token_id eos_token_id",
    1: "n_group topk_group num_expert_group n_shared_experts num_global_key_value_heads",
    2: "num_attention_heads num_key_value_heads linear_num_heads linear_num_key_heads linear_num_value_heads "
    "index_n_heads num_experts_per_tok num_experts_per_token moe_k",
    4: "num_experts n_routed_experts num_local_experts moe_num_experts",
    16: "q_lora_rank kv_lora_rank o_lora_rank hidden_size_per_layer_input",
    64: "vocab_size vocab_size_per_layer_input intermediate_size moe_intermediate_size",
}


def tiny(config: Mapping[str, Any]) -> nn.Module:
    """A model of the same class with the same layers and heads, and small everywhere else."""
    from transformers import CONFIG_MAPPING, AutoModel

    kind = CONFIG_MAPPING[config["model_type"]]
    whole = kind(**config)
    made = kind(**{**whole.to_dict(), **_sizes(whole)})
    made._attn_implementation = "eager"
    with torch.device("meta"):
        size = sum(each.numel() for each in AutoModel.from_config(made).parameters())
    if size > MOST:
        raise ValueError(f"it would have {size:,} parameters")
    torch.manual_seed(0)
    return _without_zeros(AutoModel.from_config(made).eval())


def _sizes(whole: Any) -> dict[str, int]:
    """Of two heads, each as wide as it is."""
    said = {name: whole.to_dict().get(key) for name, key in whole.attribute_map.items()} | whole.to_dict()
    width = 2 * (said.get("head_dim") or said["hidden_size"] // said["num_attention_heads"])
    small = {key: size for size, keys in SMALL.items() for key in keys.split() if said.get(key)}
    small = {key: size and min(size, said[key]) for key, size in small.items()} | {"hidden_size": width}
    if head := said.get("mamba_d_head"):  # these heads share out a width of their own
        small |= {"mamba_n_heads": 2 * width // head, "mamba_d_ssm": 2 * width, "mamba_expand": 2}
    return small


def _without_zeros(model: nn.Module) -> nn.Module:
    """Such as a factor on what attention adds, which would hide it."""
    for each in model.parameters():
        if not each.any():
            nn.init.normal_(each, std=0.02)
    return model
