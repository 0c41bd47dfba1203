"""Has it a value? What a line needs to have one all over its domain, and whether that is shown."""
