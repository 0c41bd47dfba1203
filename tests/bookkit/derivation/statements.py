"""Reads the statements of `tests/corpus/prover`: letters and abbreviations first, then a statement a row.

    letters   names            what they are: real, integer positive, any; h[] is a sequence, f() a function, e=t[] one
                               that is printed as t; or N×M matrix
    let       name, f(x)       what it stands for
    name      given  left  sign  right  verdict  asked  by  says

`verdict` is shown, refuted, undecided, refused (one of these two), unread (an author's error), stopped (undecided, for
sympy raised an error), or open (true, and undecided so far: once it is shown, change it). `asked` is the engine where
nothing stands. `by` are lemmas at their values. `says` is the message, or the tactic, with … for what is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import sympy as sp

from bookkit.derivation import define, lemmas

FOLDER = Path(__file__).parents[2] / "corpus" / "prover"
COLUMNS = ["name", "given", "left", "sign", "right", "verdict", "asked", "by", "says"]
NAMES = vars(sp) | vars(lemmas) | {"sp": sp, "define": define}


class Row(NamedTuple):
    where: str
    name: str
    given: tuple[sp.Basic, ...]
    left: sp.Basic
    sign: str
    right: sp.Basic
    verdict: str
    asked: list[str]
    by: tuple
    says: str

    def is_said(self, message: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, self.says.split("…"))), message, re.DOTALL) is not None


def rows(file: str) -> Iterator[Row]:
    text = (FOLDER / f"{file}.tsv").read_text(encoding="utf-8")
    lines = [(number, line.split("\t")) for number, line in enumerate(text.splitlines(), 1) if line[:1] != "#"]
    head = [cells for _, cells in lines].index(COLUMNS)
    names = dict(NAMES)
    for _, (kind, *cells) in lines[:head]:
        names |= {"letters": _letters, "let": _let}[kind](*cells, names)
    for number, cells in lines[head + 1 :]:
        where = f"{file}.tsv:{number}"
        try:
            yield _row(where, dict(zip_longest(COLUMNS, cells, fillvalue="")), names)
        except Exception as error:
            error.add_note(where)
            raise


def _letters(written: str, kind: str, names: dict) -> Iterator[tuple[str, sp.Basic]]:
    for letter in written.split():
        name, _, printed = letter.strip("[]()").partition("=")
        printed = printed or name
        if kind.endswith(" matrix"):
            shape = (eval(size, names) for size in kind.removesuffix(" matrix").split("×"))
            yield name, sp.MatrixSymbol(printed, *shape)
            continue
        assumed = dict.fromkeys(kind.split(), True) if kind != "any" else {}
        make = {"[": sp.IndexedBase, "(": sp.Function}.get(letter.strip("])")[-1], sp.Symbol)
        yield name, make(printed, **assumed)


def _let(written: str, value: str, names: dict) -> dict:
    name, _, arguments = written.rstrip(")").partition("(")
    return {name: eval(f"lambda {arguments}: {value}" if arguments else value, names)}


def _row(where: str, cells: dict[str, str], names: dict) -> Row:
    def listed(column: str) -> tuple:
        return eval(f"({cells[column]},)", names) if cells[column] else ()

    left, right = (sp.sympify(eval(cells[side], names)) for side in ("left", "right"))
    asked = cells["asked"].split(", ") if cells["asked"] else ["engine"]
    return Row(where, cells["name"], listed("given"), left, cells["sign"], right,
               cells["verdict"], asked, listed("by"), cells["says"] or "…")  # fmt: skip
