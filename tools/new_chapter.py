"""Lays out a new chapter that passes all tests as it stands: make chapter NAME=relative/kerple.

Its page, its module and its folder of tests come from tools/templates. Its line in _toc.yml stands among the drafts,
which are tested and not shown.
"""

from __future__ import annotations

import keyword
import re
import subprocess
import sys
from pathlib import Path

from tools import exports, notebooks, repository
from tools.chapters import ROOT, Page, chapters, drafts, text_of

TEMPLATES = Path(__file__).parent / "templates"
NAME = re.compile(r"[a-z]+/[a-z][a-z0-9]*(-[a-z0-9]+)*")


def rooms(root: Path = ROOT) -> dict[str, str]:
    """The rooms of the library that have a part in the book: room → caption of the part."""
    parts = {page.name.split("/")[0]: page.part for page in chapters(root)}
    return {room: part for room, part in parts.items() if (root / "posenc_lib" / room / "__init__.py").is_file()}


def require_new(name: str, root: Path = ROOT) -> None:
    """Refuse a name that cannot become a chapter, a module and a folder of tests, or that is taken."""
    if not NAME.fullmatch(name):
        raise ValueError(f"a chapter's name is room/method in small letters, words joined by hyphens; got {name!r}")
    room, _, method = name.partition("/")
    if room not in rooms(root):
        raise ValueError(
            f"there is no room {room!r} in the book and the library; the rooms are {', '.join(rooms(root))}. "
            "A page of another folder has no module: copy one of them by hand"
        )
    if keyword.iskeyword(method):
        raise ValueError(f"{method!r} is a word of Python, so no module can have this name; choose another")
    same = [page.name for page in [*chapters(root), *drafts(root)] if page.name.split("/")[1] == method]
    if same:
        raise ValueError(f"there is a chapter {same[0]!r}, and its claims begin with {method!r}; choose another name")
    taken = [str(path.relative_to(root)) for path in files(name, root) if path.exists()]
    if taken:
        raise ValueError(f"{taken[0]} exists already; remove it first, or choose another name")
    module = method.replace("-", "_")
    if re.search(rf"\b{module}\b", (root / "posenc_lib" / room / "__init__.py").read_text(encoding="utf-8")):
        raise ValueError(f"posenc_lib.{room} has a {module!r} already; choose another name")


def files(name: str, root: Path = ROOT) -> dict[Path, str]:
    """Where each file of the chapter goes, and the template that it comes from."""
    room, _, method = name.partition("/")
    module = method.replace("-", "_")
    tests = root / "tests" / room / module
    return {
        text_of(name, root): "chapter.md",
        root / "posenc_lib" / room / f"{module}.py": "module.py",
        **{tests / f"test_{kind}.py": f"{kind}.py" for kind in ("code", "claims", "proofs")},
    }


def filled(template: str, name: str, root: Path = ROOT) -> str:
    room, _, method = name.partition("/")
    words = {
        "TITLE": method.replace("-", " ").capitalize(),
        "MODULE": method.replace("-", "_"),
        "NAME": method,
        "ROOM": room,
        "SLOT": rooms(root)[room],
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
    for command in (["check", "--fix", "-q"], ["format", "-q"]):
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
    print("   It is a draft. Go on with step 2 of Write a chapter, in CONTRIBUTING.md")
