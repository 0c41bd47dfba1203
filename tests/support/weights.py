"""Random numbers for the tests, the same in every run."""

import torch


def normal(*shape, dtype=torch.float64, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).to(dtype)


def filled(module, seed=7):
    """The module in float64 with numbers large enough to be seen."""
    module = module.double()
    for i, parameter in enumerate(module.parameters()):
        parameter.data = normal(*parameter.shape, seed=seed + i)
    return module
