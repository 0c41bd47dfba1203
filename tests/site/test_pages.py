"""The pages without code: the map leads where it says, and the notation is that of the library."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import sympy as sp
import torch
import yaml
from bs4 import BeautifulSoup

from bookkit.derivation import Derivation
from posenc_lib.absolute import shift_matrix
from posenc_lib.pairs import geometric_freqs, half_from_interleaved
from posenc_lib.rotary import rotate
from tools.site import ROOT

INDEX = (ROOT / "book" / "index.md").read_text(encoding="utf8")
NOTATION = (ROOT / "book" / "notation.md").read_text(encoding="utf8")
MAP = ROOT / "book" / "_static" / "map.svg"
# What the notation names and the library does not have: words of Python and of torch, and other people's names.
ELSEWHERE = {"True", "ValueError", "TypeError", "scaled_dot_product_attention", "theta", "inv_freq", "table", "R", "T"}


# --- The map and the first page ---------------------------------------------------------------------------------------


def test_the_map_is_in_the_page_with_a_name_and_links_for_the_keyboard(site: Path):
    page = BeautifulSoup((site / "book/index.html").read_text(encoding="utf8"), "html.parser")
    (drawn,) = page.select("article svg.posenc-map")
    assert page.find(id=drawn["aria-labelledby"]).get_text(strip=True)
    assert all(link.get_text(strip=True) for link in drawn.select("a[href]"))
    assert not drawn.select("[aria-hidden] a")


def test_the_map_can_also_stand_alone():
    """On GitHub it is a picture: its colours are the site's in an article of the site only."""
    text = MAP.read_text(encoding="utf8")
    assert [line for line in text.splitlines() if "var(--" in line and ".bd-article" not in line] == []
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)", text) == []
    root = ElementTree.fromstring(text)
    *_, width, height = map(float, root.get("viewBox").split())
    assert float(root.get("width")) / float(root.get("height")) == pytest.approx(width / height, rel=1e-3)


def test_the_first_page_cites_as_the_citation_file_does():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf8"))
    entry = dict(re.findall(r"^  (\w+) += \{(.+)\},$", INDEX, flags=re.M))
    (author,) = citation["authors"]
    assert entry == {
        "title": citation["title"],
        "author": "{" + author["name"].replace("_", r"\_") + "}",
        "version": citation["version"],
        "url": citation["url"],
    }


@pytest.mark.parametrize("peer", ["transformers", "x_transformers", "positional_encodings", "rotary_embedding_torch"])
def test_the_peers_that_the_first_page_names_are_those_of_the_tests(peer):
    assert peer.replace("_", "-") in INDEX
    files = (ROOT / "tests").glob("*/*/test_peers.py")
    assert any(re.search(rf"from {peer}[. ]", file.read_text(encoding="utf8")) for file in files)


# --- The notation -----------------------------------------------------------------------------------------------------


def names_of_the_library() -> set[str]:
    """Modules' functions, classes, parameters and variables, and the axes that stand in the shapes."""
    names = set()
    for file in [*(ROOT / "posenc_lib").rglob("*.py"), *(ROOT / "bookkit").rglob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf8"))):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name) | ast.Name(id=name):
                    names.add(name)
                case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=str(shape))])):
                    names |= {axis.lstrip("*#") for axis in shape.split()}
                case ast.Constant(value=str(layout)) if layout.isidentifier():
                    names.add(layout)
    return names


def names_in_the_notation() -> set[str]:
    text = re.sub(r"(?s)```.*?```", "", NOTATION)
    spans = [span for span in re.findall(r"`([^`]+)`", text) if not re.fullmatch(r"\w+\.[\w-]+", span)]
    return {name for span in spans for name in re.findall(r"[A-Za-z_]\w*", span)}


def test_every_name_in_the_notation_is_one_of_the_library():
    assert names_in_the_notation() - ELSEWHERE - names_of_the_library() == set()


def test_other_peoples_names_are_not_those_of_the_library():
    parameters = set()
    for file in (ROOT / "posenc_lib").rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf8"))
        parameters |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    assert parameters & {"theta", "inv_freq", "freqs_cis", "dim"} == set()


def test_every_claim_that_is_named_has_a_test():
    claims = re.findall(r"`([a-z-]+\.[a-z-]+)`", NOTATION)
    tests = "".join(file.read_text(encoding="utf8") for file in (ROOT / "tests").rglob("test_claims.py"))
    assert claims
    assert [claim for claim in claims if f'claim("{claim}")' not in tests] == []


def test_the_error_is_the_one_that_is_quoted():
    (quoted,) = re.findall(r"^> (.+)$", NOTATION, flags=re.M)
    with pytest.raises(ValueError, match="^" + re.escape(quoted) + "$"):
        geometric_freqs(7)


def without_layout(latex: str) -> str:
    return re.sub(r"\\quad|\\small|\\\\(\[4pt\])?|[&{}\s]", "", latex)


def test_the_derivation_is_what_the_engine_shows():
    theta = sp.Symbol("theta", positive=True)
    m, n = sp.symbols("m n", integer=True)
    product = sp.sin(m * theta) * sp.sin(n * theta) + sp.cos(m * theta) * sp.cos(n * theta)
    derivation = (
        Derivation(product)
        .step(sp.cos((m - n) * theta), because="addition theorem of the cosine")
        .step(1, because="a cosine is at most 1", sign="≤")
    )
    assert without_layout(derivation._repr_latex_()) in without_layout(NOTATION)


def test_the_permutation_is_the_one_that_is_printed():
    (printed,) = re.findall(r"`half_from_interleaved\(6\)` is ([\d, ]+\d)", NOTATION)
    assert half_from_interleaved(6).tolist() == [int(i) for i in printed.split(",")]


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_the_pairs_are_those_that_are_printed(layout):
    """Only the features of a printed pair mix when that pair alone is turned."""
    row = re.search(rf"^\| `{layout}` \|[^|]+\| ([\d\s·]+) \|", NOTATION, flags=re.M)[1]
    for i, pair in enumerate(row.split(" · ")):
        angles = torch.eye(3, dtype=torch.float64)[i : i + 1]
        turned = rotate(torch.eye(6, dtype=torch.float64), angles, layout=layout) != torch.eye(6)
        assert turned.any(dim=0).nonzero().flatten().tolist() == [int(feature) for feature in pair.split()]


def matrix(text: str) -> torch.Tensor:
    """A LaTeX matrix of cosines and sines, at an angle of 1."""
    numbers = {r"\cos\varphi": torch.tensor(1.0).cos(), r"\sin\varphi": torch.tensor(1.0).sin()}
    rows = [[entry.strip() for entry in row.split("&")] for row in text.split(r"\\")]
    return torch.tensor([[-numbers[e[1:]] if e[0] == "-" else numbers[e] for e in row] for row in rows])


def test_the_matrices_turn_as_the_library_does():
    rotary, sinusoid = map(matrix, re.findall(r"\\begin\{pmatrix\} (.+?) \\end\{pmatrix\}", NOTATION))
    torch.testing.assert_close(rotate(torch.eye(2), torch.ones(1, 1)), rotary.T)  # rows are turned, not columns
    torch.testing.assert_close(shift_matrix(1, 2).to(torch.float32), sinusoid)
