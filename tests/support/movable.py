"""What the pictures that move should say, computed by the library: for the tests in Python and those in the browser."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F

from bookkit import faulty_positions, pictures, stored_keys
from bookkit.configurations import PHI_3_VISION
from bookkit.measuring import contexts, measured
from bookkit.movable import Choice, Movable
from bookkit.sharding import shards
from posenc_lib import (
    Slots,
    attention,
    attention_weights,
    causal_mask,
    packed_positions,
    packed_texts,
    released_rope,
)
from posenc_lib.absolute import complex_order, linear_recurrence, sinusoidal
from posenc_lib.content import gate_bias, gate_counts, recurrent, reflections, stick_breaking
from posenc_lib.extension import (
    ScaledQueries,
    by_parts,
    dual_chunk_ids,
    first_negative,
    interpolate,
    leaky_rerope_ids,
    log_n,
    ntk,
    random_positions,
    rerope_ids,
    self_extend_ids,
    sink_ids,
    sink_mask,
    yarn,
)
from posenc_lib.pairs import geometric_freqs, position_angles
from posenc_lib.relative import Alibi, clipped, fire_ratio, log_kernel, power_kernel, rel_shift, t5_bucket, window_index
from posenc_lib.relative.distance import pair_distances
from posenc_lib.rotary import (
    GroupTransform,
    PoPE,
    QueryKeyNorm,
    Rotary,
    XPos,
    axes_angles,
    axial_freqs,
    convert_layout,
    directed_freqs,
    exp_map,
    hyperbolic_generator,
    pair_generator,
    rotate,
)
from posenc_lib.shapes import (
    axis_places,
    flux_ids,
    fourier_features,
    frame_convolution,
    gapped_residues,
    joined_freqs,
    laplacian_eigenvectors,
    octave_freqs,
    qwen_image_ids,
    residue_bins,
)

Said = list[float]  # in the order in which the picture says them


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def clock(m: int, k: int) -> Said:
    p = sinusoidal(torch.tensor([m, m + k]), 8, base=100.0, dtype=torch.float64)
    turns = position_angles(torch.tensor([k]), geometric_freqs(8, 100.0))[0].rad2deg()
    return [turns[0].item(), turns[3].item(), (p[0] @ p[1]).item()]


def move_both(s: int, m: int, n: int) -> Said:
    q, k = (length * numbers(math.cos(turn), math.sin(turn)) for length, turn in ((1.1, 1.5), (0.9, 0.5)))
    step, at = numbers(0.3), numbers(m + s, n + s)
    turned_q, turned_k = Rotary(step)(q[None], k[None], at[:1], at[1:])
    sine_first = sinusoidal(at * step, 2, dtype=torch.float64)
    p_q, p_k = sine_first.flip(-1)  # the picture draws the cosine across
    return [m - n, (turned_q @ turned_k.T).item(), ((q + p_q) @ (k + p_k)).item()]


def dot_product_map(w: float, m: int, n: int) -> Said:
    p = sinusoidal(torch.arange(24), 16, base=100.0, dtype=torch.float64)
    noise = torch.randn(16, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) / 4
    between = (1 - w) * torch.eye(16, dtype=torch.float64) + w * noise
    scores = p @ between @ p.T / 8
    return [scores[m, n].item(), scores[m + 8, n + 8].item()]


def score_by_distance(r: int, c: int) -> Said:
    torch.manual_seed(0)
    strength = torch.randn(32, 2, dtype=torch.float64).square().sum(-1) if c else torch.ones(32, dtype=torch.float64)
    k = torch.stack(((strength / strength.sum()).sqrt(), torch.zeros(32, dtype=torch.float64)), dim=-1).flatten()[None]
    rotary, zero = Rotary(geometric_freqs(64)), torch.tensor([0])
    q, _ = rotary(k, k, torch.tensor([-r]), zero)  # it meets the key again r tokens later
    scores = [rotary(q, k, torch.tensor([distance]), zero) for distance in (r, 0)]
    return [(a @ b.T).item() for a, b in scores]


def cosine_sums(e: int, w: int) -> Said:
    bases = (1_000.0 * math.sqrt(2) ** e, 2_000.0 * math.sqrt(2) ** e)
    return [first_negative(geometric_freqs(2**w, base), 2**16) for base in bases]


def alibi_weights(e: int, n: int, far: int, c: float) -> Said:
    k = torch.zeros(n, 1, dtype=torch.float64)
    if far < n:
        k[n - 1 - far] = c
    slots = Slots(bias=Alibi(numbers(2.0**-e)))
    ones = torch.ones(1, 1, 1, dtype=torch.float64)
    weights = 100 * attention_weights(ones, k[None], slots, q_positions=torch.tensor([n - 1])).flatten().flip(0)
    return [weights[0].item(), weights[far].item() if far < n else 0.0, weights[:8].sum().item()]


def kept_by_gates(f: float, g: float, m: int) -> Said:
    gates = numbers(*[g if token in (7, 15) else f for token in range(m + 1)])
    weights = 100 * gate_bias(gates.log(), torch.tensor([m]), torch.arange(m + 1))[0].softmax(-1)
    return [weights[:15].sum().item(), weights[0].item()]


def broken_stick(way: int, z: float, c: float, at: int) -> Said:
    scores = torch.full((1, 12), z, dtype=torch.float64)
    scores[0, 11 - at] += c
    last, places = torch.tensor([11]), torch.arange(12)
    weights = (scores.softmax(-1) if way else stick_breaking(scores, last, places))[0].flip(0)
    return [100 * weights[0].item(), 100 * weights[at].item(), 100 - 100 * weights.sum().item()]


def kernel_share(which: int, r: float, e: int) -> Said:
    back, ones = torch.arange(2**e), torch.ones(1, dtype=torch.float64)
    bias = (
        lambda t: Alibi(r * ones / 16).bias_at(t),
        lambda t: power_kernel(r * ones, ones / 2, t),
        lambda t: log_kernel(r * ones, ones, t),
        lambda t: log_kernel(r * ones, ones, t.clamp(max=64)),
    )[which](back)[0]
    weights = 100 * bias.softmax(-1)
    return [weights[:8].sum().item(), (100 * weights[-1] / weights[0]).item()]


def rescaled_distances(e: int, l: int, c: float) -> Said:
    m = 2**e
    return fire_ratio(torch.tensor([m]), torch.tensor([m - 64, 0]), c, 2.0**l)[0].tolist()


def units_of_time(unit: int, e: float) -> Said:
    gap = 10**e / (1, 60, 3_600, 86_400)[unit]
    turned = position_angles(numbers(gap), geometric_freqs(32))[0] / (2 * math.pi)
    return [gap, ((turned > 1 / 20) & (turned < 1)).sum().item()]


def two_turns(way: int, t: int, a: int) -> Said:
    step, q = numbers(0.1), numbers(1, 0)[None]
    k = numbers(math.cos(math.radians(a)), math.sin(math.radians(a)))[None]
    generator = (pair_generator(step, 0 * step), hyperbolic_generator(step, 1.5 * step))[way]
    zero = torch.tensor([0])
    moved = [GroupTransform(generator)(q, k, torch.tensor([at]), zero) for at in (t, t + 1)]
    return [(one @ key.T).item() for one, key in moved]


def heard_frames(m: int, K: int, c: int) -> Said:
    """Equal frames under equal weights; where the first is cut, a frame more is read and the outputs move up."""
    weight = torch.full((1, 1, K), 1 / K, dtype=torch.float64)
    ahead = c * (1 - K % 2)
    frames = torch.cat((torch.ones(16, 1), torch.zeros(1, 1))).double()
    before = K // 2 - ahead
    z = frame_convolution(frames, weight).squeeze()[m + ahead].item()
    return [before, K - 1 - before, round(K - K * z), z]


def counted_commas(c: float, w: float, m: int, n: int) -> Said:
    gates = numbers(*[c if token in (2, 5, 8, 10) else w for token in range(12)])
    count = gate_counts(gates[None], torch.tensor([m]), torch.arange(12))[0, n].item()
    return [count, math.modf(round(count, 9))[0]]


def likeness_in_space(c: int, L: int, t: float) -> Said:
    freqs = octave_freqs(L, 1, start=(math.pi, 1.0)[c], dtype=torch.float64)
    origin, here, far = fourier_features(numbers(0, t, 2)[:, None], freqs)
    return [(origin @ here).item(), (origin @ far).item()]


def axes_plane(alpha: int, size: int, right: int, up: int) -> Said:
    """The query, and a key so many columns to the right and rows up; all pairs are the same unit vector."""
    places, step = torch.tensor([[0, 0], [-up, right]]), numbers(2 * math.pi / size)
    mixed = directed_freqs(step, numbers(math.radians(alpha)))
    axial = axial_freqs(mixed.flatten(), torch.tensor([0, 1]), 2)
    scores = []
    for freqs in (axial, mixed):
        pairs = freqs.shape[-1]
        q, k = rotate(numbers(1, 0).repeat(pairs).expand(2, -1), axes_angles(places, freqs))
        scores.append((q @ k).item() / pairs)
    return scores


def ring_waves(k: int, phase: int, m: int, n: int) -> Said:
    """The entries as a rotation; their product from the solver's pair of waves, whatever phase it has chosen."""
    entries = rotate(numbers(1, 0), 2 * math.pi * k * numbers(m) / 12 - math.radians(phase))
    step = torch.eye(12, dtype=torch.float64).roll(1, 0)
    pair = laplacian_eigenvectors(step + step.T, 2 * k)[1][:, -2:]
    return [*entries.tolist(), 6 * (pair[m] @ pair[n]).item()]


