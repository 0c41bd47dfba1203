"""Keep every chapter's text X.md and notebook X.ipynb in step, and run what changed.

X.md is the text: edit it, review it. X.ipynb is the notebook with its outputs: the site shows it and Colab opens it.
Both are committed. Either may be edited, the notebook also in JupyterLab (`make lab`), which saves both. If both were,
`make notebooks` stops, shows the difference and writes nothing: put all that you want into one of the two, then keep
that one, as `make notebooks FILES=book/rotary/rotary.md KEEP=text`.

The notebook is a function of the text: its cells come from the text, its cell ids from the cells, its outputs from
running it. So a second run writes the same bytes. In its metadata the notebook keeps the hash of the text that it
was last made from. That one number answers three questions, with no file times and no git: which side was edited
since (the one whose hash is another), whether both were (then nothing is written), and whether the stored outputs
belong to the cells. A second hash, the seal, covers the whole file: a notebook that was run or saved by hand since is
run again.

A change of posenc_lib is not seen here: the tests run every notebook and see what became stale.
Then `make notebooks ALL=1`.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import time
from pathlib import Path

import jupytext
import nbformat
from jupytext.config import load_jupytext_config
from nbclient import NotebookClient
from nbformat import NotebookNode

from tools.book import ROOT
from tools.warm import PLAIN

MADE_FROM, SEAL = "made-from", "seal"
FORMAT = "md:myst"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
FOLDED = {"derivation", "picture", "setup", "check"}  # tags of cells whose code the site folds, and JupyterLab too
OPEN = "open"  # the tag of a cell that is not folded all the same: a reader of its page comes to edit it
SOURCE_HIDDEN = {"source_hidden": True}
CONFIG = load_jupytext_config(str(ROOT / "book" / "index.md"))  # jupytext.toml, which holds for all of book/


class Conflict(ValueError):
    """Both sides were edited since they were last in step."""


def text_of(notebook: NotebookNode) -> str:
    """The notebook as its text twin, in the one normal form by which the two sides are compared."""
    if any("attachments" in cell for cell in notebook.cells):
        raise ValueError("a cell holds a pasted image, which text cannot keep: save it as a file and link to it")
    plain = nbformat.v4.new_notebook(cells=notebook.cells, metadata={"kernelspec": KERNEL})
    ordered = nbformat.from_dict(json.loads(json.dumps(plain, sort_keys=True)))  # notebook files sort their keys
    return jupytext.writes(ordered, fmt=FORMAT, config=CONFIG)


def read_text(path: Path) -> NotebookNode:
    return jupytext.reads(path.read_text(encoding="utf-8"), fmt=FORMAT, config=CONFIG)


def read_notebook(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def write(path: Path, content: str) -> None:
    """The whole file or nothing, with the same line ends on every system."""
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(content.rstrip("\n") + "\n", encoding="utf-8", newline="\n")
    draft.replace(path)


def fingerprint(notebook: NotebookNode) -> str:
    return hashlib.sha256(text_of(notebook).encode()).hexdigest()


def name_cells(notebook: NotebookNode) -> None:
    """Give the cells ids that follow from their content; the second of two equal cells has another id."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        content = f"{cell.cell_type}\n{cell.source}"
        seen[content] = seen.get(content, 0) + 1
        cell.id = hashlib.sha256(f"{seen[content]}\n{content}".encode()).hexdigest()[:12]


def seal_of(notebook: NotebookNode) -> str:
    metadata = {key: value for key, value in notebook.metadata.items() if key != SEAL}
    return hashlib.sha256(nbformat.writes(NotebookNode({**notebook, "metadata": metadata})).encode()).hexdigest()


def stamp(notebook: NotebookNode) -> None:
    """Note in a notebook that has been run the text that it was made from, and seal it."""
    name_cells(notebook)
    notebook.metadata[MADE_FROM] = fingerprint(notebook)
    notebook.metadata[SEAL] = seal_of(notebook)


