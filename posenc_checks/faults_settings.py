"""Rotations that are another convention, or have other settings, than the reader expects."""

from posenc_checks.fault import Fault, thread

TOLD = {
    "sense": Fault(
        "the rotation has the opposite sense", "the sign of the sine, or of rotate_half", claim="rotary.layouts",
    ),
    "layout": Fault(
        "features are paired the other way: interleaved for half, or half for interleaved",
        "x[..., 0::2] against chunk(2), or the permutation of the weights", claim="rotary.layouts",
        thread=thread("huggingface/transformers/issues/25199"),
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
        "rotary/in-practice", "", thread("rasbt/LLMs-from-scratch/issues/410"),
    ),
    "exponent-doubled": Fault(
        "the exponent is twice as large", "2 * arange(0, d, 2) / d: the factor 2 is there already",
    ),
    "exponent-whole-head": Fault(
        "the rotated part has frequencies of the whole head", "the d in the exponent: rotary_dim or head_dim",
        "rotary/in-practice", "in-practice.partial-is-proportional", thread("pie-project/pie/issues/602"),
    ),
    "exponent-part": Fault(
        "the frequencies are those of the rotated part, and not of the whole head",
        "the d in the exponent: rotary_dim or head_dim", "rotary/in-practice", "in-practice.partial-is-proportional",
    ),
    "reversed": Fault("fast and slow pairs are exchanged", "the sign of the exponent, or flip"),
    "frequencies-equal": Fault(
        "all pairs have one frequency", "an integer division in the exponent",
        thread=thread("Kyubyong/transformer/pull/81"),
    ),
    "rotated-twice": Fault("the rotation is applied twice", "the calls before and within attention"),
    "exponent-from-1": Fault("the exponent counts pairs from 1", "arange(0, d, 2): it begins with 0"),
    "angles-unit": Fault("angles are no radians", "degrees, and factors of 2π"),
    "scaled-linear": Fault(
        "all frequencies are divided by one factor", "interpolation, positions / factor", "extension/interpolation",
        "interpolation.frequencies",
    ),
    "scaled-ntk": Fault("the base is raised as by NTK", "NTK scaling", "extension/ntk", "ntk.base"),
    "scaled-yarn": Fault(
        "frequencies are scaled by parts, as by YaRN", "rope_scaling", "extension/yarn", "yarn.code-ramp",
    ),
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
        "in-practice.partial-is-proportional", thread("apple/coreai-models/issues/66"),
    ),
    "factor-missing": Fault(
        "the attention factor is missing", "cos * factor and sin * factor", "extension/yarn", "yarn.squared",
        thread("turboderp-org/exllamav3/issues/259"),
    ),
    "factor-squared": Fault(
        "the attention factor is applied twice", "whether it is in the table and in the scale", "extension/yarn",
        "yarn.squared", thread("sgl-project/sglang/pull/33558"),
    ),
    "factor": Fault(
        "queries and keys are multiplied by another factor", "the attention factor", "extension/yarn", "yarn.squared",
    ),
    "axes-swapped": Fault(
        "heads are counted as positions: the axes of heads and tokens are exchanged",
        "transpose(1, 2), unsqueeze_dim, and the axis of the table",
        thread=thread("mlfoundations/open_lm/issues/4"),
    ),
}  # fmt: skip
