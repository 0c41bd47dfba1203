"""How public code names its arguments, in one list: by these names a check knows what to call a function with."""

from __future__ import annotations

NAMES = {
    "x": """x t tensor hidden_states hidden inputs input feats features vec vectors u tokens x_in inp input_tensor xs
        embeddings embeds token_embeddings src""",
    "q": "q query queries xq query_states query_layer q_heads q_states qs q_rot",
    "k": "k key keys xk key_states key_layer k_heads k_states ks k_rot",
    "v": "v value values xv value_states value_layer",
    "positions": """positions position_ids pos position input_pos pos_ids token_positions ids m cache_position
        cache_positions position_id positions_ids pos_idx token_pos position_index position_indices indices xpos""",
    "q_positions": "q_positions q_pos query_positions positions_q q_position_ids",
    "k_positions": "k_positions k_pos key_positions positions_k k_position_ids",
    "cos": "cos cos_cached cosine cosines cos_cache cos_table freqs_cos cos_emb",
    "sin": "sin sin_cached sine sines sin_cache sin_table freqs_sin sin_emb",
    "angles": "angles angle freqs phases emb rotary_pos_emb rope_emb thetas theta_pos rotary_freqs",
    "cis": "freqs_cis freqs_complex cis rope_complex complex_freqs pos_cis freq_cis f_cis",
    "offset": """offset start_pos start past_len past_length cache_offset position_offset seqlen_offset start_index
        pos_offset offsets cache_len cache_length index_pos past_key_values_length past_kv_len past_seq_len kv_offset
        seq_offset token_offset rope_offset start_position position_start pos_start start_idx n_past num_past cached_len
        cur_pos current_pos prefix_len""",
    "length": """seq_len n seqlen length n_positions max_len end max_seq_len max_seq_length max_seqlen max_length
        seq_length sequence_length num_positions max_position max_positions max_position_embeddings num_tokens n_tokens
        context_length ctx_len block_size n_ctx""",
    "d": """d dim head_dim d_head rotary_dim rope_dim d_k headdim head_size dim_head dims d_model hidden_size
        embedding_dim n_embd embed_dim emb_dim d_embed model_dim hidden_dim""",
}
ROLES = {name: role for role, names in NAMES.items() for name in names.split()}

PARTS = {
    "offset": "offset",
    "position_ids": "positions",
    "positions": "positions",
    "seq_len": "length",
    "seqlen": "length",
}
"""What a longer name means that has one of these in it."""

SCORES = {
    "heads": "h heads n_heads num_heads number_of_heads nheads n_head num_attention_heads attention_heads head_count",
    "n": NAMES["length"] + " size",
    "n_q": "i n_q q_len query_length len_q q_length qlen seq_len_q seqlen_q query_len tgt_len",
    "n_k": "j n_k k_len key_length len_k k_length klen kv_len seq_len_k seqlen_k key_len src_len",
    "q_positions": NAMES["q_positions"] + " pos_i " + NAMES["positions"],
    "k_positions": NAMES["k_positions"] + " pos_j",
    "mask": "attention_mask mask",
    "dtype": "dtype",
}
SCORE_ROLES = {name: role for role, names in SCORES.items() for name in names.split()}
"""The same of biases, where i and j count queries and keys."""

TIMES = ["timesteps", "timestep", "time", "times", "t", "steps", "sigma"]
"""Of the numbers that a diffusion model writes as sines: positions that need not count up."""
DISTANCES = [
    "relative_position",
    "relative_positions",
    "distance",
    "distances",
    "rel",
    "rel_pos",
    "relative",
    "rel_dist",
]
FREQUENCIES = ["inv_freq", "freqs", "frequencies", "base", "theta", "rope_theta"]
"""Of what an object keeps of its frequencies."""


def role_of(name: str) -> str | None:
    """What an argument of this name is, if it is a usual one."""
    name = name.lower()
    return ROLES.get(name) or next((role for part, role in PARTS.items() if part in name), None)
