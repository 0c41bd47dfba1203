"""Sparse attention, as the contract takes it: it chooses keys, which a mask says; position acts in the rotation."""

NO_METHOD = {
    "indexer_scores": "scores keys that are rotated already",
    "chosen_keys": "makes a mask of scores",
    "block_means": "pools keys before they are rotated",
}
ARGUMENTS = {"chosen_keys": lambda: [{"budget": 2}]}
UNCHECKED = {"chosen_keys.scores": "a key with the score -inf comes last"}
