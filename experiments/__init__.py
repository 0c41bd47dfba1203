"""Encodings measured side by side: tiny causal models, equal but for their positions."""
