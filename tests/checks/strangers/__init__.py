"""Code of strangers: 180 faulty functions and 75 right ones, in other people's styles.

They were written by somebody who had not read the rules of `posenc_checks`, and before any of them was run; those in
`rotary_later` and `bias_t5` followed a first run of the others. The texts of the 45 styles were written from memory,
after well-known code. The other cases are made of them by changing a line or two.

They are a held-out set: they say how the checker does with code that it was not made for. So a rule is not made for one
of these cases alone. The grade of a name (`NOTICED` in `case`) is a person's judgement of the names in `faults`; other
names need a new judgement.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

FILES = sorted({module.name for module in iter_modules(__path__)} - {"case", "formulas", "proof"})
CASES = [case for file in FILES for case in import_module(f"{__name__}.{file}").CASES]
