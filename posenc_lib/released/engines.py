"""Writers for programs with settings of their own: llama.cpp, exllama's two versions, and TabbyAPI."""

from __future__ import annotations

from math import isclose, log
from typing import Any

from posenc_lib.extension._longrope import longrope_temperature
from posenc_lib.extension._yarn import temperature
from posenc_lib.released.configuration import TRAINED
from posenc_lib.released.said import Said
from posenc_lib.released.setting import Setting, cannot, only, static, written

__all__ = []

IN_GGUF = "its factors come from the GGUF file, and no option sets them: convert the model with this configuration"
NO_EFFECT = "--yarn-attn-factor has no effect while YaRN is on"


def llama_cpp(layers: dict[str | None, Said]) -> Setting:
    said, notes = only(layers), ["For a GGUF file without rope_freqs or rope_factors."]
    if said.type in ("longrope", "llama3", "proportional"):
        raise cannot(IN_GGUF)
    rope = static(said, notes).rope
    if said.type == "yarn" and not rope.get("truncate", True):
        raise cannot("its ramp begins and ends at whole pairs")
    if said.type == "yarn" and not isclose(said.read.attention_factor, temperature(rope["factor"])):
        raise cannot(f"its attention factor is 1 + 0.1 ln s, and {NO_EFFECT}")
    scaling = {"default": "none", "dynamic": "none"}.get(said.type, said.type)
    given: dict[str, Any] = {"-c": said.n, "--rope-freq-base": rope["rope_theta"], "--rope-scaling": scaling}
    given |= {"--rope-scale": rope["factor"]} if scaling != "none" else {}
    yarn = {"--yarn-orig-ctx": TRAINED, "--yarn-beta-fast": "beta_fast", "--yarn-beta-slow": "beta_slow"}
    given |= {option: rope[key] for option, key in yarn.items() if scaling == "yarn" and key in rope}
    words = " ".join(f"{option} {value}" for option, value in given.items())
    return Setting(f"llama-server -m MODEL.gguf {words}", " ".join(notes))


def exllamav2(layers: dict[str | None, Said]) -> Setting:
    said = only(layers)
    notes = [f"It reads rope_scaling, not rope_parameters. Load with max_seq_len = {said.n}."]
    if said.type == "yarn":
        raise cannot("its ramp takes max_seq_len for the original length, so other pairs are scaled")
    if said.type == "proportional":
        raise cannot("it ignores a type that it does not know")
    rope, most = static(said, notes).rope, said.n
    if said.type == "longrope":
        _require_long(said, most)
    beside = {"rope_theta", "partial_rotary_factor"} | ({TRAINED} if said.type == "longrope" else set())
    inside = {key: value for key, value in rope.items() if key not in beside}
    scaling = inside if len(inside) > 1 else None
    given = {key: rope[key] for key in rope if key in beside} | {"max_position_embeddings": most}
    return Setting(written(given | {"rope_scaling": scaling}, said), " ".join(notes), "in config.json")


def exllamav3(layers: dict[str | None, Said]) -> Setting:
    said, notes = only(layers), ["Remove rope_scaling and rope_theta from the top level: they would win."]
    rope, most = dict(static(said, notes).rope), said.n
    if said.type == "yarn":
        most = round(rope["factor"] * rope[TRAINED])
        if not isclose(most, rope["factor"] * rope[TRAINED]):
            raise cannot(f"its factor is max_position_embeddings / {TRAINED}, and both are whole numbers")
        notes.append(f"It ignores the factor of YaRN and takes max_position_embeddings / {TRAINED}.")
        rope["attention_factor"] = said.read.attention_factor
    if said.type == "longrope":
        most = max(said.n, said.most or 0)
        _require_long(said, most)
    given = {"rope_parameters": rope | said.more, "max_position_embeddings": most}
    return Setting(written(given, said), " ".join(notes), "in config.json")


def tabbyapi(layers: dict[str | None, Said]) -> Setting:
    text, note, where = exllamav3(layers)
    own = f"In config.yml write max_seq_len: {only(layers).n}. Its rope_scale and rope_alpha are used nowhere."
    return Setting(text, f"{note} {own}", where)


def _require_long(said: Said, most: int) -> None:
    """Both versions take list and factor from the longest text that the model is loaded for."""
    original = said.rope[TRAINED]
    if said.n <= original:
        raise cannot(f"it takes the short list together with the attention factor 1, up to {original} tokens")
    own = longrope_temperature(most / original, original) if original > 1 and log(most / original) > 0 else 1.0
    if not isclose(own, said.read.attention_factor):
        raise cannot(
            f"it computes the attention factor from max_position_embeddings / {TRAINED}: {own:.4f} and not "
            f"{said.read.attention_factor:.4f}"
        )
