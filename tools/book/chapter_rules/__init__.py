"""What a chapter must have, in the order of the work.

`make missing` asks for one thing at a time, and the tests for all. A rule takes a chapter, and yields a sentence for
each thing that is missing: the file, the line where there is one, and what to write there.
"""

from collections.abc import Callable, Iterator

from tools.book.chapter_rules import laid_out, listed, page, proved
from tools.book.chapter_rules.chapter import Chapter

Rule = Callable[[Chapter], Iterator[str]]
WORK: tuple[Rule, ...] = (
    laid_out.files,
    # the function
    laid_out.function,
    listed.exports_of_its_room,
    laid_out.tests_of_the_function,
    laid_out.method,
    # what is proved
    laid_out.idea,
    proved.tags,
    proved.statements,
    laid_out.tests_of_claims,
    proved.halves,
    laid_out.mutants,
    proved.proofs,
    # the page
    laid_out.page,
    page.first_cell,
    page.length,
    page.code,
    page.words,
    listed.action,
    listed.files_named,
    page.in_step,
    page.run,
    page.figures,
    # what readers see
    laid_out.other_pages,
    listed.own_entries,
    listed.references,
    listed.place_in_the_book,
    listed.made_lists,
)
OF_PUBLISHED = {  # what is being written may lack it
    *(laid_out.function, laid_out.tests_of_the_function, laid_out.method, laid_out.idea, laid_out.tests_of_claims),
    *(laid_out.mutants, laid_out.page, laid_out.other_pages),
    *(page.length, listed.action, listed.own_entries, listed.references, listed.place_in_the_book),
}
OF_ALL_AT_ONCE = {listed.exports_of_its_room, listed.made_lists}  # whichever chapter is asked for


def missing(chapter: Chapter) -> Iterator[str]:
    """What keeps it from being published, first things first."""
    return (sentence for rule in WORK for sentence in rule(chapter))


def faults(chapter: Chapter) -> Iterator[str]:
    """What is wrong with it as it is: a draft or a chapter that readers see."""
    left_out = OF_ALL_AT_ONCE | OF_PUBLISHED if chapter.is_draft else OF_ALL_AT_ONCE
    return (sentence for rule in WORK if rule not in left_out for sentence in rule(chapter))
