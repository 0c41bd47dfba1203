"""Which backends of torch.compile can run on this machine."""

import shutil

import torch

# Inductor writes C++, and does not quote paths: torch in a folder with a space in its name is beyond it.
INDUCTOR = shutil.which("g++") is not None and " " not in torch.__file__
BACKENDS = ["aot_eager"] + ["inductor"] * INDUCTOR
