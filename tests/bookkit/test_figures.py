"""The figures hold what they were given."""

import matplotlib.pyplot as plt
import pytest
import torch
from matplotlib.colors import to_hex, to_rgb

from bookkit.colours import COOL, HUES, PAPER
from bookkit.figures import CURVES, STYLE, curves, decision, heatmaps, spread_curves


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_curves_are_drawn_as_given_and_differ_without_colour():
    x = torch.tensor([0.0, 1.0, 5.0])
    curves(x, {"a": x, "b": 2 * x}, x_label="m", y_label="y")
    drawn = plt.gca().get_lines()
    assert [line.get_xdata().tolist() for line in drawn] == [[0, 1, 5]] * 2
    assert [line.get_ydata().tolist() for line in drawn] == [[0, 1, 5], [0, 2, 10]]
    assert len({line.get_linestyle() for line in drawn}) == 2
    assert [line.get_color() for line in drawn] == [look["color"] for look in CURVES[:2]]
    assert [line.get_label() for line in drawn] == ["a", "b"]
    assert (plt.gca().get_xlabel(), plt.gca().get_ylabel()) == ("m", "y")


def test_no_curve_is_left_out():
    lines = {str(k): torch.arange(2) + k for k in range(5)}
    with pytest.raises(ValueError, match="5 curves cannot be told apart: draw 4 at most"):
        curves(torch.arange(2), lines, x_label="m", y_label="y")
    curves(torch.arange(2), {name: lines[name] for name in "0123"}, x_label="m", y_label="y")
    assert len(plt.gca().get_lines()) == 4


def test_a_curve_has_the_colour_of_what_it_shows():
    two = {"a": torch.arange(2), "b": torch.arange(2)}
    curves(torch.arange(2), two, x_label="m", y_label="y", hue="score")
    assert [line.get_color() for line in plt.gca().get_lines()] == [HUES["score"], CURVES[1]["color"]]


def test_heatmaps_share_one_scale():
    one, two = torch.tensor([[0.0, 1.0]]), torch.tensor([[-3.0, 2.0]])
    heatmaps({"one": one, "two": two}, x_label="i", y_label="m", symmetric=True, values="value")
    images = [ax.images[0] for ax in plt.gcf().axes[:2]]
    assert [image.get_clim() for image in images] == [(-3, 3)] * 2
    assert [ax.get_title() for ax in plt.gcf().axes[:2]] == ["one", "two"]
    assert images[1].get_array().tolist() == two.tolist()
    plt.close("all")
    heatmaps({"two": two}, x_label="i", y_label="m", values="value")
    assert plt.gcf().axes[0].images[0].get_clim() == (-3, 2)


@pytest.mark.parametrize(("count", "rows", "columns"), [(1, 1, 1), (3, 1, 3), (4, 2, 2), (6, 2, 3)])
def test_heatmaps_stand_in_one_row_or_two(count, rows, columns):
    heatmaps({str(k): torch.eye(2) for k in range(count)}, x_label="i", y_label="m", values="value")
    maps = plt.gcf().axes[:count]
    assert maps[0].get_gridspec().get_geometry() == (rows, columns)
    assert plt.gcf().get_size_inches().tolist() == [4.8, 2.4 * rows + 0.2]
    assert all(ax.get_shared_x_axes().joined(ax, maps[0]) for ax in maps[1:])
    assert all(ax.get_shared_y_axes().joined(ax, maps[0]) for ax in maps[1:])


def test_no_place_in_the_grid_stays_empty():
    with pytest.raises(ValueError, match="5 maps do not fill 2 rows of 3: draw them in two figures"):
        heatmaps({str(k): torch.eye(2) for k in range(5)}, x_label="i", y_label="m", values="value")


def test_the_ticks_of_heatmaps_count_cells():
    heatmaps({"small": torch.zeros(3, 6)}, x_label="x", y_label="y", values="value")
    ax = plt.gcf().axes[0]
    ticks = [*ax.get_xticks(), *ax.get_yticks()]
    assert len(ticks) > 4
    assert all(tick == round(tick) for tick in ticks)


def test_the_colour_bar_stands_beside_all_maps():
    heatmaps({str(k): torch.eye(2) for k in range(4)}, x_label="i", y_label="m", values="value")
    plt.gcf().canvas.draw()
    one, *_, bar = (ax.get_position().height for ax in plt.gcf().axes)
    assert bar > 1.8 * one


