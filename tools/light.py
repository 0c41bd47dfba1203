"""Takes from the built site what no page of it uses: icons, letters of formulas, source maps; a third of it is left.

And puts the letters of the text there, cut to those that English and the names in the references need.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from importlib.metadata import files
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

TEXT = ("font-source-serif-pro", ("Regular.ttf", "It.ttf", "Bold.ttf"))
LATIN = [*range(0x20, 0x17F), *range(0x391, 0x3CA), *range(0x2010, 0x2027), 0x2032, 0x20AC, 0x2190, 0x2192, 0x2212]
PRIVATE = re.compile("[\ue000-\uf8ff]")
TAB_STOP = r"(\w)\.tabIndex=\1\.scrollWidth>\1\.clientWidth\|\|\1\.scrollHeight>\1\.clientHeight\?0:-1"


def lighten(html: Path) -> None:
    """All of it, in the folder of a site that has just been built."""
    drop_source_maps(html)
    drop_icon_script(html)
    drop_tab_stops(html / "_static" / "scripts" / "pydata-sphinx-theme.js")
    cut_icons(html)
    cut_formulas(html)
    put_letters(html)


def drop_source_maps(html: Path) -> None:
    """Removes the maps of minified scripts, a third of the site's weight, and the comments that point to them."""
    for file in html.rglob("*.map"):
        file.unlink()
    for file in [*html.rglob("*.js"), *html.rglob("*.css")]:
        replace(file, r"(//[#@] sourceMappingURL=\S+|/\*# sourceMappingURL=\S+ \*/)")


def drop_icon_script(html: Path) -> None:
    """The theme's style sheet draws every icon; its script of 1.5 MB would draw them again."""
    for file in html.rglob("fontawesome.js*"):
        file.unlink()
    for page in html.rglob("*.html"):
        replace(page, r"<script[^>]*fontawesome\.js[^>]*></script>|<link[^>]*fontawesome\.js[^>]*>")


def drop_tab_stops(script: Path) -> None:
    """The theme measures and marks one box of code after the other, so the browser lays out the page for each of them.

    It takes up to half a second. book.js does the same with an observer.
    """
    if not re.search(TAB_STOP, text_of(script)):
        raise ValueError(f"{script.name} sets no tab stops that lighten() knows: has the theme changed?")
    replace(script, TAB_STOP)


def cut_icons(html: Path) -> None:
    """Of some 2,000 icons, those that a page or a script names, and those that a style sheet shows by itself."""
    texts = [text_of(file) for file in pages_and_scripts(html)]
    named = {name for text in texts for name in re.findall(r"fa-[\w-]+", text)}

    def keep(rule: re.Match[str]) -> str:
        return rule[0] if named & {*re.findall(r"fa-[\w-]+", rule[1])} else ""

    for file in html.rglob("*.css"):
        replace(file, r'((?:,?\.fa-[\w-]+:{1,2}before)+)\{content:"[^"]*"\}', keep)
    shown = "".join(map(unescaped, [*map(text_of, html.rglob("*.css")), *texts]))
    letters = {ord(letter) for letter in PRIVATE.findall(shown)}
    for font in html.rglob("webfonts/*"):
        if font.suffix == ".woff2":
            font.write_bytes(cut(font, letters))
        else:
            font.unlink()


def cut_formulas(html: Path) -> None:
    """The style sheet of the formulas has a rule for each of 1,900 letters, and its fonts have them all."""
    sheet = html / "_static" / "formulas.css"
    set_in = [*html.rglob("*.html"), *html.glob("_static/live/cells/**/*.json")]
    used = {letter for page in set_in for letter in re.findall(r"mjx-c[0-9A-F]+", text_of(page))}

    def keep(rule: re.Match[str]) -> str:
        return rule[0] if rule[1] in used else ""

    replace(sheet, r"(?m)^[^{}@]*mjx-c\.(mjx-c[0-9A-F]+)[^{}]*::before \{[^{}]*\}\s*", keep)
    letters = {ord(letter) for word in re.findall(r'content: "([^"]*)"', text_of(sheet)) for letter in unescaped(word)}
    for font in (html / "_static" / "mathjax").glob("*.woff"):
        font.with_suffix(".woff2").write_bytes(cut(font, letters))
        font.unlink()
    replace(sheet, r'\.woff"\) format\("woff"\)', '.woff2") format("woff2")')


def put_letters(html: Path) -> None:
    folder = html / "_static" / "letters"
    folder.mkdir(exist_ok=True)
    package, endings = TEXT
    for file in map(Path, (found.locate() for found in files(package) or ())):
        if file.name == "LICENSE.txt":
            shutil.copyfile(file, folder / file.name)
        elif file.name.endswith(tuple(f"-{ending}" for ending in endings)):
            (folder / f"{file.stem}.woff2").write_bytes(cut(file, LATIN))


def cut(font: Path, letters: Iterable[int]) -> bytes:
    """The font with these letters only, packed. No table of it holds the time of the build."""
    options = subset.Options(layout_features=["kern", "liga", "lnum", "tnum"], notdef_outline=True)
    options.drop_tables += ["FFTM"]  # when FontForge made it
    smaller = TTFont(font, recalcTimestamp=False)
    cutter = subset.Subsetter(options)
    kept = {*letters} & {*smaller.getBestCmap()}
    cutter.populate(unicodes=kept or smaller.getBestCmap())  # one without any letter is refused by browsers
    cutter.subset(smaller)
    smaller.flavor, out = "woff2", BytesIO()
    smaller.save(out)
    return out.getvalue()


def pages_and_scripts(html: Path) -> list[Path]:
    return [*html.rglob("*.html"), *html.rglob("*.js")]


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf8", errors="replace")


def unescaped(css: str) -> str:
    r"""With \f186 as the letter that it stands for.

    >>> unescaped(r"\41 b")
    'Ab'
    """
    return re.sub(r"\\([0-9a-fA-F]{2,6})\s?", lambda code: chr(min(int(code[1], 16), 0x10FFFF)), css)


def replace(file: Path, pattern: str, by: object = "") -> None:
    text = file.read_bytes().decode("utf8", "surrogateescape")
    changed = re.sub(pattern, by, text)
    if changed != text:
        file.write_bytes(changed.encode("utf8", "surrogateescape"))
