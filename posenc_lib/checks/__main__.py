"""python -m posenc_lib.checks: the same as python -m posenc_checks, which it names."""

import sys

from posenc_checks.__main__ import main

if __name__ == "__main__":
    print("posenc_lib.checks is now posenc_checks: python -m posenc_checks does the same", file=sys.stderr)
    sys.exit(main())
