"""Positional encodings of Transformers: each derived, implemented and verified in the book of this repository.

Position can act in three places, and the sub-packages are sorted by them: `absolute` is added to the
embeddings, `rotary` is applied to queries and keys, `relative` is added to the scores.
"""
