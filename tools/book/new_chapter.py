"""Lays out a new chapter that passes all tests as it stands: make chapter NAME=relative/kerple.

Its page, module, folder of tests and mutants come from tools/book/templates, which also say what to write where;
`make missing` then asks for it. Its line in _toc.yml stands among the drafts, which are tested and not shown.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from pathlib import Path

from tools import notebooks, repository
from tools.book import exports
from tools.book.chapters import ROOT, Page, chapters, drafts, folder_of_tests, module_of, mutants_of, rooms, text_of

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z]+/[a-z][a-z0-9]*(-[a-z0-9]+)*")
TESTS = {
    "test_code.py": "code.py",
    "method.py": "method.py",
    "test_claims.py": "claims.py",
}


def require_new(name: str, root: Path = ROOT) -> None:
    """Refuse a name that cannot become a chapter, a module and a folder of tests, or that is taken."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a chapter's name is room/method in small letters, words joined by hyphens; got {name!r}")
    room, _, method = name.partition("/")
    if room not in rooms(root):
        raise ValueError(
            f"there is no room {room!r} in the book and the library; the rooms are {', '.join(rooms(root))}. "
            "A page of another folder has no module: copy one of them by hand, also its line in _toc.yml"
        )
    if keyword.iskeyword(method):
        raise ValueError(f"{method!r} is a word of Python, so no module can have this name; choose another")
    same = [page.name for page in [*chapters(root), *drafts(root)] if page.name.split("/")[1] == method]
    if same:
        raise ValueError(f"there is a chapter {same[0]!r}, and its claims begin with {method!r}; choose another name")
    taken = [path for path in (*files(name, root), module_of(name, root)) if path and path.exists()]
    if taken:
        raise ValueError(f"{taken[0].relative_to(root)} exists already; remove it first, or choose another name")


def files(name: str, root: Path = ROOT) -> dict[Path, str]:
    """Where each file of the chapter goes, and the template that it comes from."""
    module = root / "posenc_lib" / f"{name.replace('-', '_')}.py"
    tests = {folder_of_tests(name, root) / file: template for file, template in TESTS.items()}
    mutants = mutants_of(name, root)
    return {text_of(name, root): "chapter.md", module: "module.py", **tests, mutants: "mutants.tsv"}


def filled(template: str, name: str, root: Path = ROOT) -> str:
    """The template with this chapter's words. Its class is named KerpleBias, so that no function hides its module."""
    room, _, method = name.partition("/")
    words = {
        "TITLE": method.replace("-", " ").capitalize(),
        "CLASS": f"{method.title().replace('-', '')}Bias",
        "MODULE": method.replace("-", "_"),
        "NAME": method,
        "ROOM": room,
        "SLOT": next((page.part for page in chapters(root) if page.name.startswith(f"{room}/")), ""),
        "ADDRESS": repository.current(root),
    }
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    return re.sub(rf"\b({'|'.join(words)})\b", lambda word: words[word[0]], text)


def list_draft(name: str, root: Path = ROOT) -> None:
    """Its line is the last one of _toc.yml, where the drafts stand, in the form that it has in a part."""
    toc = root / "_toc.yml"
    text = toc.read_text(encoding="utf-8").rstrip("\n")
    toc.write_text(f"{text}\n      - file: book/{name}.ipynb\n", encoding="utf-8", newline="\n")
    if Page(f"book/{name}.ipynb", "") not in drafts(root):
        toc.write_text(f"{text}\n", encoding="utf-8", newline="\n")
        raise ValueError("_toc.yml should end with its drafts: meta: drafts: and a line for each")


def tidy(paths: list[Path]) -> None:
    names = [str(path) for path in paths]
    for command in (["format", "-q"], ["check", "--fix", "-q"]):  # a long name makes a line too long for the second
        subprocess.run([sys.executable, "-m", "ruff", *command, *names], check=True)


def lay_out(name: str, root: Path = ROOT) -> list[Path]:
    """Write the chapter's files and its lines, and run its notebook. Returns what was written or changed."""
    require_new(name, root)
    written = files(name, root)
    texts = {path: filled(template, name, root) for path, template in written.items()}
    list_draft(name, root)
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    tidy([path for path in written if path.suffix == ".py"])
    init = root / "posenc_lib" / name.partition("/")[0] / "__init__.py"
    init.write_text(exports.init(init.parent), encoding="utf-8", newline="\n")
    notebooks.bring_together(text_of(name, root))
    return [*written, text_of(name, root).with_suffix(".ipynb"), init, root / "_toc.yml"]


if __name__ == "__main__":
    try:
        changed = lay_out("".join(sys.argv[1:]))
    except ValueError as error:
        raise SystemExit(f"{error}\nmake chapter NAME=relative/kerple") from None
    for path in changed:
        print(f"   {path.relative_to(ROOT)}")
    print(f"   It is a draft. What to write first: make missing NAME={''.join(sys.argv[1:])}")
