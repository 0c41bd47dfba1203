"""A reader's file is loaded with the modules beside it, and with no other folder's of the same names."""

from __future__ import annotations

import sys

import pytest

from posenc_checks import compare
from posenc_checks.__main__ import main
from posenc_checks.calling.loading import load

HELPERS = """
import torch

def angles(positions):
    return positions[:, None] * {base} ** (-torch.arange(0, 64, 2) / 64)
"""
ROPE = """
def rope(x, positions):
    {later}
    at = angles(positions)
    a, b = x.chunk(2, -1)
    return torch.cat((a * at.cos() - b * at.sin(), a * at.sin() + b * at.cos()), -1)
"""
FROM = "from {0} import angles"
LAYOUTS = {
    "at the top": ("helpers.py", FROM.format("helpers"), "pass"),
    "from a package": ("parts/helpers.py", FROM.format("parts.helpers"), "pass"),
    "as a whole": ("helpers.py", "import helpers", "angles = helpers.angles"),
    "when it is called": ("helpers.py", "", FROM.format("helpers")),
    "in both places": ("helpers.py", "import helpers", FROM.format("helpers")),
}


def checkout(folder, base, layout):
    file, above, later = LAYOUTS[layout]
    path = folder / file
    path.parent.mkdir(parents=True)
    if path.parent != folder:
        (path.parent / "__init__.py").touch()
    path.write_text(HELPERS.format(base=base))
    (folder / "model.py").write_text(f"import torch\n{above}\n{ROPE.format(later=later)}")
    lines = "class Rope(torch.nn.Module):\n    def forward(self, x, positions):\n        return rope(x, positions)\n"
    with (folder / "model.py").open("a") as model:
        model.write(f"\n{lines}\nmodule = Rope()\n")
    return str(folder / "model.py")


@pytest.mark.parametrize("name", ["rope", "module"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_checkout_has_its_own_neighbours(tmp_path, layout, name):
    old, new = (checkout(tmp_path / each, base, layout) for each, base in (("old", 10_000), ("new", 500_000)))
    before = {*sys.modules}, [*sys.path]
    a, b = (load(f"{path}:{name}") for path in (old, new))
    assert compare(a, b).facts["look at"] == "base"
    assert compare(b, a).facts["base"] == "base 500,000 | base 10,000"
    assert compare(a, load(f"{old}:{name}")).ok
    assert not {name for name in {*sys.modules} - before[0] if name.partition(".")[0] in ("helpers", "model", "parts")}
    assert sys.path == before[1]


def test_one_of_them_may_be_imported_by_its_name(tmp_path, monkeypatch):
    old, new = (checkout(tmp_path / each, base, "at the top") for each, base in (("old", 10_000), ("new", 500_000)))
    monkeypatch.syspath_prepend(str(tmp_path / "new"))
    for name in ("model", "helpers"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert main(["model:rope", "--against", f"{old}:rope"]) == 1
    assert main(["model:rope", "--against", f"{new}:rope"]) == 0


def test_neighbours_may_import_one_another(tmp_path):
    (tmp_path / "model.py").write_text("import helpers\n\ndef rope(x, positions):\n    return helpers.turned(x)\n")
    (tmp_path / "helpers.py").write_text("import model\n\ndef turned(x):\n    return x, model.rope\n")
    assert load(f"{tmp_path / 'model.py'}:rope")(3, 0)[0] == 3
