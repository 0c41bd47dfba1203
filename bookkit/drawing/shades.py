"""The shades of one hue, from paper to full colour."""

from matplotlib.colors import LinearSegmentedColormap

from bookkit.colours import HUES, PAPER, below_zero


class Shades(LinearSegmentedColormap):
    """The shades of one hue; `both` has a second one below zero."""

    def __init__(self, hue: str, both: bool) -> None:
        self.hue, self.below = HUES[hue], below_zero(hue) if both else None
        super().__init__(hue, LinearSegmentedColormap.from_list(hue, self.stops())._segmentdata)

    def stops(self) -> list[str]:
        return [PAPER, self.hue] if self.below is None else [self.below, PAPER, self.hue]
