"""Which groups, as the contract takes it."""

from posenc_lib import Slots
from posenc_lib.rotary import WhichGroupsBias
from tests.contract.method import H, Method

# Each form of the method has an entry here, of which the first has the page's name: it is put into attention and into
# the Transformer, trained for a step and decoded with caches. An entry says which exported names it uses, and whether
# only distances count; `Method` in tests/contract/method.py says what else it takes. A public name that no entry uses
# gets its reason: NO_METHOD = {"name": "a part of …"}. Delete these lines, then:
#   .venv/bin/python -m pytest tests/contract -k which-groups
METHODS = {"which-groups": lambda: Method((WhichGroupsBias,), relative=True, slots=Slots(bias=WhichGroupsBias(H)))}
