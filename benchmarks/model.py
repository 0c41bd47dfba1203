"""A released model, ours beside the Llama of transformers on the same weights, and with other encodings in its place.

Prefill reads 1,024 tokens at once; decoding adds 64, one by one, with a cache. The weights are those of SmolLM2-135M in
float32. A ratio is to transformers' own Llama, which rotates and attends by `scaled_dot_product_attention`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from benchmarks.measure import Row, device, ratios
from bookkit.released_model import ReleasedModel, load, safetensors
from bookkit.released_model.checkpoint import named_back
from posenc_lib import Slots
from posenc_lib.relative import Alibi, T5Bias, alibi_slopes
from posenc_lib.transformer import continued

THEIRS, PREFILL, DECODE = "transformers Llama", "prefill", "decode"


class Case(NamedTuple):
    form: str
    compiled: bool
    n: int
    steps: int
    rounds: int

    def __str__(self) -> str:
        return f"{self.form}{', compiled' if self.compiled else ''}"


def cases(quick: bool) -> list[Case]:
    if quick:
        return [Case(form, False, 16, 2, 1) for form in (PREFILL, DECODE)]
    return [Case(PREFILL, False, 1024, 0, 5), Case(PREFILL, True, 1024, 0, 5), Case(DECODE, False, 64, 64, 3)]


def measure(case: Case, *, threads: int) -> list[Row]:
    ours, ids = load(layout="half"), torch.arange(case.n, device=device())[None] + 1_000
    theirs = as_transformers(ours).to(device())
    ours.model.to(device())
    with torch.no_grad():
        found = ratios(dict(candidates(case, ours, theirs, ids)), THEIRS, threads=threads, rounds=case.rounds)
    layer = ours.model.layers[0]
    common = {"form": str(case), "n": case.n + case.steps, "heads": layer.to_q.out_features // layer.d_head}
    common |= {"features": layer.d_head, "dtype": "float32", "threads": threads}
    return [{"method": name, **common, **ratio} for name, ratio in found.items()]


def candidates(
    case: Case, ours: ReleasedModel, theirs: LlamaForCausalLM, ids: Tensor
) -> Iterator[tuple[str, Callable[[], object]]]:
    if case.form == DECODE:
        steps = {"max_new_tokens": case.steps, "min_new_tokens": case.steps, "do_sample": False}
        yield THEIRS, partial(theirs.generate, ids, **steps)
        for name, slots in encodings(ours).items():
            yield name, partial(continued, ours.model, ids, case.steps, slots=slots)
        return
    as_run = torch.compile if case.compiled else lambda model: model
    yield THEIRS, partial(as_run(theirs), ids, use_cache=False)
    for name, slots in encodings(ours).items():
        yield name, partial(as_run(ours.model), ids, slots=slots)


def encodings(ours: ReleasedModel) -> dict[str, Slots]:
    """The model's own, none, and biases in its place: what they cost, not what they are good for."""
    h = ours.config["num_attention_heads"]
    return {
        "rotary": ours.slots(),
        "none": Slots(),
        "ALiBi": Slots(bias=Alibi(alibi_slopes(h)).to(device())),
        "T5": T5Bias(h, bidirectional=False).to(device()).slots(),
    }


def as_transformers(ours: ReleasedModel) -> LlamaForCausalLM:
    """The same weights in the Llama of transformers, which pairs halves."""
    kept = {key: value for key, value in ours.config.items() if key != "rope_scaling" and value is not None}
    theirs = partial(named_back, safetensors.NAMES, safetensors.LAYER, "model.layers.")
    config = LlamaConfig(**kept, vocab_size=ours.model.embed.num_embeddings, tie_word_embeddings=True)
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    model.load_state_dict({theirs(name): x for name, x in ours.model.state_dict().items()}, assign=True)
    model.model.rotary_emb = type(model.model.rotary_emb)(config)  # its frequencies are no weights
    return model.eval()


def remarks(rows: list[Row]) -> Iterator[str]:
    """What positions take of the whole, in each form."""
    for form in dict.fromkeys(row["form"] for row in rows):
        of = {row["method"]: row["median"] for row in rows if row["form"] == form}
        shares = ", ".join(f"{name} {1 - of['none'] / of[name]:.0%}" for name in of if name not in (THEIRS, "none"))
        yield f"{form}: positions take {shares} of ours"
