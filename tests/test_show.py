"""The figures hold what they were given, and the source is the library's own."""

import matplotlib.pyplot as plt
import pytest
import torch

from posenc_lib.attention import causal_mask
from posenc_lib.pairs import join_pairs
from posenc_lib.show import curves, hands, heatmaps, source


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_source_is_code_without_its_docstring():
    shown = source(causal_mask)
    assert "return k_positions[..., None, :] <= q_positions[..., :, None]" in repr(shown)
    assert '"""' not in repr(shown)
    assert shown._repr_markdown_() == f"```python\n{shown!r}\n```"


def test_the_source_runs_to_the_same_result():
    names = dict(vars(__import__("posenc_lib.pairs", fromlist=["pairs"])))
    exec(repr(source(join_pairs)), names)
    a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
    assert names["join_pairs"](a, b, "interleaved").tolist() == [1, 3, 2, 4]


def test_curves_are_drawn_as_given_and_differ_without_colour():
    x = torch.arange(3.0)
    curves(x, {"a": x, "b": 2 * x}, x_label="m", y_label="y")
    drawn = plt.gca().get_lines()
    assert [line.get_ydata().tolist() for line in drawn] == [[0, 1, 2], [0, 2, 4]]
    assert len({line.get_linestyle() for line in drawn}) == 2
    assert [t.get_text() for t in plt.gca().get_legend().get_texts()] == ["a", "b"]
    assert (plt.gca().get_xlabel(), plt.gca().get_ylabel()) == ("m", "y")


def test_one_curve_needs_no_legend():
    curves(torch.arange(2), {"a": torch.arange(2)}, x_label="m", y_label="y")
    assert plt.gca().get_legend() is None


def test_heatmaps_share_one_scale():
    one, two = torch.tensor([[0.0, 1.0]]), torch.tensor([[-3.0, 2.0]])
    heatmaps({"one": one, "two": two}, x_label="i", y_label="m", symmetric=True)
    images = [ax.images[0] for ax in plt.gcf().axes[:2]]
    assert [image.get_clim() for image in images] == [(-3, 3)] * 2
    assert [ax.get_title() for ax in plt.gcf().axes[:2]] == ["one", "two"]
    assert images[1].get_array().tolist() == two.tolist()
    plt.close("all")
    heatmaps({"two": two}, x_label="i", y_label="m")
    assert plt.gcf().axes[0].images[0].get_clim() == (-3, 2)


def test_hands_point_where_they_should():
    hands({"p": (0.0, 1.0), "q": (1.0, 0.0)})
    tips = [t.xy for t in plt.gca().texts if not t.get_text()]
    assert tips == [(0, 1), (1, 0)]
    assert [t.get_text() for t in plt.gca().texts if t.get_text()] == ["p", "q"]


def test_a_figure_is_opaque_and_leaves_the_readers_style_alone():
    before = dict(plt.rcParams)
    curves(torch.arange(2), {"a": torch.arange(2)}, x_label="m", y_label="y")
    assert plt.gcf().get_facecolor() == (1, 1, 1, 1)
    assert dict(plt.rcParams) == before
