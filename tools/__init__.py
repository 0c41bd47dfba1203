"""What the Makefile calls."""

import sys

# jsonschema, and with it all that reads notebooks, checks addresses in foreign letters where this package is there.
# It takes two seconds to import, and no notebook holds such an address.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
