"""What a room of the library exports is read from its modules."""

from __future__ import annotations

import shutil

import pytest

from tools.book import ROOT, exports

FILES = {
    "__init__": '"""Added to the\nscores."""\n',
    "_skew": "def skew(): ...\n\n\ndef _part(): ...\n",
    "bias": "N = 1\n\n\nclass Bias: ...\n\n\ndef bias_of(): ...\n",
    "distance": '__all__ = ["near"]\n\n\ndef near(): ...\n\n\ndef helper(): ...\n',
    "inside": "__all__ = []\n\n\ndef helper(): ...\n",
}


@pytest.fixture
def room(tmp_path):
    folder = tmp_path / "posenc_lib" / "relative"
    folder.mkdir(parents=True)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)  # which says how ruff sorts
    for name, text in FILES.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def test_a_room_exports_what_its_modules_offer(room):
    assert exports.init(room) == (
        '"""Added to the\nscores."""\n\n'
        "from posenc_lib.relative._skew import skew\n"
        "from posenc_lib.relative.bias import Bias, bias_of\n"
        "from posenc_lib.relative.distance import near\n\n"
        '__all__ = ["Bias", "bias_of", "near", "skew"]\n'
    )


def test_written_twice_it_is_the_same(room):
    once = exports.init(room)
    (room / "__init__.py").write_text(once)
    assert exports.init(room) == once


def test_a_module_that_python_cannot_read_is_named(room):
    (room / "bias.py").write_text("def bias(:\n")
    with pytest.raises(SyntaxError, match=r"bias\.py, line 1"):
        exports.init(room)
