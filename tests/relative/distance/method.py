"""What biases of the distance are made of; none of it is a method."""

NO_METHOD = {
    "reversed_bias": "a bias for torch's fused attention",
    "score_mod": "a bias for flex_attention",
    "toeplitz_bias": "makes a bias of any function of the distance; Alibi stands for it",
}
