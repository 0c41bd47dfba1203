"""torch's `flex_attention` without its warning that it is slow where it is not compiled."""

import warnings

from torch.nn.attention.flex_attention import flex_attention


def flex(q, k, v, score_mod, **options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "flex_attention called without torch.compile")
        return flex_attention(q, k, v, score_mod=score_mod, **options)
