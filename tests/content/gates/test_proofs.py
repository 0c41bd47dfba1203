"""The derivations of content/gates, and the errors that people make in them."""

from tests.support.proofs import Mutant, Proofs, Refuted

# The mistakes that people make. A mutant has a name, a piece of a cell as it is, the piece as the mistake would have
# it, and the verdict that it must get: Refuted where a number contradicts it, Undecided where none can. The right piece
# stands in exactly one cell that derives, and only that cell is run again. Each line of each derivation is also spoilt
# by the tests themselves. Delete these lines, then, for one mutant, or without -k for all:
#   .venv/bin/python -m pytest tests/content/gates/test_proofs.py -k one-part-has-the-other-sign
MUTANTS = [
    Mutant("one part has the other sign", "f(j) + f(k)", "f(j) - f(k)", Refuted),
]


class TestProofs(Proofs):
    chapter = "content/gates"
    mutants = MUTANTS
