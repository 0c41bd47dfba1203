"""The picture of a page that is shared: its title and its question, in the letters and the colours of the book."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

from PIL import Image, ImageDraw
from PIL.ImageFont import FreeTypeFont, truetype

SIZE = (1200, 630)  # what the sites that show it ask for
EDGE, CLOCK, BOTTOM = 80, 104, 490  # the text ends where the clock begins
PAPER, INK, QUIET, QUERY, KEY = "#fdfcf9", "#22282b", "#5b6468", "#1f5a6b", "#b4572a"
FINE = 4  # drawn so many times as large, then made smaller: round things stay round


def drawn(title: str, question: str, site: str, file: Path) -> None:
    image = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, SIZE[0], 14), fill=QUERY)
    size = next((size for size in (84, 72, 60) if len(lines(title, letters("Bold", size))) <= 2), 48)
    bottom = write(pen, title, letters("Bold", size), INK, 84)
    write(pen, question, letters("Regular", 38), QUIET, bottom + 24)
    pen.text((EDGE, SIZE[1] - 62), site if site != title else "", font=letters("Bold", 30), fill=QUERY, anchor="ls")
    image.paste(clock(CLOCK), (SIZE[0] - EDGE - CLOCK, BOTTOM + 20))
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file, optimize=True)


def write(pen: ImageDraw.ImageDraw, text: str, font: FreeTypeFont, ink: str, top: int) -> int:
    """As much of the text as there is room for below this height, and the height at which it ends."""
    height, all_lines = round(font.size * 1.25), lines(text, font)
    room = (BOTTOM - top) // height
    if len(all_lines) > room:
        all_lines[room - 1] += " …"
    for line in all_lines[:room]:
        pen.text((EDGE, top), line, font=font, fill=ink)
        top += height
    return top


def lines(text: str, font: FreeTypeFont) -> list[str]:
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        found = [*found[:-1], longer] if font.getlength(longer) <= SIZE[0] - 2 * EDGE else [*found, word]
    return found


def letters(weight: str, size: int) -> FreeTypeFont:
    (file,) = (file for file in files("font-source-serif-pro") or () if file.name == f"SourceSerifPro-{weight}.ttf")
    return truetype(str(file.locate()), size)


def clock(size: int) -> Image.Image:
    """The book's sign, as in book/_static/favicon.svg: a position as rotations."""
    unit = size * FINE / 32
    image = Image.new("RGB", (size * FINE, size * FINE), PAPER)
    pen = ImageDraw.Draw(image)

    def dot(x: float, y: float, radius: float, ink: str) -> None:
        pen.ellipse([unit * edge for edge in (x - radius, y - radius, x + radius, y + radius)], fill=ink)

    def hand(x: float, y: float, ink: str) -> None:
        pen.line([16 * unit, 16 * unit, x * unit, y * unit], fill=ink, width=round(3 * unit))
        dot(x, y, 1.5, ink)

    dot(16, 16, 15.5, QUERY)
    dot(16, 16, 12.5, PAPER)
    hand(16, 6, QUERY)
    hand(23.5, 19, KEY)
    dot(16, 16, 2.2, QUERY)
    return image.resize((size, size), Image.Resampling.LANCZOS)
