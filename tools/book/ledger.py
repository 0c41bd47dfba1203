"""The ledger: each claim as a sentence, with links to its proofs, and its tests. The build of the site writes it.

The proofs are read from the stored outputs of the notebooks, which keep a record of every derivation with a claim. A
claim is told in the sentence of its theorem, or, where the page has none, in the words of its first test. Formulas with
their hypotheses stand with the proofs: all of them on one page were heavier than any chapter.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bookkit.derivation.page.display import CLAIM
from tools.book import BOOK, Book
from tools.book.pages import Page, bare

PEERS = {"transformers", "x_transformers", "positional_encodings", "rotary_embedding_torch", "timm", "torchscale"}
PRINTED = re.compile(r"_(paper|papers|published|printed)(_|$)")
FIELD = """\
```{raw} html
<div class="find" hidden><label for="ledger-find">Find a claim, a chapter or a test</label>
<input id="ledger-find" type="search" autocomplete="off"> <button type="button" id="ledger-unfold">Unfold all</button>
<output id="ledger-count" aria-live="polite"></output></div>
```"""


def records(page: Page, book: Book = BOOK) -> dict[str, list[dict]]:
    """Claim → what the chapter's notebook keeps of its derivations, in the chapter's order."""
    found = defaultdict(list)
    for cell_records in by_cell(json.loads((book.root / page.file).read_text(encoding="utf-8")), CLAIM).values():
        for record in cell_records:
            found[record["claim"]].append(record)
    return dict(found)


def by_cell(notebook: dict, kind: str) -> dict[int, list[dict]]:
    """Number of a cell → the records of one kind that its derivations keep: `CLAIM` or `LAYOUT`."""
    outputs = {i: cell.get("outputs", []) for i, cell in enumerate(notebook["cells"])}
    found = {i: [o["data"][kind] for o in made if kind in o.get("data", {})] for i, made in outputs.items()}
    return {i: kept for i, kept in found.items() if kept}


def anchor(claim: str, number: int = 0) -> str:
    """Where a claim stands, on its chapter's page and here; a proof in several derivations has an anchor for each."""
    return f"claim-{claim.replace('.', '-')}" + (f"-{number + 1}" if number else "")


def text(book: Book = BOOK) -> str:
    proved = [(page, records(page, book)) for page in book.chapters]
    blocks = (block for page, found in proved if found for block in chapter(page, found, book.tested, book))
    return "\n\n".join([FIELD, *blocks])


def chapter(page: Page, found: dict[str, list[dict]], tests: dict[str, list[str]], book: Book = BOOK) -> Iterator[str]:
    said = statements(book.text_of(page.name).read_text(encoding="utf-8"))
    yield f"## [{book.summaries[page].title}](../{page.name}.ipynb)"
    for claim, proofs in found.items():
        title = said.get(claim) or sentence(tests[claim])
        yield folded(title, anchor(claim), entry(page, claim, proofs, tests[claim]))
    folder = book.tests_of(page.name)
    if peers := functions(folder / "test_peers.py"):
        names = ", ".join(sorted(name.replace("_", "-") for name in foreign(folder / "test_peers.py")))
        yield folded(
            f"*Beside other people's code:* {names or 'values that it gave'}", f"peers-{page.name}", listed(peers)
        )
    if printed := [
        test for file in sorted(folder.glob("test_*.py")) for test in functions(file) if PRINTED.search(test)
    ]:
        yield folded("*Beside what papers print*", f"printed-{page.name}", listed(printed))


def entry(page: Page, claim: str, proofs: list[dict], tests: list[str]) -> str:
    """A link to each derivation, and the tests in words."""
    steps = [f"{proof['steps']} checked step{'s' * (proof['steps'] != 1)}" for proof in proofs]
    links = [f"[{said}](../{page.name}.ipynb#{anchor(claim, number)})" for number, said in enumerate(steps)]
    files = ", ".join(f"`{file}`" for file in sorted({test.split("::")[0] for test in tests}))
    proved = f"Formula, hypotheses and proof: {', '.join(links)}."
    return "\n\n".join([proved, f"`{claim}`, tested in numbers, in {files}:", listed(tests)])


def statements(text: str) -> dict[str, str]:
    """Claim → what its theorem says: the first paragraph of the block that has the claim as its label.

    >>> statements(":::{prf:theorem} Turns\\n:label: turns.add\\n\\nTwo turns\\nadd up.\\n\\n*For all.*\\n:::")
    {'turns.add': 'Two turns add up.'}
    """
    found = re.findall(r"(?ms)^:{3,}\{prf:\w+\}[^\n]*\n:label: (\S+)\n\s*\n(.+?)(?=^\s*$|^:{3,})", text)
    return {claim: bare(said) for claim, said in found}


def sentence(tests: list[str]) -> str:
    said = words(tests[0])
    return said[0].upper() + said[1:].rstrip(".") + "."


def words(test: str) -> str:
    """The name of a test as words: `a.py::test_turns_add_up` says that turns add up."""
    return test.split("::")[-1].removeprefix("test_").replace("_", " ")


def listed(tests: list[str]) -> str:
    return "\n".join(f"- {words(test)}" for test in tests)


def folded(title: str, name: str, body: str) -> str:
    return f"::::{{dropdown}} {title}\n:name: {name.replace('/', '-')}\n:class-container: claim\n\n{body}\n\n::::"


def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "")


def functions(file: Path) -> list[str]:
    return [node.name for node in ast.walk(tree(file)) if getattr(node, "name", None) and node.name.startswith("test_")]


def foreign(file: Path) -> set[str]:
    """The other people's libraries that a file of tests imports."""
    nodes = list(ast.walk(tree(file)))
    names = [a.name for node in nodes if isinstance(node, ast.Import) for a in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in names} & PEERS
