"""What the chapters import besides the encodings: checked derivations, figures, quoted source, the running example."""
