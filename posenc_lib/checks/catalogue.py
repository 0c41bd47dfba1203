"""The faults that the checker names: what each one is, the line to look at, and where it is explained."""

from __future__ import annotations

from dataclasses import dataclass

GITHUB = "https://github.com/"


@dataclass(frozen=True)
class Fault:
    """A sentence on what is probably wrong, the code to look at, a page of the book, its claim, and a public thread."""

    says: str
    look_at: str
    page: str = "rotary/rotary"
    claim: str = ""
    thread: str = ""
    level: str = "fault"


def _thread(path: str) -> str:
    return GITHUB + path


ROTARY = {
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
    "amplitudes-differ": Fault(
        "queries and keys are multiplied by different factors", "where the attention factor is applied",
        "extension/yarn", "yarn.squared",
    ),
    "mixed-layout": Fault(
        "the table of cosines is laid out for one pairing, the rotation is made for the other",
        "repeat against repeat_interleave, cat against stack, where cosines are doubled", claim="rotary.layouts",
        thread=_thread("rasbt/LLMs-from-scratch/issues/838"),
    ),
    "not-a-rotation": Fault(
        "a pair of features is mapped by no rotation", "the signs in a·cos - b·sin and a·sin + b·cos",
        claim="rotary.norm",
    ),
    "tokens-mixed": Fault(
        "the output of a token depends on other tokens or heads",
        "view or reshape where axes should be exchanged with transpose", claim="rotary.efficient-form",
    ),
    "features-lost": Fault(
        "features that should pass as they are come out changed", "what is concatenated after the rotated part",
        "rotary/in-practice", "in-practice.partial-is-proportional",
    ),
    "positions-unused": Fault(
        "the positions that are given are ignored, and rows are counted",
        "arange in place of the argument; matters with left padding and packed texts",
        claim="rotary.relative-position", thread=_thread("unslothai/unsloth/issues/3699"),
    ),
    "positions-first-only": Fault(
        "only the first position is used, and rows are counted from there", "positions[0] + arange(n)",
        claim="rotary.relative-position",
    ),
    "positions-of-first-sample": Fault(
        "all samples get the positions of the first one", "positions[0], and the axes of the table of angles",
        claim="rotary.relative-position", thread=_thread("unslothai/unsloth/issues/3699"),
    ),
    "offset-ignored": Fault(
        "the offset of the cache is ignored", "the slice of the table, and the key under which it is kept",
        thread=_thread("lucidrains/rotary-embedding-torch/issues/11"),
    ),
    "offset-twice": Fault(
        "the offset of the cache is added twice", "whether the positions hold it already",
        thread=_thread("skyzh/tiny-llm/pull/46"),
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
        _thread("huggingface/candle/pull/3520"),
    ),
    "angles-half": Fault(
        "angles are rounded to half precision", "autocast, and the dtype of positions × frequencies",
        "rotary/in-practice", "in-practice.angle-error", _thread("EleutherAI/gpt-neox/issues/1003"),
    ),
    "freqs-half": Fault(
        "frequencies are rounded to half precision", "a buffer of frequencies that model.to(dtype) casts",
        "rotary/in-practice", "in-practice.angle-error", _thread("huggingface/transformers/issues/25681"),
    ),
    "cos-sin-half": Fault(
        "cosine and sine are rounded to half precision, though the features are not", "the dtype of the table",
        "rotary/in-practice", "", _thread("KellerJordan/modded-nanogpt/issues/39"),
    ),
    "angles-wrong": Fault(
        "angles do not grow in proportion to the position", "positions × frequencies", claim="rotary.plane-solution",
    ),
    "stale-cache": Fault(
        "cosines are kept from before the frequencies changed", "the condition under which the table is made anew",
        "extension/ntk", "ntk.stale-keys", _thread("huggingface/transformers/issues/25104"),
    ),
    "history": Fault(
        "the same call gives another answer after a longer one", "state that a call changes, such as dynamic NTK's",
        "extension/ntk", "ntk.stale-keys", _thread("huggingface/transformers/issues/27226"),
    ),
    "uninitialised": Fault(
        "part of the result is memory that nobody wrote", "torch.empty, and which features are filled",
        "rotary/in-practice",
    ),
    "nan": Fault("the result holds NaN or infinity", "divisions, and the range of the dtype"),
    "in-place": Fault(
        "the input is changed", "x[...] = … and methods that end in an underscore, on the caller's tensor",
    ),
    "sense": Fault(
        "the rotation has the opposite sense", "the sign of the sine, or of rotate_half", claim="rotary.layouts",
    ),
    "layout": Fault(
        "features are paired the other way: interleaved for half, or half for interleaved",
        "x[..., 0::2] against chunk(2), or the permutation of the weights", claim="rotary.layouts",
        thread=_thread("huggingface/transformers/issues/25199"),
    ),
    "pairing": Fault(
        "features are paired in a way of their own", "how the two features of a pair are taken from x",
        claim="rotary.layouts",
    ),
    "positions-from-1": Fault(
        "positions are counted from another number: position 0 is rotated", "arange(1, n + 1), or an offset",
        claim="rotary.relative-position",
    ),
    "cos-sin-swapped": Fault(
        "cosine and sine are exchanged: position 0 is rotated by a quarter turn", "the order of cos and sin",
        claim="rotary.relative-position",
    ),
    "mirrored": Fault(
        "pairs are mirrored before they are rotated", "the signs of one of the two features", "rotary/groups",
        "groups.mirrors",
    ),
    "not-still-at-0": Fault(
        "position 0 does not leave the vectors as they are", "the angles of position 0",
        claim="rotary.relative-position",
    ),
    "base": Fault("the frequencies have another base", "rope_theta, base, theta", "extension/base"),
    "exponent-d-model": Fault(
        "the exponent is divided by a multiple of d_head, such as d_model",
        "arange(0, d, 2) / d: both d are the rotated features of one head, and i counts by two",
        "rotary/in-practice", "", _thread("rasbt/LLMs-from-scratch/issues/410"),
    ),
    "exponent-doubled": Fault(
        "the exponent is twice as large", "2 * arange(0, d, 2) / d: the factor 2 is there already",
    ),
    "exponent-whole-head": Fault(
        "the rotated part has frequencies of the whole head", "the d in the exponent: rotary_dim or head_dim",
        "rotary/in-practice", "in-practice.partial-is-proportional", _thread("pie-project/pie/issues/602"),
    ),
    "exponent-part": Fault(
        "the frequencies are those of the rotated part, and not of the whole head",
        "the d in the exponent: rotary_dim or head_dim", "rotary/in-practice", "in-practice.partial-is-proportional",
    ),
    "reversed": Fault("fast and slow pairs are exchanged", "the sign of the exponent, or flip"),
    "scaled-linear": Fault(
        "all frequencies are divided by one factor", "interpolation, positions / factor", "extension/interpolation",
        "interpolation.frequencies",
    ),
    "scaled-ntk": Fault("the base is raised as by NTK", "NTK scaling", "extension/ntk", "ntk.base"),
    "scaled-yarn": Fault("frequencies are scaled by parts, as by YaRN", "rope_scaling", "extension/yarn", "yarn.code-ramp"),
    "scaled-llama3": Fault(
        "frequencies are scaled by parts, as by Llama 3.1", "rope_scaling", "extension/yarn", "yarn.llama3",
    ),
    "scaled-per-pair": Fault(
        "each pair's frequency is divided by a number of its own", "rope_scaling", "extension/longrope",
    ),
    "scaling-missing": Fault(
        "frequencies are not scaled, or by another factor", "whether rope_scaling is read", "extension/yarn",
    ),
    "partial-count": Fault(
        "another number of features is rotated", "rotary_dim, partial_rotary_factor", "rotary/in-practice",
    ),
    "partial-end": Fault(
        "the last features are rotated in place of the first", "x[..., :r] against x[..., r:]", "rotary/in-practice",
    ),
    "partial-spread": Fault(
        "the rotated features are not the first ones: pairs reach across the whole head",
        "whether halves are taken of the rotated part or of the head", "rotary/in-practice",
        "in-practice.partial-is-proportional", _thread("apple/coreai-models/issues/66"),
    ),
    "factor-missing": Fault(
        "the attention factor is missing", "cos * factor and sin * factor", "extension/yarn", "yarn.squared",
    ),
    "factor-squared": Fault(
        "the attention factor is applied twice", "whether it is in the table and in the scale", "extension/yarn",
        "yarn.squared",
    ),
    "factor": Fault(
        "queries and keys are multiplied by another factor", "the attention factor", "extension/yarn", "yarn.squared",
    ),
    "axes-swapped": Fault(
        "heads are counted as positions: the axes of heads and tokens are exchanged",
        "transpose(1, 2), unsqueeze_dim, and the axis of the table",
    ),
    "negative-positions": Fault(
        "negative positions get angles of other positions",
        "an index into a table wraps to its end, and clamp puts all of them at 0; matters with left padding",
        claim="rotary.composition", level="trap",
    ),
}  # fmt: skip

