"""What a released configuration says of a rotation, as the check of a rotation is told it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from posenc_checks.calling.names import first_line_of
from posenc_lib.released.rope import read_by, reader

RELEASED = ("config", "layer_type")


def released(told: dict[str, Any]) -> dict[str, Any]:
    """What is told with the configuration read: of a short text, where frequencies depend on the length."""
    rest = {name: value for name, value in told.items() if name not in RELEASED}
    if "config" not in told:
        if "layer_type" in told:
            raise ValueError("layer_type says which layers of a configuration: give config, too")
        return rest
    rope = reader(_read(told["config"]), told.get("layer_type"), 1, told.get("d"), ())
    if rope is None:
        raise ValueError(f"by {told['config']} these layers are not rotated: there is nothing to compare with")
    freqs, factor = read_by(rope)
    return {"freqs": freqs, "factor": factor, "d": rope.head()} | rest


def _read(path: str) -> dict[str, Any]:
    try:
        config = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} must be a file in JSON, as config.json is: {first_line_of(error)}") from None
    if not isinstance(config, dict):
        raise ValueError(f"{path} must hold a dictionary, as config.json does; got {type(config).__name__}")
    return config
