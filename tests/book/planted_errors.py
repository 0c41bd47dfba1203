"""Errors that people make in these formulas, planted one at a time into the chapters' derivations."""

from typing import NamedTuple


class Plant(NamedTuple):
    chapter: str
    name: str
    right: str
    wrong: str


PLANTED: list[Plant] = []
