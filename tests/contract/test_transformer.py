"""Every method in the library's own Transformer: trained for one step, and decoded with caches."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from posenc_lib import causal_mask
from posenc_lib.transformer import Cache, Transformer
from tests.contract.method import D_MODEL, H, Method
from tests.contract.methods import METHODS

SOURCE, TARGET = (
    torch.tensor([[5, 1, 4, 1, 3], [2, 6, 0, 3, 3]]),
    torch.tensor([[1, 2, 3, 4, 0, 2], [4, 3, 3, 1, 5, 0]]),
)
N_SOURCE, N_TARGET = SOURCE.shape[1], TARGET.shape[1]

pytestmark = pytest.mark.usefixtures("float64")


class Embedding(nn.Module):
    """In the place of `TokenEmbedding`, for a method that makes content and position in one."""

    def __init__(self, n_tokens: int, embed: nn.Module) -> None:
        super().__init__()
        self.table, self.embed = nn.Embedding(n_tokens, D_MODEL), embed

    def forward(self, tokens, positions):
        return self.embed(self.table(tokens), positions)


def transformer(method: Method) -> Transformer:
    model = Transformer(
        7, 6, d_model=D_MODEL, h=H, d_ff=16, n_layers=2, dropout=0.0,
        source_position=method.embedding, target_position=method.embedding,
        source_slots=method.slots, target_slots=method.slots,
    )  # fmt: skip
    if method.embed is not None:
        model.embed_source, model.embed_target = Embedding(7, method.embed), Embedding(6, method.embed)
    return model.double()


@pytest.fixture(params=METHODS)
def method(request):
    return METHODS[request.param]()


@pytest.fixture
def model(method):
    return transformer(method)


def scores(model, method):
    where = {"source_positions": method.positions(N_SOURCE), "target_positions": method.positions(N_TARGET - 1)}
    return model(SOURCE, TARGET[:, :-1], **where)


def loss(model, method):
    return F.cross_entropy(scores(model, method).flatten(0, 1), TARGET[:, 1:].flatten())


def test_one_step_of_training_reaches_every_parameter_and_lowers_the_loss(model, method):
    if method.positions is not torch.arange:  # the same draw before and after the step
        fixed = {n: method.positions(n) for n in (N_SOURCE, N_TARGET - 1)}
        method = Method(method.uses, method.relative, method.embedding, method.slots, fixed.get, method.embed)
    optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
    before = loss(model, method)
    before.backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    assert [name for name, grad in gradients.items() if grad is None or not grad.isfinite().all()] == []
    optimiser.step()
    assert loss(model, method) < before


def test_decoding_with_caches_gives_the_scores_of_the_full_pass(model, method):
    positions, memory = method.positions(N_TARGET), model.encode(SOURCE)
    full = model.decode(TARGET, memory, positions=positions)
    caches = [Cache() for _ in model.decoder.layers]
    for chunk in (slice(0, 2), slice(2, 3), slice(3, N_TARGET)):
        new = model.decode(TARGET[:, chunk], memory, positions=positions[chunk], caches=caches)
        torch.testing.assert_close(new, full[:, chunk], rtol=0, atol=1e-11)


def test_the_encoder_with_caches_is_a_decoder_only_model(model, method):
    """Layer by layer, token by token, under a causal mask."""
    positions = method.positions(N_SOURCE)
    x = model.embed_source(SOURCE, positions)
    full = model.encoder(x, mask=causal_mask(positions, positions), positions=positions)
    caches = [Cache() for _ in model.encoder.layers]
    steps = [model.encoder(x[:, [t]], positions=positions[[t]], caches=caches) for t in range(N_SOURCE)]
    torch.testing.assert_close(torch.cat(steps, dim=1), full, rtol=0, atol=1e-11)


def test_all_layers_of_the_model_share_the_slots_that_it_is_given(model, method):
    layers = [*model.encoder.layers, *model.decoder.layers]
    assert all(layer.self_attention.slots is method.slots for layer in layers)
