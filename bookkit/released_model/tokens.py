"""The tokenizer of a file, where it is one that is known here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTROL = 3
BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False)


def from_gguf(fields: Mapping[str, Any]) -> Tokenizer | None:
    """Byte-level BPE that takes digits one by one, as SmolLM has it; of other kinds a GGUF file holds the name only."""
    if fields.get("tokenizer.ggml.pre") != "smollm":
        return None
    words = fields["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ", 1)) for merge in fields["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE({word: i for i, word in enumerate(words)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BYTES])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = fields["tokenizer.ggml.token_type"]
    tokenizer.add_special_tokens(
        [AddedToken(w, special=True) for w, k in zip(words, kinds, strict=True) if k == CONTROL]
    )
    return tokenizer


def beside(folder: Path) -> Tokenizer | None:
    """The tokenizer.json of a released folder."""
    file = folder / "tokenizer.json"
    return Tokenizer.from_file(str(file)) if file.is_file() else None
