"""Residue numbers, as the contract takes them."""

import torch

from posenc_lib import Slots
from posenc_lib.shapes import ResidueBias, gapped_residues, residue_bins
from tests.contract.method import H, Method

CHAINS = torch.tensor([[0, 0, 0, 1, 1], [0, 1, 1, 2, 2]])
RESIDUES = torch.tensor([[1, 2, 3, 1, 2], [7, 1, 2, 5, 9]])


def proteins() -> Method:
    return Method((ResidueBias, residue_bins), relative=True, slots=Slots(bias=ResidueBias(H, reach=4)))


def gapped() -> Method:
    """Two chains, of which the second begins at the fifth residue."""
    return Method(
        (ResidueBias, gapped_residues),
        relative=True,
        slots=Slots(bias=ResidueBias(H, reach=4)),
        positions=lambda n: gapped_residues((torch.arange(n) > 3).long(), gap=10),
    )


METHODS = {"proteins": proteins, "gapped_residues": gapped}
NO_METHOD = {
    "chain_bins": "takes the chains of the residues, which are no positions",
    "pair_features": "makes features of pairs, from which layers make a bias",
}
ARGUMENTS = {
    "residue_bins": lambda: [{"distances": torch.arange(-5, 6), "reach": 2}],
    "chain_bins": lambda: [{"residues": RESIDUES, "chains": CHAINS}],
    "pair_features": lambda: [{"residues": RESIDUES, "chains": CHAINS, "entities": CHAINS // 2, "copies": CHAINS % 2}],
    "gapped_residues": lambda: [{"chains": CHAINS, "gap": 200}],
}
