"""A real released model, in plain torch: SmolLM2-135M-Instruct, or any other file of a Llama-type model.

`gguf` and `safetensors` read what such files hold, `checkpoint` says what that is, and `model` makes the library's own
`Llama` of it. The one file that the book uses is fetched by `bookkit.smollm`.

    python -m bookkit.released_model               fetches SmolLM2-135M-Instruct, once: 93 MB
    python -m bookkit.released_model FILE          says what a file holds and what will be rotated
"""

from bookkit.released_model.model import ReleasedModel, load
from bookkit.smollm import fetch

__all__ = ["ReleasedModel", "fetch", "load"]
