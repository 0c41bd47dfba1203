"""The ledger: each claim with its formula, the chapter that derives it, and the tests that verify it in numbers.

The formulas are read from the stored outputs of the notebooks, which keep a record of every derivation with a claim.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bookkit.derivation.display import CLAIM, under
from tools.chapters import ROOT, Page, chapters, summary
from tools.claims import tested


def records(page: Page, root: Path = ROOT) -> dict[str, list[dict]]:
    """Claim → what the chapter's notebook keeps of its derivations, in the chapter's order."""
    found = defaultdict(list)
    for cell in json.loads((root / page.file).read_text(encoding="utf-8"))["cells"]:
        for output in cell.get("outputs", []):
            if CLAIM in output.get("data", {}):
                found[output["data"][CLAIM]["claim"]].append(output["data"][CLAIM])
    return dict(found)


def text(root: Path = ROOT) -> str:
    tests = tested()
    proved = [(page, records(page, root)) for page in chapters(root)]
    return "\n\n".join(block for page, found in proved if found for block in chapter(page, found, tests, root))


def chapter(page: Page, found: dict[str, list[dict]], tests: dict[str, list[str]], root: Path = ROOT) -> Iterator[str]:
    title = summary(page, root).title
    yield f"## {title}"
    for claim, proofs in found.items():
        yield f"### `{claim}`"
        for proof in proofs:
            yield formula(proof)
            steps = f"{proof['steps']} checked step{'s' * (proof['steps'] != 1)}"
            yield f"Derived in [{title}](../{page.name}.ipynb), in {steps}."
        yield "Verified by"
        yield "\n".join(f"- `{test}`" for test in tests.get(claim, []))


def formula(proof: dict) -> str:
    return rf"$$\begin{{aligned}} {under(proof['hypotheses'])}& {proof['statement']} \end{{aligned}}$$"
