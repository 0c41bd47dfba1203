"""Writes the table of released models into its page: `python -m tools.released_models`. It takes some minutes.

Each text model of the installed transformers, by the defaults of its class: a row for each thing that its layers do,
and whether a tiny model of the same class does so, too.
"""

from __future__ import annotations

import json
import logging
import re
import warnings
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from typing import Any

from bookkit.tables import Table
from posenc_checks.doctor.probe import disagreements, probed
from posenc_checks.doctor.told import alike, chooses, scaled
from posenc_lib.released.layer import Layer, layers
from posenc_lib.released.models import kinds
from tools.book import ROOT

PAGE = ROOT / "book" / "practice" / "released-models.md"
ENOUGH = 12
"""Layers of a tiny model: the patterns of all classes repeat sooner."""
COLUMNS = {"model": "Model type", "layers": "Layers", "encoding": "Encoding", "base": "Base", "slice": "Rotated"}
COLUMNS |= {"layout": "Pairs", "scaling": "Scaling", "window": "Window", "also": "Also", "probe": "Tiny model"}


def families() -> Iterator[tuple[str, dict[str, Any]]]:
    """The text models that transformers makes by their name, and whose class has defaults."""
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    for model in MODEL_MAPPING_NAMES:
        try:
            config = defaults(model)
        except Exception:  # whatever a class raises: it has no such defaults
            continue
        if config.get("vocab_size") and kinds(config) and "text_config" not in config:
            yield model, config


def defaults(model: str) -> dict[str, Any]:
    """Of its class, as config.json would have them, with twelve layers."""
    from transformers import CONFIG_MAPPING

    return json.loads(json.dumps(CONFIG_MAPPING[model](num_hidden_layers=ENOUGH).to_dict(), default=str))


def rows(model: str, config: dict[str, Any]) -> list[dict[str, Any]]:
    """None for a model that the reader refuses."""
    try:
        found = layers(config, handled=["model_type"])
    except (TypeError, ValueError):
        return []
    common = {"model": model, "probe": witness(config, found)}
    return [common | told(layer, len(same), len(found)) for layer, same in alike(found).items()]


def told(layer: Layer, same: int, of: int) -> dict[str, Any]:
    kind = (layer.kind or "").removesuffix("_attention").replace("_", " ")
    also = [*(["sink"] if layer.sink else []), *([chooses(layer.indexer)] if layer.indexer else [])]
    common = {"layers": f"{same} of {of} {kind}".strip(), "encoding": layer.encoding, "also": "; ".join(also)}
    common |= {"window": layer.window or ""}
    if layer.base is None:
        return common
    return common | {
        "base": f"{layer.base:.10g}",
        "slice": f"{layer.rotated_features} of {layer.head_features}",
        "layout": layer.layout or "",
        "scaling": scaled(layer),
    }


def witness(config: dict[str, Any], found: list[Layer]) -> str:
    """Encodings that are added to embeddings or scores have none."""
    if not {"rotary", "none"} & {layer.encoding for layer in found}:
        return ""
    try:
        differ = disagreements(found, probed(config))
    except ValueError:
        return "not made"
    return f"differs: {differ[0]}" if differ else "agrees"


def table() -> str:
    made = [row for model, config in families() for row in rows(model, config)]
    said = {row["model"]: row["probe"] for row in made}
    caption = f"{len(said)} model types of transformers {version('transformers')}, {date.today():%-d %B %Y}"
    agree = sum(each == "agrees" for each in said.values())
    caption += ", by the defaults of their classes, NOT of released checkpoints"
    caption += f"; for {agree} a tiny model was built, and agrees"
    return f"```{{raw}} html\n{Table(made, COLUMNS, caption)._repr_html_()}\n```"


def main() -> None:
    logging.disable(logging.CRITICAL)  # configurations talk about their defaults
    warnings.simplefilter("ignore")
    page, made = PAGE.read_text(encoding="utf-8"), table()
    PAGE.write_text(re.sub(r"```\{raw\} html\n.*?```", lambda _: made, page, flags=re.S), encoding="utf-8")
    print(re.search("<caption>(.*)</caption>", made)[1])


if __name__ == "__main__":
    main()
