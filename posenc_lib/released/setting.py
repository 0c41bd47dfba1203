"""A setting, as a writer returns it, and what writers share: what a program cannot say, and one base for all texts."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, NamedTuple

from posenc_lib.released.said import Said

__all__ = []


class Setting(NamedTuple):
    """What to write, what to know about it, and where it goes if it is no command."""

    text: str
    note: str
    where: str = "on the command line"


class Inexpressible(ValueError):
    """What a configuration says, and a program cannot."""


def written(given: dict[str, Any], said: Said) -> str:
    return json.dumps(placed(given, said), indent=2)


def placed(given: dict[str, Any], said: Said) -> dict[str, Any]:
    """In the part of the file that it is for: beside that part it would be ignored in silence."""
    return {said.part: given} if said.part else given


def cannot(why: str) -> Inexpressible:
    return Inexpressible(why)


def only(layers: dict[str | None, Said]) -> Said:
    if list(layers) != [None]:
        raise cannot("it has one setting for all layers, and the layers of this model differ")
    return layers[None]


def static(said: Said, notes: list[str], rope: dict[str, Any] | None = None) -> Said:
    r"""Dynamic NTK at n tokens, as the base that gives its frequencies, $b\,s_n^{r/(r-2)}$."""
    if rope is not None or said.type != "dynamic":
        return said if rope is None else replace(said, rope=rope)
    notes.append(f"One base for all texts: that of {said.n} tokens. In transformers each batch has its own.")
    kept = {key: value for key, value in said.rope.items() if key != "factor"}
    return replace(said, rope=kept | {"rope_type": "default", "rope_theta": new_base(said)})


def new_base(said: Said) -> float:
    r, s = 2 * len(said.read.freqs), said.rope["factor"]
    return said.rope["rope_theta"] * (s * max(said.n / said.most, 1.0) - (s - 1)) ** (r / (r - 2))
