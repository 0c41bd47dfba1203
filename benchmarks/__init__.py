"""The library beside a plain copy, other libraries and attention without a bias: `make bench`."""
