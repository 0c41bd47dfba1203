"""What the library exports, by name."""

from __future__ import annotations

from posenc_lib import absolute, extension, relative, rotary
from tools.chapters import drafts

ROOMS = (absolute, relative, rotary, extension)


def exported() -> dict[str, object]:
    """All names of the rooms, but for those of a chapter that is still a draft."""
    unfinished = {f"posenc_lib.{page.name.replace('/', '.').replace('-', '_')}" for page in drafts()}
    names = {name: getattr(room, name) for room in ROOMS for name in room.__all__}
    return {name: part for name, part in names.items() if part.__module__ not in unfinished}
