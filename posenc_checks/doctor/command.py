"""Says what each layer of a released model does with positions, and how other programs spell its settings."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from posenc_checks.doctor.probe import disagreements, probed
from posenc_checks.doctor.screen import screen
from posenc_checks.doctor.told import as_json, told
from posenc_checks.doctor.watch import watch
from posenc_lib.released.layer import Layer, layers
from posenc_lib.released.models import kinds
from posenc_lib.released.rope import seen
from posenc_lib.released.said import every_layer
from posenc_lib.released.spelling import PROGRAMS, spell
from posenc_lib.released.values import mapping


def main(words: list[str] | None = None) -> int:
    asked = _parser().parse_args(words)
    given = {"n": asked.n, "d": asked.d, "handled": asked.handled}
    try:
        config = mapping("config", read(asked.config))
        part = seen(config, asked.handled)
        if asked.json:
            found = layers(config, **given)
            print(json.dumps(as_json(found, watch(part, found), _probe(asked.probe, part, found)), indent=1))
            return 0
        _layers(part, config, asked, given)
        said = every_layer(config, **given)
    except (OSError, ValueError, TypeError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n\n".join(screen(layer, each) for layer, each in said.items()) or "no layer is rotated")
    return max((_told(config, program, given) for program in asked.program or []), default=0)


def _layers(part: dict[str, Any], config: dict[str, Any], asked: Namespace, given: dict[str, Any]) -> None:
    """Layer by layer, where their number is known."""
    if kinds(part):
        found = layers(config, **given)
        print(told(found, watch(part, found)))
        for line in _probe(asked.probe, part, found) or []:
            print(line)
        print()
    elif not any("head" in key or "rope" in key or "rotary" in key for key in part):
        raise ValueError("the configuration has neither layers nor heads: it is not that of a Transformer")
    elif "model_type" in part:
        print("the configuration does not say how many layers there are, so some may not be rotated\n")


def _probe(asked: bool, part: dict[str, Any], found: list[Layer]) -> list[str] | None:
    """The second witness, where transformers is installed: where a tiny model of the same class does otherwise."""
    if not asked:
        return None
    return disagreements(found, probed(part)) or [f"probe: {len(found)} layers do as the configuration says"]


def read(path: str) -> Any:
    """What stands in the file, or in config.json of the folder, or in that of a model that transformers has here."""
    file = Path(path) / "config.json" if Path(path).is_dir() else Path(path)
    if not file.exists():
        file = _of_model(path)
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} must hold JSON, as config.json does: {error}") from None


def _of_model(name: str) -> Path:
    try:
        from transformers.utils import cached_file

        return Path(cached_file(name, "config.json", local_files_only=True))
    except (ImportError, OSError):
        raise ValueError(
            f"{name} is no file and no folder with a config.json, and transformers has no model of this name here"
        ) from None


def _told(config: dict, program: str, given: dict) -> int:
    """One program: the setting, or why there is none."""
    try:
        text, note, where = spell(config, program, **given)
    except ValueError as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    print(f"\n{PROGRAMS[program].version}, {where}:\n{text}\n{note}")
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m posenc_lib.released", description=__doc__)
    parser.add_argument("config", help="config.json in the form of transformers, or the part of it for the text")
    parser.add_argument("--for", dest="program", action="append", choices=list(PROGRAMS), help="may be repeated")
    parser.add_argument("--probe", action="store_true", help="ask a tiny model of the same class, made by transformers")
    parser.add_argument("--json", action="store_true", help="layer by layer, for other programs")
    parser.add_argument("--n", type=int, help="the longest text to serve; by default max_position_embeddings")
    parser.add_argument("--d", type=int, help="features of a head, if the configuration does not say")
    parser.add_argument("--handled", nargs="*", default=[], help="keys that are unknown here and harmless")
    return parser
