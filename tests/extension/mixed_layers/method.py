"""Layers that see a part of the text, as the contract takes them."""

from posenc_lib import Slots
from posenc_lib.extension import Chunked, SlidingWindow
from tests.contract.method import Method

METHODS = {
    "sliding window": lambda: Method((SlidingWindow,), relative=True, slots=Slots(bias=SlidingWindow(4))),
    "chunks": lambda: Method((Chunked,), relative=False, slots=Slots(bias=Chunked(4))),
}
