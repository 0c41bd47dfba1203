"""The tables that are kept: for each error the tests that notice it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tools.book import ROOT

TABLES = ROOT / "tests" / "mutants"
PACKAGES = ("posenc_lib", "posenc_checks", "bookkit/derivation")


def key(row: dict) -> tuple[str, str, str]:
    return row["module"], row["function"], row["change"]


def package_of(module: str) -> str:
    return next(name for name in PACKAGES if module.startswith(name))


def table(package: str) -> Path:
    return TABLES / f"{package.replace('/', '-')}.json.gz"


def kept(package: str) -> list[dict]:
    file = table(package)
    return json.loads(gzip.decompress(file.read_bytes())) if file.is_file() else []


def keep(package: str, found: list[dict]) -> None:
    text = json.dumps(sorted(found, key=key), indent=0)
    TABLES.mkdir(exist_ok=True)
    table(package).write_bytes(gzip.compress(text.encode(), mtime=0))


def emptied(old: list[dict], new: list[dict]) -> list[dict]:
    """Errors that somebody noticed and nobody notices now."""
    unseen = {key(row) for row in new if not row["by"]}
    return [row for row in old if row["by"] and key(row) in unseen]


def replaced(old: list[dict], new: list[dict]) -> list[dict]:
    """The rows of the modules that were run are new ones."""
    modules = {row["module"] for row in new}
    return [row for row in old if row["module"] not in modules] + new
