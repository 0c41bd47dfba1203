"""What one or two pages read: whoever changes a file here has only those pages to look at.

`french_numbers` and `comparison` stand outside. The sealed comparison imports both by name, and its hash covers those
lines too.
"""
