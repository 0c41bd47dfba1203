"""No position at all: what the contract says of `none` only."""

from tests.contract.method import Method

METHODS = {"none": lambda: Method((), relative=True)}
