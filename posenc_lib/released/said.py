"""What a configuration says about one type of layer, with nothing left out: what the writers of settings write from."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from posenc_lib.border import Rule, border
from posenc_lib.pairs import geometric_freqs
from posenc_lib.released.configuration import TRAINED, Reader
from posenc_lib.released.models import FACTS, PART, kinds, model_of
from posenc_lib.released.rope import COMMON, ReleasedRope, read_by, reader, seen
from posenc_lib.released.single import ROPE, is_nested, types_in
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
    part: str | None  # the part of the file that was read, if it has parts
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
    found, types = {}, _types(seen(config, handled))
    part = PART if config.get(PART) is not None else None
    for layer in types:
        if (rope := reader(config, layer, n, d, handled)) is not None:
            most = rope.n or rope.need("max_position_embeddings", length)
            found[layer] = said(replace(rope, n=most), handled, part)
    for each in found.values():
        each.still.extend(layer for layer in types if layer not in found)
    return found


def _types(config: Mapping[str, Any]) -> list[str | None]:
    """The types of layers whose settings may differ, or None for all."""
    if is_nested(config):
        return types_in(next(mapping("rope parameters", config[key]) for key in ROPE if config.get(key) is not None))
    differ = model_of(config) in FACTS["plain_in_windows"]
    return sorted(set(kinds(config)), key=str) if differ and kinds(config) else [None]


def said(rope: Reader, handled: Collection[str], part: str | None) -> Said:
    read = read_by(rope)  # which also checks the values
    keys = [key for key in sorted({*FACTS["inside"][rope.rope_type], *COMMON} - {"type"}) if _counts(rope, key)]
    values = {key: rope.find(key, _as_float if key in FLOATS else _as_it_is) for key in keys}
    if rope.rope_type == "yarn" or (rope.rope_type == "longrope" and "attention_factor" not in values):
        values |= {"factor": rope.factor()}
    width = rope.head() if rope.rope_type == "proportional" else 2 * len(read.freqs)
    return Said(
        {"rope_type": rope.rope_type, **{key: value for key, value in values.items() if key != "rope_type"}},
        {key: rope.whole[key] for key in rope.whole if key in handled},
        [key for key in ("mscale", "mscale_all_dim") if rope.whole.get(key) is not None and not _counts(rope, key)],
        geometric_freqs(width, rope.need("rope_theta", base)),
        read,
        rope.find("max_position_embeddings", length),
        rope.n,
        part,
    )


def _counts(rope: Reader, key: str) -> bool:
    """Whether transformers reads the key: two of them count for nothing if one is missing or 0."""
    pair = {"mscale": "mscale_all_dim", "mscale_all_dim": "mscale"}.get(key, key)
    return rope.find(key, _as_it_is) is not None and (
        pair == key or bool(rope.find(key, _as_it_is) and rope.find(pair, _as_it_is))
    )


_as_it_is: Rule = lambda name, value: value  # noqa: E731
_as_float: Rule = lambda name, value: float(value)  # noqa: E731
