"""Matplotlib's SVG without what a page does not need, with ids of its own and short numbers."""

from __future__ import annotations

import hashlib
import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG, XLINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
FONT = "'Avenir Next', 'Segoe UI', 'Noto Sans', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
PLACES = 2  # of a number, after the point
NUMBERS = ("x", "y", "transform", "width", "height", "viewBox", "points")


def slim(drawn: str, cells: dict[str, str]) -> str:
    """The whole in few words; `cells` is what belongs into the frames of these names."""
    root = ElementTree.fromstring(drawn)
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{SVG}}}")
        for name, value in [*element.attrib.items()]:
            tidy(element, name, value)
    for parent in [*root.iter()]:
        drop(parent)
        if parent.get("id") in cells:
            fill(parent, cells[parent.get("id")])
    unwrap(root)
    root[0].set("class", "ground")
    root.attrib = {
        "xmlns": SVG,
        "viewBox": root.get("viewBox"),
        "width": root.get("width"),
        "height": root.get("height"),
        "style": f"font-family: {FONT}; stroke-linejoin: round",
    }
    return own_ids(ElementTree.tostring(root, encoding="unicode"))


def tidy(element: Element, name: str, value: str) -> None:
    if name == XLINK:
        element.set("href", element.attrib.pop(name))
    elif name == "d":
        element.set(name, path(value))
    elif name in NUMBERS:
        kept = re.sub(r"rotate\(-?0(?: [^)]*)?\)|scale\(1\)", "", rounded(value)).strip()
        element.set(name, kept) if kept else element.attrib.pop(name)
    elif name == "style":
        # The font is that of the whole, and here only its size is kept.
        value = re.sub(r"font: (?:\w+ )*?([\d.]+px) [^;]*", r"font-size: \1", rounded(value))
        said = [rule for rule in value.split("; ") if not rule.startswith(("font-family", "stroke-linejoin"))]
        element.set(name, "; ".join(said))


def fill(frame: Element, cells: str) -> None:
    """A square of cells is stretched to the place that its frame has on the page."""
    x, y, width, _, height = re.match(r"M(\S+?) ?(-?[\d.]+)h([\d.]+)(v)-([\d.]+)", frame[0].get("d")).groups()
    square = ElementTree.fromstring(cells)
    top = short(float(y) - float(height))
    square.set("transform", f"translate({x} {top}) scale({width} {height}) {square.get('transform')}")
    frame[:] = [square]


def drop(parent: Element) -> None:
    for child in [*parent]:
        empty = child.tag in {"g", "defs"} and not len(child)
        if child.tag in {"metadata", "style"} or (parent.tag == "defs" and child.tag == "style") or empty:
            parent.remove(child)
    if parent.tag == "defs" and not len(parent):
        parent.attrib.clear()


def unwrap(parent: Element) -> None:
    """Groups that say nothing give way to what they hold."""
    for child in [*parent]:
        unwrap(child)
    children = []
    for child in parent:
        plain = child.tag in {"g", "defs"} and not (child.attrib.keys() - {"id"})
        children += [*child] if plain and (child.tag == "g" or not len(child)) else [child]
    parent[:] = children
    for child in children:
        child.tail = None
    if parent.tag not in {"text", "tspan"}:
        parent.text = None


def own_ids(text: str) -> str:
    """Ids that are used get names that no other figure has; the others go."""
    used = [*dict.fromkeys(re.findall(r'(?:url\(|href=")#([^)"]+)', text))]
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    names = {old: f"f{digest}-{k}" for k, old in enumerate(used)}
    text = re.sub(r' id="([^"]*)"', lambda m: f' id="{names[m[1]]}"' if m[1] in names else "", text)
    return re.sub(r'(url\(|href=")#([^)"]+)', lambda m: f"{m[1]}#{names[m[2]]}", text)


def rounded(text: str) -> str:
    return re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda m: short(float(m[0])), text)


def short(number: float) -> str:
    """A number with at most two places, without a nought before or behind.

    >>> [short(x) for x in (0.5, -0.25, 10.0, -0.001, 3.14159)]
    ['.5', '-.25', '10', '0', '3.14']
    """
    text = f"{number:.{PLACES}f}".rstrip("0").rstrip(".")
    text = "0" if text in {"-0", ""} else text
    return re.sub(r"^(-?)0\.", r"\1.", text)


def path(drawn: str) -> str:
    """A path from step to step in place of from place to place: that is shorter.

    >>> path("M 1 2 L 4 2 L 4 5.001 L 6 7 z")
    'M1 2h3v3l2 2z'
    """
    made, here, begin = [], (0, 0), (0, 0)
    for letter, rest in re.findall(r"([MLQCZz])([^MLQCZz]*)", drawn):
        numbers = [round(float(n) * 10**PLACES) for n in rest.split()]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if letter in "Zz":
            made, here = [*made, "z"], begin
        elif letter == "M":
            (here,) = points
            made, begin = [*made, "M" + joined(here)], here
        else:
            made.append(step(letter.lower(), [(x - here[0], y - here[1]) for x, y in points]))
            here = points[-1]
    return "".join(made)


def step(letter: str, moves: list[tuple[int, int]]) -> str:
    ((x, y), *_) = moves
    if letter == "l" and 0 in (x, y):
        return f"h{joined([x])}" if y == 0 else f"v{joined([y])}"
    return letter + joined([number for move in moves for number in move])


def joined(numbers: tuple[int, ...] | list[int]) -> str:
    """Numbers in hundredths, with a blank only where they would run together."""
    words = [short(number / 10**PLACES) for number in numbers]
    return words[0] + "".join(word if word[0] == "-" else f" {word}" for word in words[1:])
