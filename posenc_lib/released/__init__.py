"""Configurations of released models: a reader of what transformers writes, not an encoding."""

from posenc_lib.released.layer import layers
from posenc_lib.released.rope import released_rope
from posenc_lib.released.spelling import spell

__all__ = ["layers", "released_rope", "spell"]
