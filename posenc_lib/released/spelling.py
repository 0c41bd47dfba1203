"""One setting, spelled for each program that reads it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, NamedTuple

from posenc_lib.border import border, one_of
from posenc_lib.released.dictionaries import sglang, transformers4, transformers5, vllm
from posenc_lib.released.engines import exllamav2, exllamav3, llama_cpp, tabbyapi
from posenc_lib.released.said import Said, every_layer
from posenc_lib.released.setting import Inexpressible, Setting, cannot
from posenc_lib.released.values import features, length, mapping, names

__all__ = ["spell"]


class Program(NamedTuple):
    """How settings are written for a program, and of which version that was read."""

    write: Callable[[dict[str | None, Said]], Setting]
    version: str


PROGRAMS = {
    "transformers4": Program(transformers4, "transformers 4.57.6"),
    "transformers5": Program(transformers5, "transformers 5.23.0"),
    "vllm": Program(vllm, "vLLM 0.33.0"),
    "sglang": Program(sglang, "SGLang 0.5.23"),
    "llama.cpp": Program(llama_cpp, "llama.cpp 0c1e57098"),
    "exllamav2": Program(exllamav2, "exllamav2 da07facd"),
    "exllamav3": Program(exllamav3, "exllamav3 4f8ad012"),
    "tabbyapi": Program(tabbyapi, "TabbyAPI e632af41"),
}


OF_A_PART = "If the whole config.json has a text_config, this belongs inside it: at the top it is ignored in silence."

Name = Literal["transformers4", "transformers5", "vllm", "sglang", "llama.cpp", "exllamav2", "exllamav3", "tabbyapi"]


@border(config=mapping, program=one_of(Name), n=length, d=features, handled=names)
def spell(
    config: Mapping[str, Any],
    program: Name,
    *,
    n: int | None = None,
    d: int | None = None,
    handled: Collection[str] = (),
) -> Setting:
    r"""The setting by which another program gets the frequencies and the attention factor of a released configuration.

    $$\text{config} \mapsto \text{text}, \qquad \text{program}(\text{text}) = (\theta_0, \dots, \theta_{r/2-1};\; a)$$

    The programs are transformers4, transformers5, vllm, sglang, llama.cpp, exllamav2, exllamav3 and tabbyapi, each as
    read in one version. The text is a command, or what to write into config.json; the note says what else matters. n is
    the longest text to serve, by default `max_position_embeddings`: where a program has one table for texts of all
    lengths, its table is that of n tokens. `d` and `handled` are those of `released_rope`; what is handled is repeated
    where an override would drop it. Where layers differ, all of them are written. If the configuration has a
    `text_config`, the setting stands where the program reads it.

    Refused: what `released_rope` refuses, and what the program cannot say, with the reason.

    Source: the code of each program at the version that stands in the error and on the command line.

    >>> config = {"head_dim": 4, "rope_theta": 10_000.0, "rope_scaling": {"type": "linear", "factor": 4.0}}
    >>> spell(config, "llama.cpp", n=4_096).text
    'llama-server -m MODEL.gguf -c 4096 --rope-freq-base 10000.0 --rope-scaling linear --rope-scale 4.0'
    """
    try:
        if not (layers := every_layer(config, n, d, handled)):
            raise cannot("no layer is rotated, so there is nothing to set")
        setting = PROGRAMS[program].write(layers)
    except Inexpressible as error:
        raise ValueError(f"{PROGRAMS[program].version} cannot say this: {error}") from None
    of_a_part = str(config.get("model_type")).endswith("_text")
    return setting._replace(note=f"{setting.note} {OF_A_PART}".strip()) if of_a_part else setting
