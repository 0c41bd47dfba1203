"""Transitions, as the contract takes them: they take the place of attention, so they fill none of its slots."""

from tests.support.weights import normal

_REASON = "takes the place of attention: there is no softmax, and a state instead of cached keys"
NO_METHOD = {
    "recurrent": _REASON,
    "chunked": _REASON,
    "transition_scores": "the scores of attention without a softmax, made from q, k and the tokens' own matrices",
    "decays": "makes transitions, for recurrent",
    "turns": "makes transitions, for recurrent",
    "reflections": "makes transitions, for recurrent",
    "retention_decays": "RetNet's constants, for decays",
}
ARGUMENTS = {
    **dict.fromkeys(
        ("recurrent", "chunked", "transition_scores"), lambda: [{"transitions": normal(2, 2, 4, 8, 8).float() / 4}]
    ),
    "reflections": lambda: [{"beta": normal(2, 2, 4).float()}],
}
