"""How figures look: narrow, so that their words can still be read on a phone."""

from bookkit.colours import COOL, GRID, INK, PAPER, QUIET, WARM

WIDTH = 4.8  # inches: a phone shows it in about its own size
STYLE = {
    "figure.figsize": (WIDTH, 2.8),
    "figure.dpi": 110,
    "figure.facecolor": PAPER,  # a notebook may be dark; the site leaves the ground out
    "figure.constrained_layout.use": True,
    "font.size": 11.5,
    "figure.labelsize": 11.5,
    "axes.labelsize": 11.5,
    "axes.titlesize": 11.5,
    "axes.facecolor": "none",
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
}
CURVES = [  # told apart by dash and lightness, without colour
    {"color": INK, "linestyle": "-"},
    {"color": COOL, "linestyle": "--"},
    {"color": QUIET, "linestyle": ":"},
    {"color": WARM, "linestyle": "-."},
]