BIASES = {
    "bias-not-relative": Fault(
        "the bias is no function of the distance", "the difference of positions", "relative/expansion", "expansion.bias",
    ),
    "alibi-sign": Fault("far keys are favoured", "the sign of the slopes", "relative/alibi", "alibi.near"),
    "alibi-head-count": Fault(
        "the slopes are those of another number of heads", "the number of heads that the slopes are made for",
        "relative/alibi", "alibi.slopes",
    ),
    "alibi-power-of-two": Fault(
        "the formula for powers of two is used for another number of heads", "the rule for other numbers of heads",
        "relative/alibi", "alibi.slopes", _thread("ml-explore/mlx/pull/3071"),
    ),
    "alibi-scaled": Fault(
        "all slopes are multiplied by one number", "whether the bias is added before or after 1/√d",
        "practice/errata-code", "alibi.odds",
    ),
    "alibi-half": Fault(
        "slopes are rounded to half precision", "the dtype of the slopes", "relative/alibi", "",
        _thread("Dao-AILab/flash-attention/pull/846"),
    ),
    "alibi-bias-half": Fault(
        "a number for each key is kept in half precision, so that neighbouring keys share one",
        "the dtype of slope × position", "practice/errata-code", "alibi.causal",
    ),
    "alibi-order": Fault("the heads have their slopes in another order", "the order of the slopes", "relative/alibi"),
    "alibi-starts-at-1": Fault(
        "slopes begin at 1: the exponent counts heads from 0", "2^(-8(k+1)/h) for k = 0, 1, …", "relative/alibi",
        "alibi.slopes", _thread("paiml/aprender/pull/2143"),
    ),
    "bucket-sign": Fault(
        "distances are counted the other way: the past gets the future's buckets",
        "key - query against query - key", "relative/t5", "", _thread("dmlc/gluon-nlp/pull/1470"),
    ),
    "bucket-direction": Fault(
        "buckets for both directions where one is wanted, or the other way round", "bidirectional", "relative/t5",
    ),
    "bucket-edge": Fault(
        "a bucket begins at another distance", "< against ≤ in `is_small`, rounding of the logarithm, and the last min",
        "relative/t5", "t5.edges", _thread("huggingface/candle/pull/1312"),
    ),
    "bucket-sizes": Fault(
        "another number of buckets, or another largest distance", "num_buckets, max_distance", "relative/t5",
        "t5.widths",
    ),
    "window-columns": Fault(
        "cells are numbered by columns, tokens by rows", "the order of the two axes in meshgrid and flatten",
        "relative/window", "window.one-distance",
    ),
    "window-transposed": Fault(
        "query and key are exchanged, or the offsets counted the other way", "which of the two gets the new axis",
        "relative/window", "window.one-distance",
    ),
    "window-stride": Fault(
        "different offsets share a row of the table", "the vertical offset is multiplied by 2w - 1",
        "relative/window", "window.collision",
    ),
    "window-order": Fault(
        "the rows of the table are numbered in another order", "which offset is multiplied by 2w - 1",
        "relative/window", "window.one-to-one",
    ),
}  # fmt: skip