def test_heatmaps_are_named_and_shown_cell_by_cell():
    heatmaps({"a": torch.eye(3, requires_grad=True)}, x_label="i", y_label="m", values="weight")
    figure = plt.gcf()
    assert (figure.get_supxlabel(), figure.get_supylabel()) == ("i", "m")
    assert {figure._supxlabel.get_fontsize(), figure._supylabel.get_fontsize()} == {STYLE["font.size"]}
    image = figure.axes[0].images[0]
    assert (image.get_interpolation(), figure.axes[0].get_aspect()) == ("nearest", "auto")
    assert image.colorbar.ax in figure.axes
    assert image.colorbar.ax.get_ylabel() == "weight"


def test_a_map_of_yes_and_no_needs_no_colour_bar():
    heatmaps({"a": torch.eye(3)}, x_label="i", y_label="m", values=None)
    assert len(plt.gcf().axes) == 1


@pytest.mark.parametrize("symmetric", [True, False])
def test_the_shades_go_from_paper_to_the_hue(symmetric):
    heatmaps({"a": torch.eye(3)}, x_label="i", y_label="m", hue="position", symmetric=symmetric, values="value")
    low, middle, high = (to_hex(plt.gcf().axes[0].images[0].get_cmap()(x)) for x in (0.0, 0.5, 1.0))
    assert high == HUES["position"]
    assert low == (COOL if symmetric else PAPER)
    assert not symmetric or to_rgb(middle) == pytest.approx((1, 1, 1), abs=0.01)


def test_a_cell_that_is_nan_stays_out_of_the_scale():
    heatmaps({"a": torch.tensor([[1.0, float("nan")], [3.0, 2.0]])}, x_label="i", y_label="m", values="value")
    assert plt.gcf().axes[0].images[0].get_clim() == (1, 3)


def test_a_figure_is_opaque_and_leaves_the_readers_style_alone():
    before = dict(plt.rcParams)
    curves(torch.arange(2), {"a": torch.arange(2)}, x_label="m", y_label="y")
    assert plt.gcf().get_facecolor() == (1, 1, 1, 1)
    assert plt.gcf().get_size_inches().tolist() == list(STYLE["figure.figsize"])
    assert dict(plt.rcParams) == before


def test_the_spread_is_a_band_around_the_mean():
    runs = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    spread_curves(torch.tensor([0.0, 1.0]), {"one": runs}, x_label="x", y_label="y", looks=CURVES[1:2])
    ax = plt.gca()
    assert ax.lines[0].get_color() == CURVES[1]["color"]
    assert ax.collections[0].get_facecolor()[0][:3].tolist() == list(to_rgb(CURVES[1]["color"]))
    assert ax.lines[0].get_ydata().tolist() == [3.0, 5.0]
    corners = {tuple(point) for point in ax.collections[0].get_paths()[0].vertices.tolist()}
    assert {(0.0, 1.0), (1.0, 2.0), (0.0, 5.0), (1.0, 9.0)} <= corners


def test_a_decision_has_each_question_beside_its_answer_and_dashes_what_is_open():
    ax = decision({"Old?": "As\nit was", "Long?": "Open: try"}, "New", open_="Open")
    boxes = {text.get_text(): text.get_position() for text in ax.texts if text.get_text() not in ("", "yes", "no")}
    assert [*boxes] == ["Old?", "As", "it was", "Long?", "Open: try", "New"]
    assert boxes["Old?"][1] == pytest.approx((boxes["As"][1] + boxes["it was"][1]) / 2)
    assert boxes["As"][1] < boxes["it was"][1]
    assert boxes["Long?"][1] == boxes["Open: try"][1]
    assert boxes["Old?"][0] == boxes["Long?"][0] < boxes["As"][0] == boxes["Open: try"][0] == boxes["New"][0]
    assert boxes["Old?"][1] < boxes["Long?"][1] < boxes["New"][1]
    assert ax.yaxis_inverted()
    assert [text.get_text() for text in ax.texts if text.get_text() in ("yes", "no")] == ["yes", "no", "yes", "no"]
    assert [patch.get_linestyle() == "--" for patch in ax.patches] == [False, False, False, True, False]
