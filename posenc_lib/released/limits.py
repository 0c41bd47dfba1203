"""What a configuration may say that changes the answer and is not read here: it is refused, not ignored."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from posenc_lib.border.numbers import shown
from posenc_lib.released.models import FACTS, kinds, model_of, rotates

__all__ = []

ONE_FOR_ALL = dict.fromkeys(FACTS["one_for_all"], True) | dict.fromkeys(FACTS["not_for_all"], False)


def require_rotary_text(config: Mapping[str, Any], handled: Collection[str]) -> None:
    for key, value in config.items():
        for sign in FACTS["signs"] if isinstance(key, str) and key not in handled else ():
            if re.fullmatch(sign["key"], key) and _shows(sign, str(value)):
                raise ValueError(
                    f"{key:.60} is {shown(value)}: {sign['means']}. If {sign['unless']}, name {key:.60} in handled"
                )


def _shows(sign: Mapping[str, Any], value: str) -> bool:
    return value in sign["values"] if "values" in sign else value not in sign["but"]


def require_known(unknown: set[str], where: str) -> None:
    if unknown:
        raise ValueError(
            f"{where} has no key {shown(min(map(str, unknown)))} that is known here: it may change frequencies. If you "
            "handle it yourself, name it in handled"
        )


def require_one_for_all(config: Mapping[str, Any], rope: Mapping[str, Any]) -> None:
    """One dictionary says enough if all layers attend alike, or if it only has a base, or where the model is known."""
    attending = sorted({kind for i, kind in enumerate(kinds(config)) if kind is not None and rotates(config, i)})
    model = model_of(config)
    given = [rope[key] for key in ("rope_type", "type") if isinstance(rope.get(key), str)]
    plain = {"default", "mrope"}.issuperset(given)
    known = {**ONE_FOR_ALL, **dict.fromkeys(FACTS["plain_in_windows"], bool(attending))}
    if not known.get(model, plain or len(attending) < 2):
        raise ValueError(
            f"the layers differ ({', '.join(attending) or model:.80}), and one dictionary of rope parameters does not "
            "say which of them it is for. Write one for each type into rope_parameters; if one is for all, name "
            "layer_types in handled"
        )
