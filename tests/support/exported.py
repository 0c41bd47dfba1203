"""What the library exports, by name."""

from __future__ import annotations

import inspect

from posenc_lib import (
    _attention,
    absolute,
    content,
    extension,
    masks,
    pairs,
    positions,
    relative,
    released,
    rotary,
    shapes,
    slots,
    trees,
)
from posenc_lib.transformer import encoder_decoder, layers
from tools.book import BOOK
from tools.book.pages import chapter_of

ROOMS = (absolute, relative, rotary, content, extension, shapes, released)


def exported() -> dict[str, object]:
    """All names of the rooms, but for those of a chapter that is still a draft."""
    unfinished = {page.name for page in BOOK.drafts}
    names = {name: getattr(room, name) for room in ROOMS for name in room.__all__}
    return {name: part for name, part in names.items() if chapter_of(part.__module__) not in unfinished}


def every_name() -> dict[str, object]:
    """These, and the functions and classes of the modules beside the rooms."""
    beside = (_attention, slots, masks, pairs, positions, trees, layers, encoder_decoder)
    return exported() | {name: part for module in beside for name, part in own(module).items()}


def own(module) -> dict[str, object]:
    """What the module defines and offers: no protocols, which are only described."""
    names = {name: part for name, part in vars(module).items() if not name.startswith("_")}
    return {
        name: part
        for name, part in names.items()
        if (inspect.isclass(part) or inspect.isfunction(part))
        and part.__module__ == module.__name__
        and not getattr(part, "_is_protocol", False)
    }
