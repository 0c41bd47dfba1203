"""Says what the rotary settings of a released configuration mean, and how other programs spell them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from posenc_lib.released.doctor import as_json, told
from posenc_lib.released.layers import layers
from posenc_lib.released.models import kinds
from posenc_lib.released.rope import seen
from posenc_lib.released.said import every_layer
from posenc_lib.released.screen import screen
from posenc_lib.released.spelling import PROGRAMS, spell
from posenc_lib.released.watch import watch


def main(words: list[str] | None = None) -> int:
    asked = _parser().parse_args(words)
    given = {"n": asked.n, "d": asked.d, "handled": asked.handled}
    try:
        config = read(asked.config)
        text = _as_json(config, given) if asked.json else _as_text(config, given)
    except (OSError, ValueError, TypeError) as error:
        print(error, file=sys.stderr)
        return 1
    print(text)
    if asked.probe:
        print(_probed(config, given))
    told = [_told(config, program, given) for program in (asked.program or [])]
    return max(told, default=0)


def read(path: str) -> Any:
    """What stands in the file, or in config.json of the folder, or in that of a model that transformers has here."""
    file = Path(path) / "config.json" if Path(path).is_dir() else Path(path)
    if not file.exists() and find_spec("transformers"):
        from transformers.utils import cached_file

        file = Path(cached_file(path, "config.json", local_files_only=True))
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} must hold JSON, as config.json does: {error}") from None


def _as_json(config: Any, given: dict) -> str:
    found = layers(config, **given)
    return json.dumps(as_json(found, watch(seen(config, given["handled"]), found)), indent=1)


def _as_text(config: Any, given: dict) -> str:
    """Layer by layer, where their number is known; then the frequencies of each type of layers."""
    part = seen(config, given["handled"])
    found = layers(config, **given) if kinds(part) else []
    said = [screen(layer, said) for layer, said in every_layer(config, **given).items()]
    return "\n\n".join([*([told(found, watch(part, found))] if found else []), *said]) or "no layer is rotated"


def _probed(config: Any, given: dict) -> str:
    """The second witness, where transformers is installed: a tiny model of the same class."""
    from posenc_checks.probed import disagreements, probed

    found = layers(config, **given)
    return "\n".join(disagreements(found, probed(seen(config, [])))) or f"probe: {len(found)} layers agree"


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


if __name__ == "__main__":
    sys.exit(main())
