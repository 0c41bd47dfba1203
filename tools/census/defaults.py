"""What the configuration classes of a family show when they are made without arguments."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from itertools import groupby
from typing import Any

NORM_SWITCHES = ("use_qk_norm", "qk_layernorm", "qk_norm", "use_qk_layernorm", "qk_layernorms")
Row = dict[str, str]


def configurations(family: str) -> dict[str, Any]:
    """Name → configuration with its defaults; those that cannot be made without arguments are left out."""
    module = importlib.import_module(f"transformers.models.{family}.configuration_{family}")
    made = {}
    for name, kind in inspect.getmembers(module, inspect.isclass):
        if kind.__module__ == module.__name__ and hasattr(kind, "model_type"):
            try:
                made[name] = kind()
            except Exception:
                continue
    return made


def told(config: Any, name: str) -> Any:
    """An attribute of a configuration; None where it has none, or another one for each layer."""
    try:
        return getattr(config, name, None)
    except RuntimeError:
        return None


def rope_rows(config: Any) -> Iterator[Row]:
    """Base, share, scaling, one row for each kind of layer that has its own."""
    given = told(config, "rope_parameters") or {}
    each = {name: value for name, value in given.items() if isinstance(value, dict)} or {"": given}
    for layers, rope in sorted(each.items()):  # some classes build them from a set
        base = rope.get("rope_theta", told(config, "rope_theta"))
        if base:
            scaling = rope.get("rope_type", "default")
            yield {
                "layers": short(layers),
                "base": number(base),
                "share": share(config, rope),
                "scaling": "" if scaling == "default" else scaling,
                "length": number(told(config, "max_position_embeddings")),
                "pattern": pattern(config),
            }


def number(value: float | None) -> str:
    return f"{value:.10g}" if value else ""


def share(config: Any, rope: dict) -> str:
    """The rotated share of a head's features, where it is not all of them."""
    part = rope.get("partial_rotary_factor") or told(config, "partial_rotary_factor") or 1
    sizes = [told(config, f"qk_{name}_head_dim") or 0 for name in ("rope", "nope")]
    if part == 1 and all(sizes):
        part = sizes[0] / sum(sizes)
    return "" if part == 1 else f"{part:.3g}"


def short(layers: str) -> str:
    return layers.removesuffix("_attention").replace("_", " ")


def pattern(config: Any) -> str:
    """The shortest stretch of layers that repeats, such as `5 sliding + 1 full`; or how many there are of each kind."""
    labels = labelled(config)
    if len(set(labels)) < 2:
        return ""
    period = next(p for p in range(1, len(labels) + 1) if all(a == b for a, b in zip(labels, labels[p:], strict=False)))
    runs = [(label, len(list(run))) for label, run in groupby(labels[:period])]
    if len(runs) > 4:
        return ", ".join(f"{labels.count(label)} {label}" for label in dict.fromkeys(labels))
    return " + ".join(f"{count} {label}" for label, count in runs)


def labelled(config: Any) -> list[str]:
    """What each layer is: its kind of attention, and whether it rotates, where the configuration says so."""
    kinds = told(config, "layer_types") or []
    rotated = told(config, "no_rope_layers") or told(config, "layer_rope_theta") or []
    if kinds and rotated:
        return [short(kind) + (" rotated" if r else " not rotated") for kind, r in zip(kinds, rotated, strict=True)]
    return [short(kind) for kind in kinds] or ["rotated" if r else "not rotated" for r in rotated]


def norm_is_off(config: Any) -> bool:
    return any(told(config, switch) is False for switch in NORM_SWITCHES)
