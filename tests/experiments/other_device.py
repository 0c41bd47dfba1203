"""Each contestant named runs forward and backward on a device that holds no numbers: prints its name, or fails.

torch refuses what is on two devices. Fake tensors on "cuda" have no gradients where torch is built without it, so the
device is one that Python may name. What a bias reads from positions is put in its place, as on a GPU it is read.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

from experiments.larger_parts import CONTESTANTS, LARGE, Model, scaled
from posenc_lib.border.precision import Exact
from posenc_lib.relative import distance

DEVICE, SIZE = "other", replace(LARGE, layers=2)  # a further layer has nothing new


def moved(model: Model) -> Model:
    """As `.to(device)`, which exchanges parameters in a way that fake tensors do not allow."""
    for module in model.modules():
        if isinstance(module, Exact):
            module._apply(lambda x: x.to(DEVICE))
        for name, weight in module._parameters.items():
            module._parameters[name] = None if weight is None else nn.Parameter(weight.detach().to(DEVICE))
    return model


def run(name: str) -> None:
    torch.manual_seed(0)
    with FakeTensorMode(allow_non_fake_inputs=False):
        model = moved(Model(CONTESTANTS[name], SIZE))
        tokens = torch.zeros(SIZE.batch, SIZE.trained + 1, dtype=torch.long, device=DEVICE)
        model.losses(tokens).mean().backward()
        assert all(each.grad.device.type == DEVICE for each in model.parameters())
        for slots in scaled(SIZE, 8).values() if name == "rotary" else ():
            model.use(slots)
            moved(model).losses(tokens)


if __name__ == "__main__":
    _setup_privateuseone_for_python_backend(DEVICE)
    for consecutive in (True, False):
        distance.consecutive = lambda positions, answer=consecutive: answer
        distance.all_distances = lambda q, k, width=1: torch.arange(1 - len(k), len(q), device=q.device)
        for name in sys.argv[1:]:
            run(name)
    print(*sys.argv[1:], sep="\n")
