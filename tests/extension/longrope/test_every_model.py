"""Every model of transformers that has a rotary module: it and we have the same frequencies, or we say why not."""

from __future__ import annotations

import importlib
import inspect
import json
from collections import Counter

import pytest
import torch
from transformers import CONFIG_MAPPING

from posenc_lib.released import released_rope

UNUSED = {"bamba", "granitemoehybrid", "zamba2"}
"""By default these have the class of the module, and don't rotate."""

DROPPED = {"cohere2_moe"}
"""Transformers 5.23 fills in its rope parameters before it looks for `rope_scaling`, which then counts for nothing."""


def modules(kind):
    """The rotary modules that are made from configurations of this class."""
    try:
        code = vars(importlib.import_module(kind.__module__.replace("configuration_", "modeling_")))
    except (ImportError, OSError):
        return []
    found = [
        made for name, made in code.items() if name.endswith("RotaryEmbedding") and made.__module__ == code["__name__"]
    ]
    asked = [(made, inspect.signature(made.__init__).parameters.get("config")) for made in found]
    return [
        made for made, asks in asked if asks and getattr(asks.annotation, "__name__", asks.annotation) == kind.__name__
    ]


def as_written(kind):
    return json.loads(json.dumps(kind().to_dict(), default=str))


def in_old_form(kind):
    """One dictionary for all layers, and the base beside it."""
    config = as_written(kind)
    rope = config.pop("rope_parameters", None) or {}
    base = rope.get("full_attention") or rope
    beside = {key: base[key] for key in ("rope_theta", "partial_rotary_factor") if key in base}
    return {**config, **beside, "rope_scaling": {"rope_type": "linear", "factor": 2.0}}


def compared(config, made):
    """For each type of layer of the module: same, different, or refused."""
    for name, freqs in made.named_buffers():
        if name.endswith("inv_freq") and "original" not in name:
            layer_type = name.removesuffix("inv_freq").rstrip("_") or None
            factor = getattr(made, name.replace("inv_freq", "attention_scaling"))
            try:
                ours = released_rope(config, layer_type=layer_type, n=1)
            except (ValueError, TypeError) as error:
                yield "refused" if len(str(error)) > 30 else "different"
                continue
            close = ours.freqs.shape == freqs.shape and torch.allclose(ours.freqs.float(), freqs, rtol=2e-5, atol=1e-12)
            yield "same" if close and ours.attention_factor == pytest.approx(factor) else "different"


@pytest.mark.weekly
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("form", "known"), [(as_written, UNUSED), (in_old_form, UNUSED | DROPPED)])
def test_no_model_is_read_otherwise_than_by_its_own_module(form, known):
    counted, different = Counter(), set()
    for model, kind in CONFIG_MAPPING.items():
        for module in modules(kind):
            try:
                config = form(kind)
                made = module(kind(**json.loads(json.dumps(config))))
            except Exception:  # whatever their classes raise: there is nothing to compare
                counted["not made"] += 1
                continue
            found = Counter(compared(config, made)) if "text_config" not in config else {}
            counted.update(found)
            different |= {model} if "different" in found else set()
    assert different == known, counted
    assert counted["same"] > 100, counted
