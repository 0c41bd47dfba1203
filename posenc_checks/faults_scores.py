"""Biases, buckets, windows, and tables of sines and cosines."""

from posenc_checks.fault import Fault, thread

BIASES = {
    "bias-not-relative": Fault(
        "the bias is no function of the distance", "the difference of positions", "relative/expansion",
        "expansion.bias",
    ),
    "alibi-sign": Fault("far keys are favoured", "the sign of the slopes", "relative/alibi", "alibi.near"),
    "alibi-head-count": Fault(
        "the slopes are those of another number of heads", "the number of heads that the slopes are made for",
        "relative/alibi", "alibi.slopes",
    ),
    "alibi-power-of-two": Fault(
        "the formula for powers of two is used for another number of heads", "the rule for other numbers of heads",
        "relative/alibi", "alibi.slopes", thread("ml-explore/mlx/pull/3071"),
    ),
    "alibi-scaled": Fault(
        "all slopes are multiplied by one number", "whether the bias is added before or after 1/√d",
        "practice/errata-code", "alibi.odds",
    ),
    "alibi-half": Fault(
        "slopes are rounded to half precision", "the dtype of the slopes", "relative/alibi", "",
        thread("Dao-AILab/flash-attention/pull/846"),
    ),
    "alibi-bias-half": Fault(
        "a number for each key is kept in half precision, so that neighbouring keys share one",
        "the dtype of slope × position", "practice/errata-code", "alibi.causal",
    ),
    "alibi-order": Fault("the heads have their slopes in another order", "the order of the slopes", "relative/alibi"),
    "alibi-starts-at-1": Fault(
        "slopes begin at 1: the exponent counts heads from 0", "2^(-8(k+1)/h) for k = 0, 1, …", "relative/alibi",
        "alibi.slopes", thread("paiml/aprender/pull/2143"),
    ),
    "bucket-sign": Fault(
        "distances are counted the other way: the past gets the future's buckets",
        "key - query against query - key", "relative/t5", "", thread("dmlc/gluon-nlp/pull/1470"),
    ),
    "bucket-direction": Fault(
        "buckets for both directions where one is wanted, or the other way round", "bidirectional", "relative/t5",
    ),
    "bucket-edge": Fault(
        "a bucket begins at another distance", "< against ≤ in `is_small`, rounding of the logarithm, and the last min",
        "relative/t5", "t5.edges", thread("huggingface/candle/pull/1312"),
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
        "sinusoidal.shared-exponent", thread("SamLynnEvans/Transformer/issues/25"),
    ),
    "table-exponent-doubled": Fault(
        "the exponent is twice as large", "2 * arange(0, d, 2) / d: the factor 2 is there already",
        "absolute/sinusoidal", "", thread("SamLynnEvans/Transformer/issues/25"),
    ),
    "table-exponent-halved": Fault("the exponent is half as large", "arange(0, d, 2) / d", "absolute/sinusoidal"),
    "table-base": Fault(
        "the frequencies have another base", "10000", "absolute/sinusoidal", "",
        thread("maxjcohen/transformer/issues/62"),
    ),
    "table-from-1": Fault("positions are counted from 1", "arange(1, n + 1), or a padding row", "absolute/sinusoidal"),
    "table-layout": Fault(
        "sines and cosines are arranged in another way", "stack against cat", "absolute/sinusoidal", "",
        thread("allenai/allennlp/issues/2993"),
    ),
    "table-dialect": Fault(
        "the dialect of tensor2tensor, in which the last frequency is 1/base, or the paper's in its place",
        "half_dim - 1 in the exponent", "absolute/sinusoidal",
    ),
    "table-half": Fault("angles are rounded to half precision", "the dtype of the positions", "absolute/sinusoidal"),
    "table-reversed": Fault("fast and slow pairs are exchanged", "the sign of the exponent", "absolute/sinusoidal"),
}  # fmt: skip
