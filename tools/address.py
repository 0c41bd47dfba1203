"""Where the repository is: the address that `make repository` has set, or else the GitHub `origin` of this clone.

Until one of the two is there, nobody can follow a link to the repository, so the site shows none; and none to Colab
until it is set, since its notebooks would install from nowhere. A line of a page that holds the placeholder is left out
whole, so write it so that it can go; what is about Colab stands between `<!-- if colab -->` and `<!-- end if -->`. In a
fork, the workflow that publishes the site sets the address by itself. Switch Pages on once: Settings, Pages, Source:
GitHub Actions. The standard library and yaml are all that this needs, because every build of the site asks.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import yaml

PLACEHOLDER = "OWNER/REPOSITORY"
ORIGIN = re.compile(
    r"(?:https://|ssh://)?(?:[^@/]+@)?github\.com[:/]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_.-]+?)(?:\.git)?/?"
)
# What a page says only where Colab can open its chapters.
COLAB = re.compile(r"(?ms)^<!-- if colab -->\n(.*?)^<!-- end if -->\n")
# As long as it is unknown, a line that holds the address is left out, so such a line must be one that can go.
UNKNOWN = re.compile(rf"(?m)^.*{PLACEHOLDER}.*\n")


def written(root: Path) -> str:
    """The address that _config.yml gives, as owner/name; it may be the placeholder."""
    config = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))
    return config["repository"]["url"].removeprefix("https://github.com/")


def is_set(root: Path) -> bool:
    """Whether the files name a real address. Then Colab can install the library, as the notebooks tell it to."""
    return written(root) != PLACEHOLDER


def origin(root: Path) -> str | None:
    """The GitHub repository that this clone came from, as owner/name."""
    command = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        url = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:  # no git: a folder that was unpacked
        return None
    match = ORIGIN.fullmatch(url)
    return match[1] if match else None


def known(root: Path) -> str | None:
    return written(root) if is_set(root) else origin(root)


def site(root: Path) -> str:
    """Where GitHub publishes the site; nothing as long as that is unknown."""
    owner, _, repository = (known(root) or "").partition("/")
    return f"https://{owner.lower()}.github.io/{repository}/" if owner else ""


def links(name: str) -> list[tuple[re.Pattern[str], str]]:
    """How the repository and its site are linked to: each as a pattern and as the text itself."""
    owner, repository = name.split("/")
    texts = [f"github.com/{name}", f"github/{name}", f"{owner}.github.io/{repository}"]
    return [(re.compile(re.escape(text) + r"(?![\w-])"), text) for text in texts]


def replaced(text: str, old: str, new: str) -> str:
    """The text with every link to `old` leading to `new`."""
    for (pattern, _), (_, link) in zip(links(old), links(new), strict=True):
        text = pattern.sub(lambda match, link=link: link, text)
    return text


def page(text: str, root: Path) -> str:
    """A page as its readers get it: with the address where it is known, and without what they could not follow."""
    kept = COLAB.sub(r"\1" if is_set(root) else "", text)
    name = known(root)
    return replaced(kept, PLACEHOLDER, name) if name else UNKNOWN.sub("", kept)


def notebook(text: str, root: Path) -> str:
    """A notebook as its readers download it: a cell that would install from nowhere is left out."""
    if known(root):
        return page(text, root)
    content = json.loads(text)
    content["cells"] = [cell for cell in content["cells"] if PLACEHOLDER not in "".join(cell["source"])]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
