"""The card of a page that is shared: title, question and picture, in the letters and colours of the book."""

from __future__ import annotations

import textwrap
from importlib.metadata import files
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw
from PIL.ImageFont import FreeTypeFont, truetype

from bookkit.movable.still import QUESTION

SIZE = (1200, 630)  # what the sites that show it ask for
EDGE, CLOCK, BOTTOM = 80, 64, 526  # text and picture end where the clock begins
BELOW, BESIDE = (EDGE, 256, SIZE[0] - EDGE, BOTTOM), (600, 70, SIZE[0] - EDGE + 40, BOTTOM)  # places of the picture
PAPER, INK, QUIET, QUERY, KEY = "#fdfcf9", "#22282b", "#5b6468", "#1f5a6b", "#b4572a"
LINE = 18.4  # pixels from one line of a still frame's question to the next
FINE = 4  # drawn so many times as large, then made smaller: round things stay round
Box = tuple[int, int, int, int]


def drawn(title: str, question: str, site: str, file: Path, picture: Image.Image | None = None) -> None:
    image = Image.new("RGB", SIZE, PAPER)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, SIZE[0], 14), fill=QUERY)
    place = max(BELOW, BESIDE, key=lambda box: scale(picture, box)) if picture else None
    right = BESIDE[0] - 40 if place == BESIDE else SIZE[0] - EDGE
    bottom, rows = (BELOW[1], 1) if place == BELOW else (BOTTOM, 2)
    size = next((size for size in (84, 72, 60) if len(lines(title, letters("Bold", size), right)) <= rows), 52)
    under = write(pen, title, letters("Bold", size), INK, (EDGE, 60, right, bottom))
    write(pen, question, letters("Regular", 36), QUIET, (EDGE, under + 16, right, bottom))
    if picture:
        paste(image, picture, place)
    pen.text((EDGE, SIZE[1] - 44), site if site != title else "", font=letters("Bold", 30), fill=QUERY, anchor="ls")
    image.paste(clock(CLOCK), (SIZE[0] - EDGE - CLOCK, SIZE[1] - CLOCK - 22))
    file.parent.mkdir(parents=True, exist_ok=True)
    image.save(file, optimize=True)


def scale(picture: Image.Image, box: Box) -> float:
    return min((box[2] - box[0]) / picture.width, (box[3] - box[1]) / picture.height)


def paste(image: Image.Image, picture: Image.Image, box: Box) -> None:
    """As large as the box allows, in its middle, on the paper of the card."""
    size = [round(side * scale(picture, box)) for side in picture.size]
    left, top = ((box[k] + box[k + 2] - size[k]) // 2 for k in (0, 1))
    large = picture.resize(size, Image.Resampling.LANCZOS)
    image.paste(ImageChops.multiply(large, Image.new("RGB", size, PAPER)), (left, top))


def frames(still: Image.Image, question: str) -> Image.Image:
    """The still frames of a picture that moves, without the question above them and the paper around them."""
    rows = len(textwrap.wrap(question, QUESTION))
    below = still.convert("RGB").crop((0, round(LINE * rows) + 6, *still.size))
    return below.crop(ImageChops.difference(below, Image.new("RGB", below.size, "white")).getbbox())


def write(pen: ImageDraw.ImageDraw, text: str, font: FreeTypeFont, ink: str, box: Box) -> int:
    """As much of the text as the box has room for, and the height at which it ends."""
    left, top, right, bottom = box
    height, all_lines = round(font.size * 1.25), lines(text, font, right)
    room = (bottom - top) // height
    if 0 < room < len(all_lines):
        *all_lines, last = all_lines[:room]
        while font.getlength(f"{last} …") > right - left:
            last = last.rpartition(" ")[0]
        all_lines.append(f"{last} …")
    for line in all_lines[: max(room, 0)]:
        pen.text((left, top), line, font=font, fill=ink)
        top += height
    return top


def lines(text: str, font: FreeTypeFont, right: int) -> list[str]:
    found = [""]
    for word in text.split():
        longer = f"{found[-1]} {word}".strip()
        found = [*found[:-1], longer] if font.getlength(longer) <= right - EDGE else [*found, word]
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
