"""A figure becomes one small SVG whose words are words, and whose cells and names lie where they belong."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from bookkit.colours import HUES, INK
from bookkit.drawing import svg
from bookkit.drawing.cells import LEVELS, levels_of, rectangles
from bookkit.drawing.labels import apart
from bookkit.figures import curves, heatmaps


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def two_curves(**ends):
    x = torch.arange(9.0)
    curves(x, {name: x * end for name, end in ends.items()}, x_label="tokens back", y_label="score")
    return plt.gcf()


def words(drawn):
    return [element.text for element in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]


def at(drawn, name):
    """Where a word stands."""
    (found,) = re.findall(rf"<text[^>]*>{name}<", drawn)
    return [float(re.search(rf' {axis}="([^"]*)"', found)[1]) for axis in "xy"]


def test_words_are_words_and_lines_are_named_at_their_ends():
    drawn = svg(two_curves(low=1, high=2))
    assert {"tokens back", "score", "low", "high"} <= {*words(drawn)}
    assert at(drawn, "high")[1] < at(drawn, "low")[1]  # downwards
    width = float(re.search(r'viewBox="0 0 (\S+)', drawn)[1])
    assert at(drawn, "low")[0] == at(drawn, "high")[0] > 0.7 * width


def test_the_same_figure_is_the_same_text_and_another_one_has_other_ids():
    first, again, other = (svg(two_curves(low=1, high=end)) for end in (2, 2, 3))
    ids = [{*re.findall(r' id="([^"]*)"', drawn)} for drawn in (first, other)]
    assert first == again
    assert ids[0]
    assert not ids[0] & ids[1]


def test_every_id_that_is_used_is_there():
    drawn = svg(two_curves(low=1, high=2))
    used = {*re.findall(r'(?:url\(|href=")#([^)"]+)', drawn)}
    assert used == {*re.findall(r' id="([^"]*)"', drawn)}


def test_names_of_lines_that_end_in_one_point_do_not_lie_on_one_another():
    drawn = svg(two_curves(one=1, two=1, three=1))
    places = [at(drawn, name)[1] for name in ("one", "two", "three")]
    assert np.diff(places) == pytest.approx([13.8, 13.8], abs=1.2)


def test_a_line_that_leaves_the_picture_is_named_where_it_leaves():
    figure = two_curves(low=1, high=9)
    plt.ylim(0, 10)
    drawn = svg(figure)
    assert at(drawn, "high")[0] < at(drawn, "low")[0]


def test_a_legend_of_the_author_stands_for_the_names():
    figure = two_curves(low=1, high=2)
    plt.legend()
    drawn = svg(figure)
    assert words(drawn).count("low") == 1
    assert "#cccccc" not in drawn  # the frame around it


def test_words_of_the_author_look_like_all_others():
    figure = two_curves(low=1)
    plt.text(1, 1, "here", size=6)
    (here,) = re.findall(r"<text([^>]*)>here<", svg(figure))
    assert "font-size: 11.5px" in here
    assert f"fill: {INK}" in here


def test_no_figure_is_wider_than_its_words_can_bear():
    figure = two_curves(low=1)
    figure.set_size_inches(9, 3)
    assert 'viewBox="0 0 345.6 216"' in svg(figure)


def test_names_move_apart_and_no_more():
    assert apart(np.array([0.0, 30.0]), np.array([10.0, 10.0])).tolist() == [0, 30]
    assert apart(np.array([0.0, 4.0, 8.0]), np.full(3, 10.0)).tolist() == [-6, 4, 14]


def map_of(*rows, **others):
    heatmaps({"": torch.tensor(rows)}, x_label="key", y_label="query", values="weight", **others)
    return plt.gcf()


def test_cells_are_shapes_from_the_first_row_downwards():
    drawn = svg(map_of([0.0, 1.0], [0.0, 0.0], [1.0, 1.0]))
    assert "<image" not in drawn
    full = re.findall(rf'<path d="([^"]*)" style="fill: {HUES["score"]}; fill-opacity: 1"', drawn)
    assert full[0] == "m0 2h2v1h-2zm1-2h1v1h-1z"
    assert "scale(.5 .333333)" in drawn.replace("0.", ".")


def test_cells_fill_the_frame_of_their_map():
    drawn = svg(map_of([0.0, 1.0]))
    x, y, width, height = map(float, re.search(r"translate\((\S+) (\S+)\) scale\((\S+) (\S+?)\)", drawn).groups())
    frame = re.search(rf"M{x:g} {y + height:g}h{width:g}v-{height:g}h-{width:g}", drawn.replace(" .", " 0."))
    assert frame or re.search(rf"M{x:g} ({y + height - 0.01:.2f}|{y + height + 0.01:.2f})h", drawn)


def test_zero_is_paper_and_each_side_has_its_colour():
    image = map_of([-2.0, 0.0, 1.0, float("nan")], symmetric=True).axes[0].images[0]
    assert levels_of(image).tolist() == [[-LEVELS, 0, LEVELS // 2, 0]]


def test_a_colour_bar_has_its_largest_number_on_top():
    bar = map_of([0.0, 1.0]).axes[1].images[0]
    assert levels_of(bar)[[0, -1], 0].tolist() == [LEVELS, 0]


def test_rectangles_cover_each_cell_once():
    chosen = np.random.default_rng(0).random((7, 5)) < 0.6
    covered = np.zeros((7, 5), dtype=int)
    for row, column, rows, columns in rectangles(chosen.copy()):
        covered[row : row + rows, column : column + columns] += 1
    assert covered.tolist() == chosen.astype(int).tolist()


def test_a_figure_is_not_changed_by_being_drawn():
    figure = map_of([0.0, 1.0])
    svg(figure)
    assert [len(ax.patches) for ax in figure.axes] == [0, 0]
    assert figure.axes[0].images[0].get_visible()
