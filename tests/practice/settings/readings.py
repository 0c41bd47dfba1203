"""How each program reads a setting, written anew in plain Python: frequencies and attention factor.

Each is compared with the values that the program's own code gave (tests/oracles/settings_programs.json), and then reads
settings for which there are none.
"""

from __future__ import annotations

import json
import shlex
from math import ceil, floor, log, pi, sqrt

L = "original_max_position_embeddings"


def plain(base, r):
    return [base ** (-2 * i / r) for i in range(r // 2)]


def mscale(s, weight=1.0):
    return 1.0 if s <= 1 else 0.1 * weight * log(s) + 1


def ramped(base, r, s, length, fast=32.0, slow=1.0, truncate=True):
    low, high = (r * log(length / (turns * 2 * pi)) / (2 * log(base)) for turns in (fast, slow))
    low, high = (floor(low), ceil(high)) if truncate else (low, high)
    low, high = max(low, 0), min(high, r - 1)
    high += 0.001 if low == high else 0
    share = [min(max((i - low) / (high - low), 0), 1) for i in range(r // 2)]
    return [f / s * x + f * (1 - x) for f, x in zip(plain(base, r), share, strict=True)]


def by_parts(freqs, rope):
    low, high, s = rope["low_freq_factor"], rope["high_freq_factor"], rope["factor"]
    share = [min(max((rope[L] * f / (2 * pi) - low) / (high - low), 0), 1) for f in freqs]
    return [f / s * (1 - x) + f * x for f, x in zip(freqs, share, strict=True)]


def ropes(rope, d, most):
    """What the programs that take a dictionary have in common."""
    kind, base, share = rope.get("rope_type", "default"), rope["rope_theta"], rope.get("partial_rotary_factor", 1.0)
    r, s = int(d * share), rope.get("factor")
    if kind == "yarn":
        named = {"fast": rope.get("beta_fast"), "slow": rope.get("beta_slow"), "truncate": rope.get("truncate")}
        named = {key: value for key, value in named.items() if value is not None}
        return ramped(base, r, s, rope.get(L, most), **named)
    if kind == "proportional":
        rotated = int(share * d // 2)
        return [f / (s or 1.0) if i < rotated else 0.0 for i, f in enumerate(plain(base, d))]
    freqs = plain(base, r)
    if kind == "llama3":
        return by_parts(freqs, rope)
    return [f / s for f in freqs] if kind == "linear" else freqs


def listed(rope, freqs, long):
    return [f / x for f, x in zip(freqs, rope["long_factor" if long else "short_factor"], strict=True)]


def quotient(rope):
    a, b, s = rope.get("mscale"), rope.get("mscale_all_dim"), rope["factor"]
    return mscale(s, a) / mscale(s, b) if a and b else mscale(s)


def transformers(rope, d, most, n):
    freqs, kind = ropes(rope, d, most), rope.get("rope_type")
    if kind == "dynamic":
        r, s = 2 * len(freqs), rope["factor"]
        return plain(rope["rope_theta"] * (s * max(n / most, 1) - s + 1) ** (r / (r - 2)), r), 1.0
    if kind == "longrope":
        return listed(rope, freqs, n > rope[L]), rope["attention_factor"]
    return freqs, rope.get("attention_factor", quotient(rope)) if kind == "yarn" else 1.0


def transformers5(text, config, d, n):
    return transformers(json.loads(text)["rope_parameters"], d, config.get("max_position_embeddings"), n)


def transformers4(text, config, d, n):
    said = json.loads(text)
    rope = {**said, **(said["rope_scaling"] or {})}
    return transformers(rope, d, config.get("max_position_embeddings"), n)


def override(text):
    return json.loads(next(word for word in shlex.split(text) if word.startswith("{")))


def listed_once(rope, freqs, n):
    long = n > rope[L]
    return listed(rope, freqs, long), rope["long_mscale" if long else "short_mscale"]


def vllm(text, config, d, n):
    rope = override(text)["rope_parameters"]
    assert int(shlex.split(text)[-1]) == n
    assert "." in str(rope.get("factor", "."))  # a whole number is no list: TypeError
    freqs, kind = ropes(rope, d, None), rope["rope_type"]
    if kind == "longrope":
        return listed_once(rope, freqs, n)
    return freqs, rope.get("attention_factor", quotient(rope)) if kind == "yarn" else 1.0


def sglang(text, config, d, n):
    current = {"rope_type": "default", "rope_theta": config.get("rope_theta"), **(config.get("rope_scaling") or {})}
    given = override(text)
    rope = {**current, **given["rope_parameters"]}
    freqs, kind = ropes(rope, d, None), rope["rope_type"]
    if kind == "longrope":
        return listed_once(rope, freqs, n)
    if kind != "yarn":
        return freqs, 1.0
    a, b, s = rope.get("mscale"), rope.get("mscale_all_dim"), rope["factor"]
    own = mscale(s, a) / mscale(s, b) if a is not None and b is not None else mscale(s)
    return freqs, own * rope.get("attn_factor", 1)


def llama_cpp(text, config, d, n):
    words = shlex.split(text)[3:]
    said = dict(zip(words[::2], words[1::2], strict=True))
    base, s = float(said["--rope-freq-base"]), float(said.get("--rope-scale", 1))
    r = int(d * config.get("partial_rotary_factor", 1.0))  # from the GGUF file
    if said["--rope-scaling"] != "yarn":
        return [f / (s if said["--rope-scaling"] == "linear" else 1) for f in plain(base, r)], 1.0
    fast, slow = (float(said.get(f"--yarn-beta-{end}", x)) for end, x in (("fast", 32), ("slow", 1)))
    return ramped(base, r, s, int(said["--yarn-orig-ctx"]), fast, slow), mscale(s)


def from_the_length(rope, freqs, most, original):
    long = most > original
    return listed(rope, freqs, long), sqrt(1 + log(most / original) / log(original)) if long else 1.0


def exllamav2(text, config, d, n):
    said = json.loads(text)
    rope = {**said, **(said["rope_scaling"] or {})}
    freqs, most = ropes(rope, d, None), said["max_position_embeddings"]
    if rope.get("rope_type") == "longrope":
        return from_the_length(rope, freqs, most, said[L])
    if rope.get("rope_type") == "yarn":  # refused by spell: the length for the original length
        return ramped(rope["rope_theta"], 2 * len(freqs), rope["factor"], most), mscale(rope["factor"])
    return freqs, 1.0


def exllamav3(text, config, d, n):
    said = json.loads(text)
    rope, most = said["rope_parameters"], said["max_position_embeddings"]
    if rope["rope_type"] == "longrope":
        return from_the_length(rope, ropes(rope, d, None), most, rope[L])
    if rope["rope_type"] != "yarn":
        return ropes(rope, d, None), 1.0
    s = most / rope[L]
    return ropes({**rope, "factor": s}, d, None), rope.get("attention_factor", mscale(s))


READINGS = {
    "transformers4": transformers4,
    "transformers5": transformers5,
    "vllm": vllm,
    "sglang": sglang,
    "llama.cpp": llama_cpp,
    "exllamav2": exllamav2,
    "exllamav3": exllamav3,
    "tabbyapi": exllamav3,
}
