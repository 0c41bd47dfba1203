"""Runs the derivations of all chapters in the browser's Python, and compares what they show: `make live`.

The tests in the browser run five chapters; this runs all, in Node, and takes minutes. A cell that cannot run there is
named in `EXCEPTIONS` with the reason; one that could run after all is a fault too.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright._impl._driver import compute_driver_executable  # a Node that is there wherever the tests run

from bookkit.derivation.page.display import LAYOUT
from tools import live
from tools.book import BOOK, ROOT
from tools.book.claims import derivation_cells
from tools.book.ledger import by_cell

WORKS = {"shown", "ran"}
EXCEPTIONS: dict[tuple[str, int], str] = {}  # (page, number of the cell, from 0): why it cannot run there


def stored(page: str, root: Path = ROOT) -> list[dict | None]:
    """What each derivation of a chapter shows in its notebook: its chain in parts, or nothing."""
    notebook = json.loads((root / "book" / f"{page}.ipynb").read_text(encoding="utf8"))
    tags = [cell["metadata"].get("tags", []) for cell in notebook["cells"]]
    shown = by_cell(notebook, LAYOUT)
    return [shown.get(number, [None])[-1] for number, its in enumerate(tags) if "derivation" in its]


def differences(page: str, answers: list[dict]) -> list[str]:
    """The cells whose answer is not what the notebook holds, and the exceptions that are none."""
    found = []
    for number, (answer, kept) in enumerate(zip(answers, stored(page), strict=True)):
        same = answer["verdict"] in WORKS and answer["layout"] == kept
        if same == ((page, number) in EXCEPTIONS):
            told = "runs after all" if same else f"{answer['verdict']}: {answer['words'][:200]}"
            found.append(f"{page}, derivation {number}: {told}")
    return found


def run(folder: Path, sources: dict[str, list[str]]) -> list[str]:
    with tempfile.TemporaryDirectory() as work:
        pages = Path(work) / "pages.json"
        pages.write_text(json.dumps(sources), encoding="utf8")
        live.engine(ROOT, Path(work) / "engine.zip")
        script, ours = Path(__file__).with_name("live.mjs"), ROOT / "book" / "_static" / "live"
        command = [compute_driver_executable()[0], script, pages, folder, ours, work]
        node = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf8")
        faults = []
        for line in node.stdout:
            told = json.loads(line)
            here = differences(told["page"], told["answers"])
            print(f"   {told['page']}: {len(told['answers'])} derivations, {len(here)} differ", flush=True)
            faults += here
        if node.wait():
            raise SystemExit("Node has ended with an error; see above")
    return faults


def main() -> None:
    if not (folder := live.prepare(ROOT)):
        raise SystemExit(1)
    wanted = sys.argv[1:] or [page.name for page in BOOK.chapters]
    sources = {name: [source for source, _ in derivation_cells(BOOK.text_of(name))] for name in wanted}
    faults = run(folder, {name: cells for name, cells in sources.items() if cells})
    print("\n".join(faults) or f"All {sum(map(len, sources.values()))} derivations run in the browser's Python.")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
