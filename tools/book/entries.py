"""What a chapter says for other pages: entries in one hidden block, below its box "In short".

An entry is a row of the table of all encodings, a line of the list of all methods, or a question with who answers it.
`make lists` puts them there, see registers.py. Or it is a list of the names under which the search finds the page, see
search.py. Links in them are those of the chapter's own page.
"""

from __future__ import annotations

import posixpath
import re

from tools.book.pages import Page, bare

COLUMNS = (
    *("Encoding", "Formula", "Slot", "Learns", "Relative", "Values see it"),
    *("Beyond the trained length", "Extra work", "Used by"),
)
COMPUTED = ("Slot", "Relative", "Values see it")  # by running the row's methods: tests/contract/columns.py
ROW = (*(column for column in COLUMNS if column not in COMPUTED), "Methods")
LINE, QUESTION = ("Line", "Under"), ("Question", "Answer")
SEARCHED = ("Also searched as",)
KINDS = (ROW, LINE, QUESTION, SEARCHED)
FORMS = {  # how the first field of an entry begins and ends
    "Encoding": (r"\[[^\]]+\]\(.+", "[Name](page.ipynb)"),
    "Line": (r"\*\*\[[^\]]+\]\(.+\*\*.*: .+[.?]", "**[Name](page.ipynb)**, [who and when](where): what it is."),
    "Question": (r".+\?", "one that ends with a question mark"),
    "Also searched as": (r"[^,]+(, [^,]+)*", "name, name, [name, name](#section)"),
}
BLOCK = re.compile(r"(?ms)^<!-- On other pages.*?$(.*?)^-->$")
FIELD = re.compile(r"(?m)^(\w[\w ]*): *((?:.+|\n +.+)(?:\n +.+)*)")
LINK = re.compile(r"\]\((?!https?:)([^)#]*)")
TARGET = "practice"  # the folder of the pages on which they stand
Entry = dict[str, str]
Kind = tuple[str, ...]


def of_kind(text: str, page: Page, kind: Kind) -> list[Entry]:
    """The page's entries of one kind. All are read, so that a slip in any of them is seen."""
    block = BLOCK.search(text)
    texts = re.split(r"\n\s*\n", block[1].strip()) if block and block[1].strip() else []
    found = [entry(text, f"book/{page.name}.md") for text in texts]
    return [{name: there(said, page) for name, said in one.items()} for one in found if tuple(one) == kind]


def entry(text: str, file: str) -> Entry:
    """One entry: a field a line, and what goes on in the next line is indented."""
    found = {name: " ".join(said.split()) for name, said in FIELD.findall(text)}
    place = f"{file}: in the block On other pages, at {text.splitlines()[0]!r}"
    if FIELD.sub("", text).strip() or tuple(found) not in KINDS:
        kinds = "; or ".join(map(", ".join, KINDS))
        raise ValueError(f"{place}: an entry has the fields {kinds}. Each has its text; a further line is indented")
    first, said = next(iter(found.items()))
    pattern, form = FORMS[first]
    if not re.fullmatch(pattern, said):
        raise ValueError(f"{place}: {first} should be {form}")
    return found


def there(text: str, page: Page) -> str:
    """The text with its links as they are on the other pages."""
    here, _, own = page.file.removeprefix("book/").rpartition("/")
    return LINK.sub(lambda link: f"]({posixpath.relpath(posixpath.join(here, link[1] or own), TARGET)}", text)


def name_of(one: Entry) -> str:
    """A row has its title, a line the first of the names that it has in bold, and a question itself."""
    first = next(iter(one.values()))
    return re.match(r"\[([^\]]+)\]", first)[1] if tuple(one) == ROW else named(first) if tuple(one) == LINE else first


def named(line: str) -> str:
    return bare(re.search(r"\*\*(.+?)\*\*", line)[1]).split(", ")[0]
