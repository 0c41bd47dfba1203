"""What a class of transformers does with positions, from a tiny random model of it: the second witness of the doctor.

Each layer gets the same input twice, at positions p and 2p. It is unrotated if and only if nothing changes there, bit
for bit. What its rotary function does to the queries shows slice, pairs and frequencies.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any, NamedTuple
from unittest.mock import patch

import torch
from torch import Tensor, nn

from posenc_lib.released.layers import Layer

N = 11
MOST = 3 * 10**8
ROTARY = re.compile(r"apply_\w*(rotary|rope)\w*")
CHOOSES = re.compile(r"\w*(Indexer|Compressor)\w*")
SMALL = {
    0: "pad_token_id bos_token_id eos_token_id",
    1: "n_group topk_group num_expert_group n_shared_experts num_global_key_value_heads",
    2: "num_attention_heads num_key_value_heads linear_num_heads linear_num_key_heads linear_num_value_heads "
    "index_n_heads num_experts_per_tok num_experts_per_token moe_k",
    4: "num_experts n_routed_experts num_local_experts moe_num_experts",
    16: "q_lora_rank kv_lora_rank o_lora_rank hidden_size_per_layer_input",
    64: "vocab_size vocab_size_per_layer_input intermediate_size moe_intermediate_size",
}


class Seen(NamedTuple):
    """A layer of the tiny model: whether positions change it, and what its rotation does, where it was seen."""

    rotated: bool
    rotated_features: int | None = None
    layout: str | None = None
    base: float | None = None


def probed(config: Mapping[str, Any]) -> list[Seen]:
    """Each layer of a tiny random model of the class that the configuration names.

    Refused: a class that transformers does not have, or cannot make so small, with its reason.
    """
    from transformers import CONFIG_MAPPING

    if (name := config.get("model_type")) not in CONFIG_MAPPING:
        raise ValueError(f"transformers has no class of the model_type {name!r:.60}, so there is nothing to probe")
    try:
        return _witnessed(tiny(config))
    except Exception as error:  # whatever the classes of transformers raise
        said = f"{error}".strip().rpartition("\n")[2].strip()
        raise ValueError(f"transformers cannot run a tiny {name}: {said:.200}") from error


def _witnessed(model: nn.Module) -> list[Seen]:
    layers, calls = _layers(model), _Calls()
    with calls.recorded(model, layers):
        p, most = torch.arange(N), getattr(model.config, "max_position_embeddings", None) or 4_096 * N
        here = _run(model, layers, p, [])
        runs = [_run(model, layers, positions, here) for positions in (p + 100, 2 * p)]
        _run(model, layers, most // N * p, here)  # so far out, slow pairs move too, and some models scale their queries
    changed = [any(not torch.equal(own[1], there[1]) for there in rest) for own, *rest in zip(here, *runs, strict=True)]
    return [Seen(turns, *_turned(calls.of.get(i, []))) if turns else Seen(False) for i, turns in enumerate(changed)]


def disagreements(told: Sequence[Layer], seen: Sequence[Seen]) -> list[str]:
    """Where the two witnesses differ: what the configuration says, and what the class does."""
    return [
        f"layer {layer.index}: by the configuration {name} is {said}, and the class does {shown}"
        for layer, own in zip(told, seen, strict=True)
        for name, shown in own._asdict().items()
        if shown is not None and (said := _expected(layer, name)) is not None and not _same(said, shown)
    ]


def _expected(layer: Layer, name: str) -> Any:
    """Of the type proportional the exponents count the whole head; lists have a factor for each frequency."""
    if name != "base" or layer.scaling not in ("proportional", "longrope"):
        return getattr(layer, name)
    return layer.base ** (layer.rotated_features / layer.head_features) if layer.scaling == "proportional" else None


def _same(a: Any, b: Any) -> bool:
    return abs(a / b - 1) < 1e-3 if isinstance(a, float) and b else a == b


def tiny(config: Mapping[str, Any]) -> nn.Module:
    """A model of the same class with the same layers and heads, and small everywhere else."""
    from transformers import CONFIG_MAPPING, AutoModel

    name = config["model_type"]
    whole = CONFIG_MAPPING[name](**config)
    said, other = whole.to_dict(), whole.attribute_map
    given = {key: said.get(other.get(key, key)) for key in ("head_dim", "hidden_size", "num_attention_heads")}
    width = 2 * (given["head_dim"] or given["hidden_size"] // given["num_attention_heads"])
    sizes = {key: said.get(other.get(key, key)) for keys in SMALL.values() for key in keys.split()}
    small = {key: min(size, sizes[key]) for size, keys in SMALL.items() for key in keys.split() if sizes[key]}
    if said.get("mamba_d_head"):  # these heads share out a width of their own
        small |= {"mamba_n_heads": 2 * width // said["mamba_d_head"], "mamba_d_ssm": 2 * width, "mamba_expand": 2}
    torch.manual_seed(0)
    made = CONFIG_MAPPING[name](**{**said, **small, "hidden_size": width})
    made._attn_implementation = "eager"
    with torch.device("meta"):
        size = sum(each.numel() for each in AutoModel.from_config(made).parameters())
    if size > MOST:
        raise ValueError(f"it would have {size:,} parameters")
    return AutoModel.from_config(made).eval()


def _layers(model: nn.Module) -> list[nn.Module]:
    n = model.config.num_hidden_layers
    found = [each for each in model.modules() if isinstance(each, nn.ModuleList) and len(each) == n]
    if not found:
        raise ValueError(f"{type(model).__name__} has no list of its {n} layers, so they cannot be probed")
    return list(found[0])


@torch.no_grad()
def _run(model: nn.Module, layers: list[nn.Module], positions: Tensor, inputs: list) -> list[tuple[Tensor, Tensor]]:
    """Input and output of each layer; with `inputs`, each layer is given the one from there."""
    kept: list[tuple[Tensor, Tensor]] = []

    def before(i: int) -> Callable:
        return lambda module, args, kwargs: _with(args, kwargs, inputs[i][0]) if inputs else None

    def after(module: nn.Module, args: tuple, kwargs: dict, out: Any) -> None:
        given = args[0] if args else kwargs["hidden_states"]
        kept.append((given.clone(), (out[0] if isinstance(out, tuple) else out).clone()))

    with ExitStack() as hooks:
        for i, layer in enumerate(layers):
            hooks.callback(layer.register_forward_pre_hook(before(i), with_kwargs=True).remove)
            hooks.callback(layer.register_forward_hook(after, with_kwargs=True).remove)
        ids = torch.arange(N)[None] % 7 + 1
        model(input_ids=ids, attention_mask=torch.ones_like(ids), position_ids=positions[None], use_cache=False)
    return kept


def _with(args: tuple, kwargs: dict, x: Tensor) -> tuple[tuple, dict]:
    return ((x, *args[1:]), kwargs) if args else (args, {**kwargs, "hidden_states": x})


class _Calls:
    """What went into the rotary function of a layer, and what came out; an indexer's own calls do not count."""

    def __init__(self) -> None:
        self.of: dict[int, list[tuple[Tensor, Tensor]]] = {}
        self.layer: int | None = None

    @contextmanager
    def recorded(self, model: nn.Module, layers: list[nn.Module]) -> Iterator[None]:
        code = importlib.import_module(type(model).__module__)
        names = [name for name, value in vars(code).items() if ROTARY.fullmatch(name) and callable(value)]
        inner = [each for each in model.modules() if CHOOSES.fullmatch(type(each).__name__)]
        with ExitStack() as stack:
            for name in names:
                stack.enter_context(patch.object(code, name, self._heard(getattr(code, name))))
            for i, layer in enumerate(layers):
                stack.callback(layer.register_forward_pre_hook(lambda *_, i=i: self._at(i)).remove)
            for each in inner:
                stack.callback(each.register_forward_pre_hook(lambda *_: self._at(None)).remove)
            yield

    def _at(self, layer: int | None) -> None:
        self.layer = layer

    def _heard(self, rotate: Callable) -> Callable:
        @wraps(rotate)
        def call(*args: Any, **kwargs: Any) -> Any:
            out = rotate(*args, **kwargs)
            given = next(x for x in (*args, *kwargs.values()) if isinstance(x, Tensor))
            if self.layer is not None:
                self.of.setdefault(self.layer, []).append((given, out[0] if isinstance(out, tuple) else out))
            return out

        return call


