"""The kinds of figure that the chapters draw.

The style is set here, once, and only inside these functions; the caller ends the cell with `plt.show()`.
"""

from bookkit.drawing.style import CURVES, STYLE
from bookkit.figures.lines import curves, loss_by_position, spread_curves
from bookkit.figures.maps import heatmaps
from bookkit.figures.questions import decision

__all__ = ["CURVES", "STYLE", "curves", "decision", "heatmaps", "loss_by_position", "spread_curves"]
