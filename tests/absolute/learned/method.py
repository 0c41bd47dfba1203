"""Learned tables, as the contract takes them."""

from posenc_lib.absolute import Learned, hierarchical
from tests.contract.method import Given, Method, rows

METHODS = {
    "learned": lambda: Method((Learned,), relative=False, embedding=Learned(rows())),
    "learned in blocks": lambda: Method((hierarchical,), relative=False, embedding=Given(hierarchical, rows()[:5])),
}
NO_METHOD = {"resample": "makes a longer table", "resample_grid": "makes another table"}
