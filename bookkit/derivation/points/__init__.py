"""Is it contradicted? Points at which the hypotheses hold, and the values of both sides there, without any proof."""
