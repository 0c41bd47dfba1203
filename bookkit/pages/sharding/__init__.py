"""A text that is split into shards: simulated on one process, and on several."""
