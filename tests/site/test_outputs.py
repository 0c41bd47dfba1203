"""Each chapter is run once, in a new kernel, and shows what is stored: text to the letter, pictures by their pixels.

At least as strict as `pytest --nbval book`, which looks at no picture, and not at the order of outputs of two kinds.
"""

from collections.abc import Iterator

import pytest

from tools import notebooks, warm
from tools.book.chapter_rules.fresh import stale_outputs


@pytest.fixture(scope="session")
def kernel() -> Iterator[str]:
    with warm.kernels() as name:
        yield name


@pytest.mark.parametrize("chapter", notebooks.pairs(notebooks.ROOT / "book"), ids=lambda path: path.stem)
def test_chapter_shows_today_what_is_stored(chapter, kernel):
    stored = notebooks.read_notebook(chapter.with_suffix(".ipynb"))
    fresh = notebooks.made_from(notebooks.read_text(chapter), chapter.parent, kernel)
    assert "\n".join(stale_outputs(stored, fresh)) == ""
