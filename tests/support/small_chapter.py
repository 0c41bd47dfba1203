"""A small chapter with a sum and a line, to be brought together and to be spoilt; and two pictures of four pixels."""

BLANK = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8//8/AwMDEwMDAwMDAwAkBgMB/DXemwAAAABJRU5ErkJggg=="
DOTS = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGNgYGD4//8/0////xkYGAAp8gX9PrPXDAAAAABJRU5ErkJggg=="
TEXT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
    format_version: 0.13
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

```{code-cell}
:tags: [remove-cell]

import sys

if "google.colab" in sys.modules:
    %pip install -q "posenc-lib[book] @ git+https://github.com/OWNER/REPOSITORY"
```

# A line

A line goes up.

```{code-cell}
2 + 2
```

```{code-cell}
---
mystnb:
  image:
    alt: A line that goes up.
  figure:
    caption: The line goes up.
    name: fig-line
---
import bookkit.drawing
import matplotlib.pyplot as plt

plt.plot([0, 1])
plt.show()
```
"""
