"""A fuzz: true statements spoiled in one place, which a plain evaluation finds false, are never shown.

SPOILT=all tries all that there are, as the weekly run does; otherwise it is the first fifth, the same ones each time.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from unittest import mock

import pytest
import sympy as sp

from bookkit.derivation import AuthorError, Derivation, Refuted, Undecided, chain
from bookkit.derivation.language import work
from tests.bookkit.derivation.spoiling.slips import Statement, hidden, spoiled
from tests.bookkit.derivation.spoiling.worlds import is_false, verdicts
from tests.bookkit.derivation.statements import rows
from tools.book import BOOK, claims

HOW_MANY = 3000 if os.environ.get("SPOILT") == "all" else 600
SHORT = 400  # the work of a step here: what takes more is left undecided, and counted apart
SUBJECTS = [
    "kernels", "gates", "graphs", "waves", "groups", "transitions", "classical", "exponents", "floors", "integrals",
    "matrices", "modulus", "monotone", "order", "products", "sums",
]  # fmt: skip


def of_the_tables() -> Iterator[Statement]:
    for row in (row for subject in SUBJECTS for row in rows(subject)):
        if row.verdict in {"shown", "open"} and not row.by:
            yield Statement(row.left, row.sign, row.right, row.given)


def of_the_book() -> Iterator[Statement]:
    """The steps as they are written, none of them checked: that is done elsewhere, and takes long."""
    with mock.patch.object(chain, "check", return_value=""):
        for page in BOOK.chapters:
            for _, made in claims.run_cells(BOOK.text_of(page.name)):
                for derivation in made:
                    yield from _steps(derivation)


def _steps(derivation: Derivation) -> Iterator[Statement]:
    before = derivation.lhs
    for step in derivation.steps:
        plain = not step.by and not derivation.given.universal
        if plain and isinstance(before, sp.Basic) and isinstance(step.rhs, sp.Basic):
            yield Statement(before, step.sign, step.rhs, derivation.given.relations)
        before = step.rhs


@pytest.fixture(scope="module")
def sources() -> list[Statement]:
    """Those of which a plain evaluation finds values: all of these must hold."""
    found = dict.fromkeys([*of_the_tables(), *of_the_book()])
    held = {one: [*verdicts(*one, random.Random(1), tries=4)] for one in found}
    assert [one for one, values in held.items() if not all(values)] == []
    return [one for one, values in held.items() if values]


def falsehoods(sources: list[Statement], seeds: range):
    """(seed, statement), each once."""
    seen = set()
    for seed in seeds:
        rng = random.Random(seed)
        wrong = spoiled(sources[seed % len(sources)], rng)
        if wrong is None or wrong in seen:
            continue
        seen.add(wrong)
        if is_false(*wrong, rng):
            yield seed, wrong


def test_what_is_false_only_from_13_on_is_not_shown(sources):
    """With the work of a whole step."""
    asked = [wrong for one in sources[::60] if (wrong := hidden(one)) is not None]
    false = [wrong for seed, wrong in enumerate(asked) if False in verdicts(*wrong, random.Random(seed), tries=80)]
    assert len(false) > 3
    assert [wrong for wrong in false if verdict(wrong) == "shown"] == []


def verdict(wrong: Statement) -> str:
    try:
        Derivation(wrong.lhs, given=wrong.given).step(wrong.rhs, because="?", sign=wrong.sign)
    except AuthorError:  # it says nothing, such as x = x
        return "not read"
    except Refuted:
        return "Refuted"
    except Undecided as error:
        return "out of work" if "was used up" in str(error) else "Undecided"
    return "shown"


def test_the_seeds_make_false_statements_and_none_is_shown(sources, monkeypatch):
    monkeypatch.setattr(work, "LIMIT", SHORT)
    found, shown = Counter(), []
    for seed, wrong in falsehoods(sources, range(100_000)):
        said = verdict(wrong)
        found[said] += 1
        if said == "shown":
            shown.append(f"{seed}: {wrong}")
        if found["Refuted"] + found["Undecided"] == HOW_MANY:
            break
    assert shown == []
    assert found["Refuted"] + found["Undecided"] == HOW_MANY, found
