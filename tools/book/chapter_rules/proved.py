"""What a chapter claims is derived on its page and tested in numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.book import claims, ledger
from tools.book.chapter_rules.chapter import Chapter

SENTENCE = re.compile(r"[A-Z$](?:(?!\$\$).)*\.")


def statements(chapter: Chapter) -> Iterator[str]:
    """A theorem is a claim that a cell derives, and the ledger can show it."""
    text, derived = chapter.text.read_text(encoding="utf-8"), claims.named_in(chapter.text)
    for block in re.finditer(r"(?m)^:{3,}\{prf:\w+\} *(.*)\n(?::label: (\S+))?", text):
        place, (title, label) = chapter.place(chapter.text, block[0]), block.groups()
        if label not in derived:
            yield f"{place}: no cell with the tag derivation derives {label or title!r}; the label is the claim's name"
    for claim, said in ledger.statements(text).items():
        if not SENTENCE.fullmatch(said):
            yield (
                f"{chapter.place(chapter.text, f':label: {claim}')}: the ledger shows the first paragraph of a "
                f"statement and no more. Make it whole sentences, with formulas in the line; it is {said!r}"
            )


def tags(chapter: Chapter) -> Iterator[str]:
    for line in claims.untagged(chapter.text):
        yield f"{chapter.place(chapter.text, line)}: the cell {line!r} derives without the tag derivation"


def halves(chapter: Chapter) -> Iterator[str]:
    """A claim has a derivation and a test."""
    derived, tested = {claim: [] for claim in claims.named_in(chapter.text)}, chapter.book.tested
    own = {claim: tests for claim, tests in tested.items() if claim.partition(".")[0] == chapter.text.stem}
    for fault in claims.faults(derived, own):
        yield f"{chapter.place(chapter.tests / 'test_claims.py')}: {fault}"


def proofs(chapter: Chapter) -> Iterator[str]:
    """A chapter that derives says what people get wrong there."""
    try:
        planted = claims.mutants(chapter.name, chapter.book)
    except ValueError as error:
        yield str(error)
        return
    if claims.derivation_cells(chapter.text) and not planted:
        file = chapter.place(chapter.book.mutants_of(chapter.name))
        yield f"{file} has no mutant, and the page derives; that of relative/alibi shows the form"
