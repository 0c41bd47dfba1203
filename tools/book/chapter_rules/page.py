"""The checks of a page's form and of its notebook, as rules for a chapter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tools import repository
from tools.book.chapter_rules import form, outputs
from tools.book.chapter_rules.chapter import Chapter


def first_cell(chapter: Chapter) -> Iterator[str]:
    return of(chapter, form.address_faults(chapter.written, repository.current(chapter.book.root)))


def length(chapter: Chapter) -> Iterator[str]:
    return of(chapter, () if chapter.name in form.LOOKED_UP else form.length_faults(chapter.written))


def code(chapter: Chapter) -> Iterator[str]:
    yield from of(chapter, form.code_faults(chapter.written))
    if chapter.name not in form.LOOKED_UP:
        yield from of(chapter, form.width_faults(form.folded_cells(chapter.written)))


def words(chapter: Chapter) -> Iterator[str]:
    return of(chapter, form.word_faults(chapter.written))


def in_step(chapter: Chapter) -> Iterator[str]:
    yield from of(chapter, outputs.twin_faults(chapter.written, chapter.stored))
    yield from of(chapter, outputs.metadata_faults(chapter.stored))
    yield from of(chapter, outputs.seal_faults(chapter.stored))


def run(chapter: Chapter) -> Iterator[str]:
    return of(chapter, outputs.run_faults(chapter.stored))


def figures(chapter: Chapter) -> Iterator[str]:
    return of(chapter, outputs.figure_faults(chapter.stored))


def of(chapter: Chapter, faults: Iterable[str]) -> Iterator[str]:
    return (f"{chapter.place(chapter.text)}: {fault}" for fault in faults)
