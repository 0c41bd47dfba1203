"""Pictures that a reader can move: described once, with sympy's formulas and the library's numbers, drawn twice.

matplotlib draws a few still frames of a picture, for Colab, GitHub and paper; on the site a small script draws it
again, where sliders move it. Both evaluate the same formulas.
"""

from bookkit.movable.description import Axis, Choice, Movable, Say, Slider, rounded
from bookkit.movable.marks import Each, Mark, arrow, box, dots, draggable, line, named_arrow, only, text
from bookkit.movable.still import in_notebooks

Movable._repr_mimebundle_ = in_notebooks  # here: a description does not know how it is drawn

__all__ = [
    "Axis",
    "Choice",
    "Each",
    "Mark",
    "Movable",
    "Say",
    "Slider",
    "arrow",
    "box",
    "dots",
    "draggable",
    "line",
    "named_arrow",
    "only",
    "rounded",
    "text",
]
