"""Which encoding has each model family of transformers? `python -m tools.census` writes bookkit/tables/census.csv.

The source of `models/<family>/modeling_<family>.py` is parsed, not imported. It shows which encodings are called, on
which condition queries are rotated, and whether they are normed before. An encoding that the default configuration
leaves off is an option. Functions that rotate are taken out of it and
run on one-hot vectors, which shows the pairs. The configuration classes are made, and show their defaults: base,
rotated share, scaling, length, kinds of layers. What neither shows is left empty.
"""

from __future__ import annotations

import csv
import importlib.metadata
import logging
from pathlib import Path
from typing import Any

from tools.book import ROOT
from tools.census.defaults import Row, configurations, norm_is_off, rope_rows, told
from tools.census.pairing import pairs
from tools.census.source import conditions, encodings, families, norm

FILE = ROOT / "bookkit" / "tables" / "census.csv"
COLUMNS = ("family", "encoding", "options", "configuration", "layers", "pairs", "base", "share", "scaling", "length")
COLUMNS += ("pattern", "rotated", "norm", "transformers")


def rows(family: str) -> list[Row]:
    """One for each configuration and kind of layer that has a base, or one for a family without any."""
    made = configurations(family)
    default = encodings(family, made.values())
    options = [kind for kind in encodings(family) if kind not in default]
    common = {"family": family, "encoding": " + ".join(default), "options": " + ".join(options)}
    if "rotary" not in default:
        return [common]
    common |= {"rotated": " or ".join(sorted(conditions(family)))}
    table = [
        common | {"configuration": name} | rope | seen(family, name, config)
        for name, config in made.items()
        for rope in rope_rows(config)
    ]
    return table or [common | seen(family, "", None)]


def seen(family: str, configuration: str, config: Any) -> Row:
    """Pairs and norm: from the source, with the configuration's word on what is switched on."""
    order = norm(family)
    off_by_default = order and norm_is_off(config)
    made = pairs(family, configuration, interleave=told(config, "rope_interleave"))
    return {"pairs": made, "norm": order + ", off by default" * bool(off_by_default)}


def version() -> str:
    return importlib.metadata.version("transformers")


def write(table: list[Row], file: Path = FILE) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"transformers": version()} | row for row in table)


def main() -> None:
    logging.disable(logging.CRITICAL)  # configurations talk about their defaults
    table = [row for family in families() for row in rows(family)]
    write(table)
    print(f"{FILE.relative_to(ROOT)}: {len(table)} rows of {len({row['family'] for row in table})} families")
