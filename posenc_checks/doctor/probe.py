"""What a class of transformers does with positions, from a tiny random model of it: the second witness of the doctor.

Each layer gets the same input at the positions p, p + 100 and 2p. If nothing changes there, bit for bit, it is not
rotated. What its rotary function does to the queries shows slice, pairs and frequencies.
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

from posenc_checks.doctor.tiny import tiny
from posenc_checks.doctor.turned import N, turned
from posenc_lib.released.layer import Layer

ROTARY = re.compile(r"apply_\w*(rotary|rope)\w*")
CHOOSES = re.compile(r"\w*(Indexer|Compressor)\w*")


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
    heard = [i in calls.of or not calls.of for i in range(len(layers))]  # queries may be scaled by their position only
    return [
        Seen(True, *turned(calls.of.get(i, []))) if changed[i] and heard[i] else Seen(False) for i in range(len(layers))
    ]


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