def execute(notebook: NotebookNode, folder: Path, kernel: str = PLAIN) -> None:
    """Run every cell from top to bottom in a new kernel whose working folder is the chapter's."""
    client = NotebookClient(
        notebook,
        kernel_name=kernel,
        timeout=300,
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR"],  # each kernel would warn that it speaks to this machine unencrypted
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    notebook.metadata.pop("language_info", None)


def is_folded(cell: NotebookNode) -> bool:
    tags = {*cell.metadata.get("tags", [])}
    return bool(FOLDED & tags) and OPEN not in tags


def fold(notebook: NotebookNode) -> None:
    """Let JupyterLab fold the code that the site folds. The text does not say so: it follows from the tags."""
    for cell in notebook.cells:
        if is_folded(cell):
            cell.metadata["jupyter"] = dict(SOURCE_HIDDEN)


def made_from(
    text: NotebookNode, folder: Path, kernel: str = PLAIN, stored: NotebookNode | None = None
) -> NotebookNode:
    """The executed notebook that belongs to a text. If only prose has changed, its outputs are those stored."""
    notebook = nbformat.v4.new_notebook(cells=text.cells, metadata={"kernelspec": KERNEL})
    name_cells(notebook)
    fold(notebook)
    if stored and is_as_it_was_run(stored) and code_of(stored) == code_of(notebook):
        keep_outputs(notebook, stored)
    else:
        execute(notebook, folder, kernel)
    stamp(notebook)
    return notebook


def is_as_it_was_run(notebook: NotebookNode) -> bool:
    return notebook.metadata.get(SEAL) == seal_of(notebook)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code_of(notebook: NotebookNode) -> list[tuple[str, dict]]:
    return [(cell.source, cell.metadata) for cell in code_cells(notebook)]


def keep_outputs(notebook: NotebookNode, stored: NotebookNode) -> None:
    for cell, old in zip(code_cells(notebook), code_cells(stored), strict=True):
        cell.outputs, cell.execution_count = old.outputs, old.execution_count


def edited_side(text: NotebookNode | None, notebook: NotebookNode | None) -> str:
    """Which side holds the edits: "text", "notebook", "outputs" (only a run by hand), or "none"."""
    if text is None or notebook is None:
        return "text" if notebook is None else "notebook"
    last = notebook.metadata.get(MADE_FROM)
    if fingerprint(text) == fingerprint(notebook):
        if fingerprint(text) != last:
            return "text"
        return "none" if is_as_it_was_run(notebook) else "outputs"
    if fingerprint(notebook) == last:
        return "text"
    if fingerprint(text) == last:
        return "notebook"
    change = difflib.unified_diff(*(text_of(s).splitlines() for s in (text, notebook)), "text", "notebook", lineterm="")
    raise Conflict("\n".join(change))


def has_cells(path: Path) -> bool:
    """Whether it is the text of a notebook. A page without code is no more than a text."""
    return path.read_text(encoding="utf-8").startswith("---\njupytext:")


def pairs(folder: Path) -> list[Path]:
    """Every pair under the folder, as the path of its text, whether or not both files exist yet, and listed or not."""
    texts = [path for path in folder.rglob("*.md") if has_cells(path)]
    notebooks = [path.with_suffix(".md") for path in folder.rglob("*.ipynb")]
    hidden = (".ipynb_checkpoints", "_build")
    return sorted({path for path in (*texts, *notebooks) if not set(hidden) & set(path.relative_to(folder).parts)})


def mend_times(path: Path) -> None:
    """JupyterLab refuses a text that is older than its notebook. Where the two agree, let it open them."""
    twin = path.with_suffix(".ipynb")
    if path.exists() and twin.exists() and fingerprint(read_text(path)) == fingerprint(read_notebook(twin)):
        path.touch()


def bring_together(path: Path, everything: bool = False, keep: str | None = None) -> str:
    """Bring one pair in step and run it if it changed. Returns the side that was edited, or "none"."""
    twin = path.with_suffix(".ipynb")
    text = read_text(path) if path.exists() else None
    notebook = read_notebook(twin) if twin.exists() else None
    try:
        side = edited_side(text, notebook)
    except Conflict as conflict:
        if keep is None:
            raise Conflict(
                f"{path} and {twin.name} were both edited since they were last in step:\n{conflict}\n"
                "Nothing was written. Put the lines that you want into one of the two, then keep that one: "
                f"make notebooks FILES='{path}' KEEP=text (or KEEP=notebook)"
            ) from None
        side = keep
    if side == "notebook":
        text = jupytext.reads(text_of(notebook), fmt=FORMAT, config=CONFIG)
        write(path, text_of(notebook))
    if side != "none" or everything:
        stored = None if everything else notebook
        write(twin, nbformat.writes(made_from(text, path.parent, stored=stored)))
    mend_times(path)
    return side


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="bring text and notebooks together and run what changed")
    parser.add_argument("paths", nargs="*", type=Path, help="texts or notebooks; all under book/ if none is given")
    parser.add_argument("--all", action="store_true", help="run also what did not change")
    parser.add_argument("--keep", choices=["text", "notebook"], help="where both sides were edited, the one to keep")
    parser.add_argument("--only-times", action="store_true", help="write nothing; let JupyterLab open what is in step")
    options = parser.parse_args(arguments)
    if options.keep and not options.paths:
        parser.error("--keep drops edits, so name the chapter too: make notebooks KEEP=text FILES=book/…/X.md")
    conflicts = []
    for path in [path.with_suffix(".md") for path in options.paths] or pairs(ROOT / "book"):
        if options.only_times:
            mend_times(path)
            continue
        if path.exists() and not has_cells(path):
            print(f"   {path.stem}: has no code, and so no notebook", flush=True)
            continue
        start = time.perf_counter()
        try:
            side = bring_together(path, options.all, options.keep)
        except Conflict as conflict:
            conflicts.append(str(conflict))
            continue
        done = "unchanged" if side == "none" else f"changed: {side}"
        print(f"   {path.stem}: {done}, {time.perf_counter() - start:.1f} s", flush=True)
    if conflicts:
        raise SystemExit("\n\n".join(conflicts))


if __name__ == "__main__":
    main()