TABLES = {
    "table-transposed": Fault("positions run along the columns", "the shape [n, d]", "absolute/sinusoidal"),
    "table-all-sines": Fault(
        "all features are sines", "the features that should hold the cosines", "absolute/sinusoidal",
        "sinusoidal.shift",
    ),
    "table-cos-exponent": Fault(
        "each cosine has a frequency of its own, so that no matrix shifts the table",
        "the exponent of the cosines: 2i/d, as for the sine beside it", "absolute/sinusoidal",
        "sinusoidal.shared-exponent",
    ),
    "table-exponent-doubled": Fault(
        "the exponent is twice as large", "2 * arange(0, d, 2) / d: the factor 2 is there already",
        "absolute/sinusoidal",
    ),
    "table-exponent-halved": Fault("the exponent is half as large", "arange(0, d, 2) / d", "absolute/sinusoidal"),
    "table-base": Fault("the frequencies have another base", "10000", "absolute/sinusoidal"),
    "table-from-1": Fault("positions are counted from 1", "arange(1, n + 1), or a padding row", "absolute/sinusoidal"),
    "table-layout": Fault(
        "sines and cosines are arranged in another way", "stack against cat", "absolute/sinusoidal",
    ),
    "table-dialect": Fault(
        "the dialect of tensor2tensor, in which the last frequency is 1/base, or the paper's in its place",
        "half_dim - 1 in the exponent", "absolute/sinusoidal",
    ),
    "table-half": Fault("angles are rounded to half precision", "the dtype of the positions", "absolute/sinusoidal"),
    "table-reversed": Fault("fast and slow pairs are exchanged", "the sign of the exponent", "absolute/sinusoidal"),
}  # fmt: skip

FAULTS = ROTARY | BIASES | TABLES
