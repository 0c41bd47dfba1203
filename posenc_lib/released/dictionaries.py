"""Writers for programs that take the dictionary of transformers: which keys they read, as they read them."""

from __future__ import annotations

import json
from dataclasses import replace
from math import ceil
from typing import Any

from posenc_lib.extension._yarn import temperature
from posenc_lib.released.configuration import TRAINED
from posenc_lib.released.said import Said
from posenc_lib.released.setting import Setting, cannot, only, placed, static, written

__all__ = []

Layers = dict[str | None, Said]
REPLACED = "The dictionary replaces the model's own: without rope_theta the base is a default of the model's class."


def transformers5(layers: Layers) -> Setting:
    layers = {layer: replace(said, rope=_one_factor(said)) for layer, said in layers.items()}
    rope = written({"rope_parameters": _whole(layers)}, next(iter(layers.values())))
    return Setting(rope, "Remove rope_scaling: it would win.", "in config.json")


def transformers4(layers: Layers) -> Setting:
    said = only(layers)
    if said.type == "proportional":
        raise cannot("it does not know the type proportional")
    rope = _one_factor(said) | said.more
    beside = {"rope_theta", "partial_rotary_factor"} | ({TRAINED} if said.type == "longrope" else set())
    inside = {key: value for key, value in rope.items() if key not in beside}
    scaling = inside if len(inside) > 1 else None
    note = "It reads rope_theta and partial_rotary_factor beside the dictionary, and not inside."
    given = {key: rope[key] for key in rope if key in beside} | {"rope_scaling": scaling}
    return Setting(written(given, said), note, "in config.json")


def vllm(layers: Layers) -> Setting:
    first, notes = next(iter(layers.values())), [REPLACED]
    for said in layers.values():
        if said.type == "yarn" and said.n > said.rope["factor"] * said.rope[TRAINED]:
            raise cannot(f"its table of cosines ends at factor · {TRAINED}, before {said.n} tokens")
    layers = {layer: _fixed(said, notes) for layer, said in layers.items()}
    given = {"rope_parameters": _whole(layers), **_room(first)}
    command = _command("vllm serve MODEL --hf-overrides", placed(given, first), f"--max-model-len {first.n}")
    return Setting(command, " ".join(notes))


def sglang(layers: Layers) -> Setting:
    said, notes = only(layers), ["Its override is merged into the model's own dictionary: keys not named here stay."]
    fixed = _fixed(said, notes)
    rope = dict(fixed.rope)
    if said.type == "yarn":  # it multiplies its own factor by attn_factor, and does not know attention_factor
        own = _own_factor(rope)
        rope.pop("attention_factor", None)
        rope |= dict.fromkeys(said.idle)  # it would divide by a weight of 0, which null takes away
        rope |= {} if own == said.read.attention_factor else {"attn_factor": said.read.attention_factor / own}
    if said.type == "longrope" and said.n == said.rope[TRAINED] + 1:
        raise cannot(f"it takes the long list from {TRAINED} + 2 tokens on")
    given = {"rope_parameters": rope | fixed.more, **_room(said)}
    if said.part:
        notes[0] = f"On the command line it does not merge a {said.part}."
        return Setting(written(given, said), " ".join(notes), "in config.json")
    start = "python -m sglang.launch_server --model-path MODEL --json-model-override-args"
    return Setting(_command(start, given, f"--context-length {said.n}"), " ".join(notes))


def _fixed(said: Said, notes: list[str]) -> Said:
    """For a program that knows one table for all texts."""
    fixed = static(said, notes)
    if said.type == "proportional" and said.rope.get("factor", 1.0) != 1.0:
        raise cannot("it does not read the factor of the type proportional")
    if said.type == "longrope":
        notes.append("One list for all texts: the long one if this length is above the original one.")
        a = said.rope.get("attention_factor", said.read.attention_factor)
        own = {key: said.rope.get(key, a) for key in ("short_mscale", "long_mscale")}
        rope = {key: value for key, value in fixed.rope.items() if key != "attention_factor"} | own
        return static(said, notes, rope)
    return fixed


def _room(said: Said) -> dict[str, int]:
    """A larger max_position_embeddings, where the program would refuse so long a text."""
    scale = said.rope["factor"] if said.type == "linear" else 1.0
    enough = said.most is not None and said.n <= scale * said.most
    return {} if enough else {"max_position_embeddings": ceil(said.n / scale)}


def _one_factor(said: Said) -> dict[str, Any]:
    short, long = (said.rope.get(key) for key in ("short_mscale", "long_mscale"))
    if short != long:
        raise cannot("it has one attention factor for both lists, and the configuration has two")
    rope = {key: value for key, value in said.rope.items() if key not in ("short_mscale", "long_mscale")}
    return rope if said.type != "longrope" else rope | {"attention_factor": said.read.attention_factor}


def _own_factor(rope: dict[str, Any]) -> float:
    s, both = rope["factor"], [rope.get(key) for key in ("mscale", "mscale_all_dim")]
    return temperature(s, both[0]) / temperature(s, both[1]) if all(both) else temperature(s)


def _whole(layers: Layers) -> dict[str, Any]:
    whole = {layer: said.rope | said.more for layer, said in layers.items()}
    still = next(iter(layers.values())).still
    return whole.get(None, whole | dict.fromkeys(still))


def _command(start: str, given: dict[str, Any], end: str) -> str:
    return f"{start} '{json.dumps(given)}' {end}"