def dials(u: int, w: int, g: int, b: int) -> Said:
    n, s, freqs = 4096 * 2**u, 2.0**w, geometric_freqs(128, (10_000.0, 500_000.0)[b])
    scaled = (freqs, interpolate(freqs, s), ntk(freqs, s), by_parts(freqs, s, 4096))[g]
    seen, needed = (4096 * freqs).clamp(max=2 * math.pi), (n * scaled).clamp(max=2 * math.pi)
    slowest = n * scaled[-1] / (4096 * freqs[-1])
    return [(needed > seen * (1 + 1e-9)).sum().item(), slowest.item(), scaled[0].item()]


def t5_buckets(x: int, size: int, reach: int) -> Said:
    n_buckets, max_distance = (8, 16, 32)[size], (64, 128, 256)[reach]
    # The buckets of one direction, in whichever sign the library counts it.
    buckets = t5_bucket(torch.arange(1000), n_buckets, max_distance) % (n_buckets // 2)
    shared = (buckets == buckets[x]).nonzero()
    endless = buckets[x] == n_buckets // 2 - 1
    return [buckets[x].item(), shared.min().item(), math.nan if endless else len(shared)]


def rel_shift_steps(k: float, m: int, n: int) -> Said:
    given = torch.arange(3, -4, -1).expand(4, 7).double()  # as many tokens back as the column is for
    padded = F.pad(given, (1, 0), value=math.nan)
    tables = [given, padded, padded.flatten()[4:].reshape(4, 7), rel_shift(given)]
    return [tables[math.floor(k)][m, n].item(), m - n]


def scaled_scores(e: int, c: float) -> Said:
    n = 2**e
    k = torch.zeros(n, 1, dtype=torch.float64)
    k[0] = c
    one, last = torch.ones(1, 1, dtype=torch.float64), torch.tensor([n - 1])
    scaled = ScaledQueries(lambda positions: log_n(positions, 512))
    rows = [attention_weights(one, k, slots, q_positions=last)[0] for slots in (Slots(), Slots(transform=scaled))]
    return [100 * row[0].item() for row in rows] + [-(row * row.log()).sum().item() for row in rows]


def distance_maps(which: int, length: int, w: int, g: int) -> Said:
    at = torch.arange(length)
    ids = (
        lambda: pair_distances(at, at),
        lambda: rerope_ids(at, at, w),
        lambda: leaky_rerope_ids(at, at, w, float(g)),
        lambda: self_extend_ids(at, at, w, g),
        lambda: dual_chunk_ids(at, at, chunk=w, local=g),
        lambda: sink_ids(at, at, sinks=g, recent=w),
    )[which]()
    shown = sink_mask(at, at, sinks=g, recent=w) if which == 5 else causal_mask(at, at)
    return [ids[-1, 0].item(), (shown & (ids > 15)).sum().item()]


def grid_numbers(c: int, d: int, g: int) -> Said:
    """The library numbers cells with the gap, from the middle of its table; without one the numbers are the places."""
    cells = torch.arange(20)
    index = window_index((4, 5))[c] - 31 if g else c - cells
    key = (index == d).nonzero().flatten()
    return [(c // 5 - key // 5).item(), (c % 5 - key % 5).item()] if len(key) else [math.nan, math.nan]


def moved_word(f: int, p: int, c: int) -> Said:
    """Here the text itself is put into its new order; the picture moves the positions."""
    draw = torch.Generator().manual_seed(5)
    x, w_q, w_k, w_v = (torch.randn(rows, 8, dtype=torch.float64, generator=draw) for rows in (4, 8, 8, 8))
    order = [word for word in range(4) if word != 0]
    order.insert(f, 0)
    at = torch.arange(4)
    text = x[order] + p * sinusoidal(at, 8, base=100.0, dtype=torch.float64)
    weights = attention_weights(text @ w_q / 3, text @ w_k / 3, mask=causal_mask(at, at) if c else None)
    means = (weights @ (text @ w_v)).mean(0)
    return [weights[order.index(3), order.index(0)].item(), means[0].item()]


def two_words(o: int, p: int) -> Said:
    """By hand: scores, the positions put in, and a softmax of two numbers."""
    q, k = numbers(0.5, 1.1), numbers(0.3, 1.0, 1.1, -0.5).reshape(2, 2)  # of deux; of mille and deux

    def looks(order: int) -> float:
        here, there = (0, 1) if order else (1, 0)  # the places of deux and mille
        where = numbers(there, here)
        query, keys = q, k
        if p == 1:
            query = q + numbers(math.sin(here), math.cos(here))
            keys = k + torch.stack([where.sin(), where.cos()], dim=-1)
        if p == 2:
            c, s = (where - here).cos(), (where - here).sin()
            keys = torch.stack([c * k[:, 0] - s * k[:, 1], s * k[:, 0] + c * k[:, 1]], dim=-1)
        bias = 1.2 * (here - where) if p == 3 else 0
        return F.softmax(keys @ query / math.sqrt(2) + bias, dim=0)[0].item()

    return [looks(o), looks(1 - o)]


def words_or_head(c: int, r: int) -> Said:
    torch.manual_seed(0)
    q, k = torch.randn(2, 4, 32, dtype=torch.float64)[:, c, None]
    at = torch.tensor([r]), torch.tensor([0])
    pope = PoPE(geometric_freqs(64), 1).double()
    pope.phases.data[:] = r * geometric_freqs(64)
    highest = (q.view(16, 2).norm(dim=-1) * k.view(16, 2).norm(dim=-1)).sum(), (F.softplus(q) * F.softplus(k)).sum()
    both = Rotary(geometric_freqs(32))(q, k, *at), pope(q[None], k[None], *at)
    return [((a * b).sum() / top).item() for (a, b), top in zip(both, highest, strict=True)]


def counted_tokens(T: int, e: int) -> Said:
    """The layer of the page as one of torch: a unit for each bend, one for the straight piece, and a constant."""
    weight = attention_weights(torch.zeros(1, 1), torch.zeros(2**e, 1), q_positions=torch.tensor([2**e - 1]))[-1, 0]
    bends = torch.arange(1, T, dtype=torch.float64)  # the one at 1 is never passed
    hidden = (weight.double() - 1 / bends).relu()
    return [weight.item(), (2 * T - 1 - T * (T - 1) * weight.double() + (2 * bends * hidden).sum()).item()]


def drawn_positions(way: int, texts: int) -> Said:
    seed = torch.Generator().manual_seed(0)
    read = [random_positions(4, 16, generator=seed) if way else torch.arange(4) for _ in range(texts)]
    distances = {d for text in read for d in pair_distances(text, text).abs().flatten().tolist()} - {0}
    return [len(torch.cat(read).unique()), len(distances)]


def far_copy(e: int, score: int) -> Said:
    """Here the word itself is rotated, at each distance of the stretch."""
    torch.manual_seed(0)
    word = torch.randn(64, 2, dtype=torch.float64).flatten()
    word *= (score / word.square().sum()).sqrt()
    back = torch.arange(2**e, round(2 ** (e + 0.25)) if e > 1 else 3)
    scores = rotate(word.expand(len(back), -1), position_angles(back, geometric_freqs(128))) @ word
    return [scores.min().item(), scores.mean().item(), math.log(2**e)]


def four_matrices(t: int) -> Said:
    generators = numbers(0, -0.25, 0.25, 0, -0.05, -0.25, 0.25, -0.05, -0.05, 0, 0, -0.05, 0, -0.04, 0, 0)
    return [(exp_map(torch.tensor([[t]]), one[None]) @ numbers(1, 1))[0, 0].item() for one in generators.view(4, 2, 2)]


def cut_texts(which: int, r: int) -> Said:
    """By the cuts of the tests with several processes, and a causal mask."""
    lengths = torch.tensor([8, 16])
    whole = [shards.contiguous, shards.zigzag]
    cut = whole[which](24, 4) if which < 2 else shards.inside_each(shards.zigzag, lengths, 4)
    own, owners, places = cut[r - 1], packed_texts(lengths), packed_positions(lengths)
    see = causal_mask(places, places) & (owners[:, None] == owners)
    return [(own < 8).sum().item(), see[own].sum().item()]


def norm_order(s: int, w: float) -> Said:
    q, k = (3 * numbers(math.cos(turn), math.sin(turn)) for turn in (-0.4, 0.3))
    rotary, at = Rotary(numbers(0.3)), (torch.tensor([s + 5]), torch.tensor([s]))
    first = QueryKeyNorm(2, rotary, eps=1e-12).double()
    for weight in (first.q_weight, first.k_weight):
        weight.data[:] = numbers(w, 1)
    last = [F.rms_norm(x, (2,)) * numbers(w, 1) for x in rotary(q[None], k[None], *at)]
    return [(a @ b.T).item() for a, b in (first(q[None], k[None], *at), last)]


def aligned_corners(corner: int, c: int, r: int) -> Said:
    """By the masks of the library and of torch, of which the latter begins in the top left corner."""
    right = causal_mask(torch.arange(c, c + r), torch.arange(c + r))
    mask = right if corner else torch.ones(r, c + r, dtype=torch.bool).tril()
    return [mask[0].sum().item(), (right & ~mask).sum().item()]


def numbered_places(which: int, k: int) -> Said:
    """By the places and by the positions, all scores of a text with itself: which tokens have others?"""
    texts = {0: [(k, 8)], 1: [(0, k), (k, 8)], 2: [(0, 8)]}[which]  # from column to column
    moved = far = 0
    for first, end in texts:
        position = torch.arange(end - first)
        place = position + first if which < 2 else torch.cat((position[:k], torch.arange(8 - k)))
        moved += (place != position).sum().item()
        x = torch.randn(len(position), 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
        scores = [
            torch.matmul(*(y.T if part else y for part, y in enumerate(Rotary(geometric_freqs(16))(x, x, at, at))))
            for at in (place, position)
        ]
        new = slice(k if which == 2 else 0, None)
        far += ((scores[0] - scores[1]).abs() > 1e-9).any(-1)[new].sum().item()
    return [moved, far]


def paired_rows(p: int, r: int, t: int) -> Said:
    """A program rotates what lies before it; the checkpoint is made to fit with the library's own converter."""
    q, k = torch.randn(2, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    at, freqs = (torch.tensor([t]), torch.tensor([0])), geometric_freqs(8, 100.0)
    loaded = [convert_layout(x, 1, source="interleaved", target="half") if r else x for x in (q, k)]
    runs = (
        Rotary(freqs)(q[None], k[None], *at),
        Rotary(freqs, "half" if p else "interleaved")(loaded[0][None], loaded[1][None], *at),
    )
    return [(a @ b.T).item() for a, b in runs]


def round_box(n: int, w: int) -> Said:
    k = stored_keys.keys(24, 64, 5.0)[:n, :2]
    if w:
        k = Rotary(numbers(0.3))(k, k, torch.arange(n), torch.arange(n))[1]
    return [(k[:, channel].max() - k[:, channel].min()).item() / 15 for channel in range(2)]


def broken_positions(which: int, n: int) -> Said:
    wrong, right = (
        faulty_positions.losses(name)[:n] for name in ([*faulty_positions.FAULTS][1 + which], "as released")
    )
    return [wrong[-1], right[-1], (math.fsum(wrong) - math.fsum(right)) / n]


def shapes_of_faults(which: int, e: int) -> Said:
    m = torch.arange(2**e + 1)
    key = numbers(1, 0).repeat(48).expand(len(m), 96)
    plain = geometric_freqs(96)
    tables = (plain, geometric_freqs(96, 20_000.0), plain, released_rope(PHI_3_VISION, n=8_192).freqs)
    angles, right = (
        position_angles(m.bfloat16().double() if which == 2 else m, tables[which]),
        position_angles(m, plain),
    )
    if which == 3:
        angles = torch.where(m[:, None] > 4_096, angles, right)
    wrong = rotate(key, angles, layout="interleaved" if which else "half")
    return [((wrong - rotate(key, right)).norm(dim=-1).max() / key[0].norm()).item()]


def switched_lists(n: int, c: int) -> Said:
    q, k = torch.randn(2, 48, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).flatten(1)
    new = released_rope(PHI_3_VISION, n=n).freqs
    kept = released_rope(PHI_3_VISION, n=n if c else 4_096).freqs
    query = rotate(q[None], position_angles(torch.tensor([n - 1]), new))
    keys = [rotate(k[None], position_angles(torch.tensor([n - 51]), freqs)) for freqs in (kept, new)]
    slowest = [1e4 ** (-47 / 48) / freqs[-1].item() for freqs in (new, kept)]
    return slowest + [(query @ key.T).item() for key in keys]


def one_file_read(c: int) -> Said:
    plain = geometric_freqs(128, 1e6)
    meant = yarn(plain, 4.0, 32_768)
    read = [meant, yarn(plain, 4.0, 131_072), yarn(plain, 1.25, 32_768), plain][c]
    other = ((plain / read - plain / meant).abs() >= 0.001).sum().item()
    return [1e6 ** (-63 / 64) / read[-1].item(), other]


def two_factors(n: int, t: int) -> Said:
    q = numbers(1, 0)[None]
    xpos = XPos(numbers(0.3), numbers(0.03), centre=20.0)
    query, key = xpos(q, q, torch.tensor([n + t]), torch.tensor([n]))
    return [key.norm().item(), query.norm().item(), (query @ key.T).item()]


def clipped_rows(m: int, K: int) -> Said:
    rows = clipped(m - torch.arange(13), K, K)
    return [2 * K + 1, (rows == 0).sum().item()]


def gapped_chains(m: int, g: int, K: int) -> Said:
    at, one = gapped_residues(torch.arange(16) // 8, g), numbers(1, 0)[None]
    other = at[8:] if m < 8 else at[:8]
    q, k = Rotary(numbers(0.5))(one, one.expand(8, 2), at[m : m + 1], other)
    return [len(residue_bins(at[m] - other, K).unique()), *(q @ k.T)[0, :2].tolist()]


def repeated_step(r: float, w: int, n: int) -> Said:
    """A table of codes: a matrix, and its powers."""
    c, s = r * math.cos(math.radians(w)), r * math.sin(math.radians(w))
    codes = linear_recurrence(numbers(c, -s, s, c).reshape(2, 2), numbers(1, 0), torch.tensor([n - 1, n]))
    return [codes[1].norm().item(), (codes[1] - codes[0]).norm().item()]


def turned_or_added(m: int, w: int) -> Said:
    at, step = torch.tensor([m, m + 1]), numbers(math.radians(w))
    multiplied = complex_order(at, numbers(1.2), step, numbers(0.7))[:, 0]
    sine_first = sinusoidal(at.double() * step, 2, dtype=torch.float64)
    added = torch.polar(numbers(1.2), numbers(0.7)) + torch.complex(*sine_first.flip(-1).T)
    steps = [way[1] / way[0] for way in (multiplied, added)]
    return [math.degrees(steps[0].angle()), math.degrees(steps[1].angle()), steps[1].abs().item()]


def swap_in_machine(p: int, o: int) -> Said:
    """Here the text itself is put into its new order; the picture moves the positions."""
    draw = torch.Generator().manual_seed(3)
    x, w_q, w_k, w_v = (torch.randn(rows, 8, dtype=torch.float64, generator=draw) / 2 for rows in (2, 8, 8, 8))
    reader = torch.randn(1, 8, dtype=torch.float64, generator=draw) @ w_q
    at, turn = torch.arange(2), Rotary(torch.ones(4, dtype=torch.float64))
    slots = Slots(
        transform=lambda q, k, m, n: turn(q, k, m, n) if p == 2 else (q, k),
        bias=lambda m, n: (p == 3) * (m[:, None] - n)[None].double(),
    )
    found = []
    for order in ([0, 1], [1, 0] if o else [0, 1]):
        words = x[order] + (p == 1) * sinusoidal(at, 8, dtype=torch.float64)
        memory = words + attention((words @ w_q)[None], (words @ w_k)[None], (words @ w_v)[None], slots)[0]
        found.append((memory[order], attention(reader, memory @ w_k, memory @ w_v)))  # by words again
    return [(a - b).abs().max().item() for a, b in zip(*found, strict=True)]


def trained_rows(s: int, l: int) -> Said:
    """By hand: the gradient of the loss, and its steps."""
    length = (4, 8, 12)[l]
    table = 0.8 * torch.randn(12, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(16))
    start, used, at = table.clone(), table[:length], torch.arange(length)
    for _ in range(4 * s):
        used -= 0.06 * 4 / length * (used @ used.T - (0.25 * (at[:, None] - at)).cos()) @ used
    return [(table != start).any(1).sum().item(), (used[1:] - used[:-1]).norm(dim=1).mean().item()]


def four_terms(m: int, d: int) -> Said:
    """Each term as what is left of the score when words or places are taken away."""
    draw = torch.Generator().manual_seed(55)
    x, y = torch.randn(2, 8, dtype=torch.float64, generator=draw)
    w_q, w_k = torch.randn(2, 8, 8, dtype=torch.float64, generator=draw)
    p, r = sinusoidal(torch.tensor([m, m - d]), 8, base=100.0, dtype=torch.float64)
    return [((a @ w_q) @ (b @ w_k) / 8 / math.sqrt(8)).item() for a, b in ((p, r), (x + p, y + r))]


def terms_on_off(a: int, b: int, c: int) -> Said:
    """By hand: the scores, word by word."""
    q = numbers(0.5, 0.5, 2.5, 0, 0.5, 0.5, 2.5, 0).reshape(4, 2)
    k = numbers(2, 2, 0.5, 0, 2, 2, 0.5, 0).reshape(4, 2)
    scores = q @ k.T
    for m in range(1, 4):  # one token back
        scores[m, m - 1] += a * q[m] @ numbers(1.5, 0) + b * k[m - 1] @ numbers(1.5, 1.5) + c * 1.5 * 1.5
    weights = (scores / math.sqrt(6)).softmax(-1)
    return [weights[1, 0].item(), weights[1, 2].item(), weights[2, 1].item()]


def kept_segment(n: int, w: int) -> Said:
    at = torch.arange(8)
    of_keys = pair_distances(at[-1:], at)[0] if w else torch.arange(4).repeat(2)
    return [of_keys[n].item(), (of_keys == of_keys[n]).sum().item()]


def swapped_words(o: int) -> Said:
    deux, keys = numbers(0.5, 1.1), torch.stack([numbers(0.3, 1.0), numbers(1.1, -0.5)])
    return [(keys @ deux / math.sqrt(2)).softmax(-1)[0].item()]  # in either order


def drowned_words(m: int) -> Said:
    mille, deux = numbers(0.3, 1.1) + m, numbers(1.1, -0.2) + m
    return [F.cosine_similarity(mille, deux, dim=0).clamp(max=1).acos().rad2deg().item(), deux.norm().item()]


def squeezed_places(n: int) -> Said:
    return [torch.linspace(0, 1, n, dtype=torch.float64)[1].item()]


def binary_places(m: int) -> Said:
    return [(m ^ (m + 1)).bit_count()]


def rounded_bits(w: float, m: int) -> Said:
    def values(at: int) -> torch.Tensor:
        bits = numbers(*(int(digit) for digit in reversed(f"{at:04b}")))
        waves = (math.pi * (at + 0.5) / 2 ** torch.arange(4)).sin()
        return (1 - w) * (2 * bits - 1) - w * waves

    return [(values(m + 1) - values(m)).norm().item()]


def window_strides(which: int, e: int, t: int) -> Said:
    """Windows laid out one by one, and the record's losses at the contexts that a stride gives."""
    w, s = 64 * (which + 1), 2**e
    given = contexts(192 + 4 * w, w, s)
    found = measured("loss by context", "rotary")
    period = given[w : w + s].tolist()
    scored = [found[c][0] for c in period if c]
    return [given[t].item(), min(period), math.exp(sum(scored) / len(scored))]


def travelling_words(w: int, s: int) -> Said:
    draw = torch.Generator().manual_seed(2)
    words = torch.randn(2, 8, dtype=torch.float64, generator=draw) / 2  # mille, deux
    w_q, w_k = torch.randn(2, 8, 8, dtype=torch.float64, generator=draw) / math.sqrt(8)
    between = w_q @ w_k.T if w == 2 else torch.eye(8, dtype=torch.float64)

    def score(at: int) -> float:
        x = sinusoidal(torch.tensor([at, at + 1]), 8, base=100.0, dtype=torch.float64) + (words if w else 0)
        return (x[1] @ between @ x[0]).item()

    return [score(s), score(0)]


def flipped_state(beta: float, w: int) -> Said:
    """One feature: the first token writes 1, and the bits write nothing."""
    bits = numbers(*(int(digit) for digit in f"0{w:010b}"))
    one, written = torch.ones(11, 1, dtype=torch.float64), numbers(1, *[0] * 10)[:, None]
    outputs, _ = recurrent(one, one, written, reflections(one, beta * bits))
    return [bits.sum().item(), outputs[-1].item()]


def new_patches(wide: int, high: int, rule: int) -> Said:
    """The middle and the edge from the first and the last of the places."""
    if rule == 4:
        at = (torch.arange(wide, dtype=torch.float64) + 0.5) * 4 / (wide + 0.1) - 0.5
    else:
        at = axis_places(4, wide, ("step", "middle", "edges", "corners")[rule])
    step = (at[1] - at[0]).item() if wide > 1 else (1, 1, 4, 3, 4 / 1.1)[rule]
    first, last = at[0].item(), at[-1].item()
    return [step, (first + last - 3) / 2, last + step / 2 - 3.5]


def word_and_patches(model: int, size: int, word: int, row: int, column: int) -> Said:
    """From the ids of all tokens: each pair has length 1, and the same vector for the word and the patch."""
    places = (flux_ids, qwen_image_ids)[model](word + 1, [(size, size)])
    both = places[[word, word + 1 + row * size + column]]
    freqs = joined_freqs([geometric_freqs(features) for features in (16, 56, 56)])
    q, k = rotate(numbers(1, 0).repeat(64).expand(2, -1), axes_angles(both, freqs))
    return [*(both[0] - both[1])[1:].double().tolist(), (q @ k).item() / 64]


TRUTH: Mapping[str, Callable[..., Said]] = {
    f.__name__: f
    for f in (
        alibi_weights,
        aligned_corners,
        axes_plane,
        binary_places,
        broken_positions,
        broken_stick,
        clipped_rows,
        clock,
        cosine_sums,
        counted_commas,
        counted_tokens,
        cut_texts,
        dials,
        distance_maps,
        dot_product_map,
        drawn_positions,
        drowned_words,
        far_copy,
        flipped_state,
        four_matrices,
        four_terms,
        gapped_chains,
        grid_numbers,
        kept_by_gates,
        heard_frames,
        kept_segment,
        kernel_share,
        likeness_in_space,
        move_both,
        moved_word,
        new_patches,
        norm_order,
        numbered_places,
        one_file_read,
        paired_rows,
        rel_shift_steps,
        repeated_step,
        ring_waves,
        rescaled_distances,
        round_box,
        rounded_bits,
        scaled_scores,
        score_by_distance,
        shapes_of_faults,
        squeezed_places,
        swap_in_machine,
        swapped_words,
        switched_lists,
        t5_buckets,
        terms_on_off,
        trained_rows,
        travelling_words,
        turned_or_added,
        two_factors,
        two_turns,
        two_words,
        units_of_time,
        window_strides,
        word_and_patches,
        words_or_head,
    )
}
TOLERANCE = 2e-5  # one table is stored to five digits


def picture(name: str) -> Movable:
    return getattr(pictures, name)()


def settings(picture: Movable, seed: int) -> dict[str, float]:
    """Each slider at one of its steps, and one option of each choice."""
    draw = random.Random(seed)
    found = {}
    for control in picture.controls:
        if isinstance(control, Choice):
            found[control.symbol.name] = draw.randrange(len(control.options))
        else:
            steps = draw.randint(0, round((control.high - control.low) / control.step))
            value = round(control.low + steps * control.step, 10)
            found[control.symbol.name] = int(value) if control.step == 1 else value
    return found
