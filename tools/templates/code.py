"""TITLE: its function by another route, and what it refuses."""

from __future__ import annotations

import pytest
import torch

from posenc_lib.ROOM import MODULE


def test_it_is_what_a_loop_gives():
    distances = torch.arange(-6, 7)
    by_loop = torch.tensor([-0.25 * k for k in distances.tolist()], dtype=torch.float64)
    torch.testing.assert_close(MODULE(distances, slope=0.25), by_loop, rtol=0, atol=0)


@pytest.mark.parametrize("slope", [0.0, -1.0, float("inf"), float("nan")])
def test_a_slope_that_is_no_price_is_refused(slope):
    with pytest.raises(ValueError, match=rf"slope must be positive and finite; got {slope}"):
        MODULE(torch.arange(3), slope=slope)


# While testing, the types in signatures are checked: the checker would refuse first. In use, our error has to do it.
@pytest.mark.usefixtures("as_in_use")
def test_distances_that_are_no_integers_are_refused():
    with pytest.raises(TypeError, match=r"a distance counts tokens, so distances must be integers; got torch\.float32"):
        MODULE(torch.ones(3))
