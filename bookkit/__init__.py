"""What the chapters import besides the encodings: derivations, figures, pictures that move, the running example."""
