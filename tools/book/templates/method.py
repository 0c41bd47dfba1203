"""TITLE, as the contract takes it."""

from posenc_lib import Slots
from posenc_lib.ROOM import CLASS
from tests.contract.method import H, Method

# Each form of the method has an entry here, of which the first has the page's name: it is put into attention and into
# the Transformer, trained for a step and decoded with caches. An entry says which exported names it uses, and whether
# only distances count; `Method` in tests/contract/method.py says what else it takes. A public name that no entry uses
# gets its reason: NO_METHOD = {"name": "a part of …"}. Delete these lines, then:
#   .venv/bin/python -m pytest tests/contract -k NAME
METHODS = {"NAME": lambda: Method((CLASS,), relative=True, slots=Slots(bias=CLASS(H)))}
