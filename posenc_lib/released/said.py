"""What a configuration says about one type of layer, with nothing left out: what the writers of settings write from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from posenc_lib.border import Rule, border
from posenc_lib.pairs import geometric_freqs
from posenc_lib.released.configuration import TRAINED, Reader, rope_parameters
from posenc_lib.released.rope import COMMON, TYPES, ReleasedRope, read_by, reader
from posenc_lib.released.values import base, features, length, mapping, names

__all__ = []

FLOATS = {"factor", "rope_theta", "partial_rotary_factor", "attention_factor"}
"""Numbers that some programs accept as floats only."""


@dataclass(frozen=True)
class Said:
    """The rope parameters as transformers 5 writes them, and what stands beside them."""

    rope: dict[str, Any]
    more: dict[str, Any]  # what the caller handles, such as mrope_section
    idle: list[str]  # keys that stand in the file and count for nothing
    plain: Tensor  # the frequencies without scaling
    read: ReleasedRope  # at n tokens
    most: int | None  # max_position_embeddings
    n: int
    still: list[str] = field(default_factory=list)  # types of layers that are not rotated

    @property
    def type(self) -> str:
        return self.rope["rope_type"]

    @property
    def trained(self) -> int | None:
        """The length before an extension, where the configuration says it."""
        return self.rope.get(TRAINED, self.most)


@border(config=mapping, n=length, d=features, handled=names)
def every_layer(
    config: Mapping[str, Any], n: int | None = None, d: int | None = None, handled: Collection[str] = ()
) -> dict[str | None, Said]:
    """By the type of layer; None stands for all. What is not rotated is named in `still`."""
    found, types = {}, _types(config)
    for layer in (layer for layer, rotated in types.items() if rotated):
        rope = reader(config, layer, n, d, handled)
        if rope.n is None:
            rope.n = rope.need("max_position_embeddings", length)
        found[layer] = _said(rope, rope_parameters(config, layer, handled)[0], handled)
        found[layer].still.extend(other for other, rotated in types.items() if not rotated)
    return found


def _types(config: Mapping[str, Any]) -> dict[str | None, bool]:
    """The types of layers, and whether they are rotated."""
    given = [config[key] for key in ("rope_parameters", "rope_scaling") if config.get(key) is not None]
    rope = mapping("rope parameters", given[0]) if given else {}
    if not any(isinstance(value, Mapping) for value in rope.values()):
        return {None: True}
    return {key: value is not None for key, value in rope.items() if value is None or isinstance(value, Mapping)}


def _said(rope: Reader, given: Mapping[str, Any], handled: Collection[str]) -> Said:
    read = read_by(rope)
    keys = [key for key in sorted(TYPES[rope.rope_type].keys | COMMON - {"type"}) if _counts(rope, key)]
    values = {key: rope.find(key, _as_float if key in FLOATS else _as_it_is) for key in keys}
    if rope.rope_type in ("yarn", "longrope") and "attention_factor" not in values:
        values |= {"factor": rope.factor()}
    width = rope.head() if rope.rope_type == "proportional" else 2 * len(read.freqs)
    return Said(
        {"rope_type": rope.rope_type, **{key: value for key, value in values.items() if key != "rope_type"}},
        {key: given[key] for key in given if key in handled},
        [key for key in ("mscale", "mscale_all_dim") if given.get(key) is not None and not _counts(rope, key)],
        geometric_freqs(width, rope.need("rope_theta", base)),
        read,
        rope.find("max_position_embeddings", length),
        rope.n,
    )


def _counts(rope: Reader, key: str) -> bool:
    """Whether transformers reads the key: two of them count for nothing if one is missing or 0."""
    pair = {"mscale": "mscale_all_dim", "mscale_all_dim": "mscale"}.get(key, key)
    return rope.find(key, _as_it_is) is not None and (
        pair == key or bool(rope.find(key, _as_it_is) and rope.find(pair, _as_it_is))
    )


_as_it_is: Rule = lambda name, value: value  # noqa: E731
_as_float: Rule = lambda name, value: float(value)  # noqa: E731
