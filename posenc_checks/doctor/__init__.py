"""The doctor for positions: what each layer of a released model does, by its configuration and by a tiny model."""
