"""A figure as SVG: words stay words, maps are cells, and the same figure is the same text every time.

Where this is imported in a notebook, every figure is shown so, and the site puts it into the page.
"""

from __future__ import annotations

import io

import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from bookkit.colours import INK
from bookkit.drawing.cells import set_aside
from bookkit.drawing.labels import name_ends
from bookkit.drawing.slim import slim
from bookkit.drawing.style import STYLE, WIDTH

FIXED = {"svg.fonttype": "none", "svg.hashsalt": "figure"}
SAYS = dict.fromkeys(("Creator", "Date", "Format", "Type"))


def svg(figure: Figure) -> str:
    """The figure as one element for a page, without a date or anything else that changes by itself."""
    match(figure)
    name_ends(figure)
    file = io.BytesIO()
    with plt.rc_context(FIXED), set_aside(figure) as cells:
        figure.savefig(file, format="svg", metadata=SAYS)
    return slim(file.getvalue().decode(), cells)


def match(figure: Figure) -> None:
    """What an author sets outside our functions looks like the rest: words that a phone shows large enough, in ink."""
    figure.set_figwidth(min(figure.get_figwidth(), WIDTH))
    for legend in figure.findobj(Legend):
        legend.set_frame_on(False)
    for words in figure.findobj(Text):
        words.set_fontsize(max(words.get_fontsize(), STYLE["font.size"]))
        if words.get_color() == "black":
            words.set_color(INK)


def show_as_svg() -> None:
    """In a notebook every figure is shown in this form, and in no other. Anywhere else nothing happens."""
    from IPython import get_ipython

    if shell := get_ipython():
        import matplotlib_inline.backend_inline  # noqa: F401  (which would ask for PNG when it comes later)

        shell.display_formatter.formatters["image/png"].pop(Figure, None)
        shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, svg)


show_as_svg()
