"""Rotations that are wrong under every convention."""

from posenc_checks.fault import Fault, thread

ALWAYS = {
    "identity": Fault(
        "nothing is rotated: every position gets the same vectors", "whether the rotated tensors are returned at all",
        claim="rotary.plane-solution",
    ),
    "only-one-rotated": Fault(
        "only the queries, or only the keys, are rotated", "the call for the other tensor",
        claim="rotary.relative-position",
    ),
    "senses-differ": Fault(
        "queries and keys turn in opposite senses, so scores see m + n", "the sign of the sine for the keys",
        claim="rotary.relative-position",
    ),
    "keys-shifted": Fault(
        "queries and keys are numbered from different positions", "where the positions of the keys are made",
        claim="rotary.relative-position",
    ),
    "frequencies-differ": Fault(
        "queries and keys have different frequencies", "which table each of the two gets",
        claim="rotary.relative-position",
    ),
    "pairings-differ": Fault(
        "queries and keys are paired in different ways, or in different parts",
        "the function that each of the two gets",
        claim="rotary.layouts",
    ),
    "amplitudes-differ": Fault(
        "queries and keys are multiplied by different factors", "where the attention factor is applied",
        "extension/yarn", "yarn.squared",
    ),
    "mixed-layout": Fault(
        "the table of cosines is laid out for one pairing, the rotation is made for the other",
        "repeat against repeat_interleave, cat against stack, where cosines are doubled", claim="rotary.layouts",
        thread=thread("xiangking/ark-nlp/pull/49"),
    ),
    "not-a-rotation": Fault(
        "a pair of features is mapped by no rotation", "the signs in a·cos - b·sin and a·sin + b·cos",
        claim="rotary.norm",
    ),
    "tokens-mixed": Fault(
        "the output of a token depends on other tokens or heads",
        "view or reshape where axes should be exchanged with transpose",
    ),
    "features-lost": Fault(
        "features that should pass as they are come out changed", "what is concatenated after the rotated part",
        "rotary/in-practice", "in-practice.partial-is-proportional",
    ),
    "positions-unused": Fault(
        "the positions that are given are ignored, and rows are counted",
        "arange in place of the argument; matters with left padding and packed texts",
        claim="rotary.relative-position", thread=thread("unslothai/unsloth/issues/3699"),
    ),
    "positions-first-only": Fault(
        "only the first position is used, and rows are counted from there", "positions[0] + arange(n)",
        claim="rotary.relative-position",
    ),
    "positions-of-first-sample": Fault(
        "all samples get the positions of the first one", "positions[0], and the axes of the table of angles",
        claim="rotary.relative-position", thread=thread("unslothai/unsloth/issues/3699"),
    ),
    "head-not-rotated": Fault(
        "a head is left as it is, and others are rotated", "slices and repeats over heads",
        claim="rotary.relative-position",
    ),
    "length-dependent": Fault(
        "the angle of a token depends on how many tokens there are, so cached keys do not fit",
        "arange(-n, 0), and positions over the length", claim="rotary.relative-position",
    ),
    "single-token": Fault(
        "a token alone is rotated otherwise than among others, as in decoding with a cache",
        "reshape, squeeze and broadcasting where n = 1", thread=thread("oxiglade/mlx-rs/pull/357"),
    ),
    "offset-ignored": Fault(
        "the offset of the cache is ignored", "the slice of the table, and the key under which it is kept",
        thread=thread("lucidrains/rotary-embedding-torch/issues/11"),
    ),
    "offset-twice": Fault(
        "the offset of the cache is added twice", "whether the positions hold it already",
        thread=thread("skyzh/tiny-llm/pull/46"),
    ),
    "offset-wrong": Fault("the offset of the cache changes the angles wrongly", "where the offset is added"),
    "values-rotated": Fault(
        "the values are rotated too", "the list of tensors that are rotated", claim="rotary.values-not-rotated",
    ),
    "table-ends": Fault(
        "angles stop growing, or begin again, beyond some position", "the length of the table, clamp, and modulo",
        "extension/why-it-breaks",
    ),
    "positions-half": Fault(
        "positions are rounded to half precision, so neighbouring tokens share an angle",
        "arange(…, dtype=x.dtype), positions.to(x.dtype)", "practice/errata-code", "in-practice.angle-error",
        thread("huggingface/candle/pull/3520"),
    ),
    "angles-half": Fault(
        "angles are rounded to half precision", "autocast, and the dtype of positions × frequencies",
        "rotary/in-practice", "in-practice.angle-error", thread("EleutherAI/gpt-neox/issues/1003"),
    ),
    "freqs-half": Fault(
        "frequencies are rounded to half precision", "a buffer of frequencies that model.to(dtype) casts",
        "rotary/in-practice", "in-practice.angle-error", thread("huggingface/transformers/issues/25681"),
    ),
    "cos-sin-half": Fault(
        "cosine and sine are rounded to half precision, though the features are not", "the dtype of the table",
        "rotary/in-practice", "", thread("KellerJordan/modded-nanogpt/issues/39"),
    ),
    "angles-wrong": Fault(
        "angles do not grow in proportion to the position", "positions × frequencies", claim="rotary.plane-solution",
    ),
    "stale-cache": Fault(
        "cosines are kept from before the frequencies changed",
        "the condition under which the table is made anew; matters where frequencies are loaded or scaled after a call",
        "extension/ntk",
        level="trap",
    ),
    "history": Fault(
        "the same call gives another answer after a longer one", "state that a call changes, such as dynamic NTK's",
        "extension/ntk", "ntk.stale-keys", thread("huggingface/transformers/issues/27226"),
    ),
    "uninitialised": Fault(
        "part of the result is memory that nobody wrote", "torch.empty, and which features are filled",
        "rotary/in-practice",
    ),
    "nan": Fault("the result holds NaN or infinity", "divisions, and the range of the dtype"),
    "in-place": Fault(
        "the input is changed", "x[...] = … and methods that end in an underscore, on the caller's tensor",
    ),
    "length-switch": Fault(
        "the frequencies change with the longest position of a call",
        "dynamic NTK or LongRoPE: keys that were cached before the switch do not fit after it", "extension/longrope",
        "ntk.stale-keys", level="trap",
    ),
    "negative-positions": Fault(
        "negative positions get angles of other positions",
        "an index into a table wraps to its end, and clamp puts all of them at 0; matters with left padding",
        claim="rotary.composition", level="trap",
    ),
}  # fmt: skip
