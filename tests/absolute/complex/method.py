"""Complex embeddings, as the contract takes them."""

from torch import Tensor, nn

from posenc_lib.absolute import ComplexEmbedding, complex_order
from posenc_lib.pairs import join_pairs
from tests.contract.method import D_MODEL, Method
from tests.support.weights import normal


class Waves(nn.Module):
    """Each feature of the content is the amplitude of a wave, here as real and imaginary part."""

    def __init__(self) -> None:
        super().__init__()
        self.freqs = nn.Parameter(normal(D_MODEL // 2, seed=4))

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        waves = complex_order(positions, x[..., : D_MODEL // 2], self.freqs)
        return join_pairs(waves.real, waves.imag, "half")


METHODS = {"complex": lambda: Method((complex_order, ComplexEmbedding), relative=False, embed=Waves())}
UNCHECKED = dict.fromkeys(
    ("complex_order.freqs", "complex_order.phases", "ComplexEmbedding.freqs", "ComplexEmbedding.phases"),
    "they are learned, and what is learned is not read at each step",
)