def _turned(call: list[tuple[Tensor, Tensor]]) -> tuple[int | None, str | None, float | None]:
    """How many features are rotated, which of them make a pair, and the base, by the ratio of two frequencies."""
    if not call or call[0][0].shape[-1] != call[0][1].shape[-1]:
        return None, None, None
    moving = torch.stack([(x != y).flatten(0, -2).any(0) for x, y in call]).any(0)
    x, y = (_by_position(each)[:, 0, moving].double() for each in call[0])
    r = x.shape[-1]
    for layout, before, after in (
        ("half", _halves, _halves),
        *(("interleaved", _neighbours, f) for f in (_neighbours, _halves)),
    ):
        turn = _complex(y[:, after(r)]) / _complex(x[:, before(r)]) if r % 2 == 0 else torch.rand(N, 1)
        if torch.allclose(turn.abs(), turn.abs()[:1].expand_as(turn), rtol=1e-3):
            freqs = (turn[1] / turn[0]).angle().abs()
            return r, layout, float((freqs[0] / freqs[1]) ** (r / 2)) if r > 2 else None
    return r, None, None


def _complex(pairs: Tensor) -> Tensor:
    return torch.view_as_complex(pairs.contiguous())


def _by_position(x: Tensor) -> Tensor:
    """[n, heads, features]"""
    x = x.reshape(-1, *x.shape[-3:])[0] if x.ndim > 3 else x
    return x if x.shape[0] == N else x.transpose(0, 1)


def _halves(r: int) -> Tensor:
    return torch.stack((torch.arange(r // 2), torch.arange(r // 2) + r // 2), -1)


def _neighbours(r: int) -> Tensor:
    return torch.arange(r).reshape(-1, 2)
