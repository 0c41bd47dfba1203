"""Positions that are counts, as the contract takes them: CoPE; and a text whose digits and segments repeat."""

import torch
from torch import Tensor, nn

from posenc_lib import Slots
from posenc_lib.absolute import Learned
from posenc_lib.content import CoPE, abacus_positions, coupled_positions, gate_counts, interpolated, segment_positions
from posenc_lib.relative import Alibi
from tests.contract.method import D, Method, rows

TEXT = 24  # tokens, over and over
ENDS = torch.isin(torch.arange(TEXT), torch.tensor([1, 5, 6, 12, 15, 22]))  # of numbers, and of segments
SLOPES = torch.tensor([0.5, 0.25])


class OfText(nn.Module):
    """What `part` gives of the numbers that the tokens at these positions have."""

    def __init__(self, part: nn.Module, numbers: Tensor) -> None:
        super().__init__()
        self.part = part
        self.register_buffer("numbers", numbers)

    def forward(self, *positions: Tensor) -> Tensor:
        return self.part(*(self.numbers[at.long() % TEXT] for at in positions))


def numbered(numbers: Tensor, *uses: object, **slots: nn.Module) -> Method:
    return Method((Learned, *uses), relative=False, embedding=OfText(Learned(rows()), numbers), slots=Slots(**slots))


def bipe() -> Method:
    segments, within = segment_positions(ENDS)
    return numbered(within, segment_positions, Alibi, bias=OfText(Alibi(SLOPES), segments))


METHODS = {
    "counts": lambda: Method(
        (CoPE, gate_counts, interpolated), relative=True, ordinal=True, slots=Slots(content_bias=CoPE(D, rows=4))
    ),
    "counts, abacus": lambda: numbered(abacus_positions(~ENDS), abacus_positions),
    "counts, coupled": lambda: numbered(coupled_positions(~ENDS, torch.arange(TEXT) > 15), coupled_positions),
    "counts, bipe": bipe,
}
ARGUMENTS = {
    "CoPE": lambda: [{"rows": 3}],
    "gate_counts": lambda: [{"gates": torch.linspace(0, 1, 48).reshape(2, 4, 6)}],
    "interpolated": lambda: [{"counts": torch.linspace(0, 9, 48).reshape(2, 4, 6), "by_row": torch.ones(2, 4, 3)}],
    **dict.fromkeys(("abacus_positions", "coupled_positions"), lambda: [{"offset": 3}]),
}
