"""`python -m posenc_lib.released config.json`: what each layer of a released model does with positions."""

from __future__ import annotations

import sys

from posenc_checks.doctor.command import main

if __name__ == "__main__":
    sys.exit(main())
