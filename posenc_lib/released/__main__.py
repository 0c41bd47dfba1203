"""Says what the rotary settings of a released configuration mean, and how other programs spell them."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path

from posenc_lib.released.doctor import by_layer
from posenc_lib.released.layers import layers
from posenc_lib.released.models import kinds
from posenc_lib.released.rope import seen
from posenc_lib.released.said import every_layer
from posenc_lib.released.screen import screen
from posenc_lib.released.spelling import PROGRAMS, spell


def main(words: list[str] | None = None) -> int:
    asked = _parser().parse_args(words)
    given = {"n": asked.n, "d": asked.d, "handled": asked.handled}
    try:
        config = json.loads(Path(asked.config).read_text(encoding="utf-8"))
        if asked.json:
            print(json.dumps([layer._asdict() for layer in layers(config, **given)], indent=1))
            return 0
        if isinstance(config, dict) and kinds(seen(config, asked.handled)):
            print(by_layer(layers(config, **given)), end="\n\n")
        of_types = every_layer(config, **given)
    except json.JSONDecodeError as error:
        print(f"{asked.config} must hold JSON, as config.json does: {error}", file=sys.stderr)
        return 1
    except (OSError, ValueError, TypeError) as error:
        print(error, file=sys.stderr)
        return 1
    print("\n\n".join(screen(layer, said) for layer, said in of_types.items()) or "no layer is rotated")
    told = [_told(config, program, given) for program in (asked.program or [])]
    return max(told, default=0)


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
    parser.add_argument("--json", action="store_true", help="layer by layer, for other programs")
    parser.add_argument("--n", type=int, help="the longest text to serve; by default max_position_embeddings")
    parser.add_argument("--d", type=int, help="features of a head, if the configuration does not say")
    parser.add_argument("--handled", nargs="*", default=[], help="keys that are unknown here and harmless")
    return parser


if __name__ == "__main__":
    sys.exit(main())
