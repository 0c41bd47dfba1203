"""The search leads to the section, by the words that people type, and is loaded when a reader opens it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser import STATES, axe_faults, enter, listen, load, page_faults, seen_faults
from tools.book import BOOK

pytestmark = pytest.mark.browser

# What a reader types, and the places that answer it: a page's start, or a section of it.
REVIEW = {
    "yarn attention factor": "extension/yarn#the-scores-grow-too",
    "t5 bucket": "relative/t5 relative/t5#how-wide-and-how-far relative/t5#the-idea-by-hand",
    "left padding": "practice/packed-and-split#left-padding-in-five-spellings "
    "practice/serving#one-shift-for-a-whole-text "
    "practice/traps#in-a-batch-the-shorter-prompt-gets-a-worse-answer",
    "which encoding for images": "rotary/axes practice/choosing#the-decision practice/choosing",
    "rope_theta": "extension/base practice/choosing#choosing-ropes-base rotary/rotary",
    "RoPE": "rotary/rotary",
    "alibi slopes": "relative/alibi#one-slope-for-each-head",
}
OWN = {
    "rotate_half": "rotary/rotary#two-layouts-one-map rotary/in-practice#two-ways-to-rotate-a-quarter",
    "dynamic ntk cache": "extension/ntk#why-cached-keys-go-stale",
    "inv_freq": "rotary/rotary rotary/rotary#the-idea-by-hand notation#pairs-and-layouts",
    "cu_seqlens": "practice/packed-and-split#borders-come-from-lengths",
    "mscale": "extension/yarn#the-scores-grow-too",
    "attention_factor": "extension/yarn#the-scores-grow-too",
    "position_ids": "practice/serving practice/serving#a-place-is-not-a-position",
    "kv cache": "practice/caches#rotated-or-as-they-are practice/caches#moving-a-cached-key practice/caches",
    "bfloat16 positions": "rotary/rotary#precision-and-the-cache "
    "rotary/in-practice#what-may-be-rounded-and-what-may-not "
    "practice/errata-code#positions-in-bfloat16",
    "mrope": "rotary/axes rotary/axes#texts-images-and-videos-in-one-sequence rotary/axes#which-pairs-for-which-axis",
    "video": "rotary/axes rotary/axes#texts-images-and-videos-in-one-sequence "
    "rotary/axes#break-it-the-text-after-a-video",
    "vision transformer resolution": "rotary/axes#what-is-a-step absolute/learned#longer-by-interpolation "
    "relative/window#a-table-for-another-window practice/traps#trained-at-224-pixels-worse-at-448 "
    "practice/traps#fine-tuned-at-another-size-evaluated-a-little-lower",
    "swin": "relative/window",
    "linear scaling": "extension/interpolation",
    "llama 3 rope scaling": "extension/yarn#llama-3-s-scaling-is-by-parts",
    "longrope short_factor long_factor": "extension/longrope#a-list-in-place-of-a-formula extension/longrope "
    "extension/longrope#the-switch",
    "attention sinks": "extension/windows#positions-inside-a-cache",
    "streaming llm": "extension/windows#positions-inside-a-cache",
    "self-extend": "extension/windows#count-groups extension/windows",
    "interleaved or half layout": "rotary/rotary#two-layouts-one-map",
    "convert weights llama to hugging face": "rotary/in-practice#sort-the-rows-head-by-head rotary/in-practice "
    "rotary/in-practice#a-checkpoint-that-loads-and-is-wrong",
    "why 10000": "absolute/sinusoidal absolute/sinusoidal#the-idea-by-hand absolute/sinusoidal#counting-is-not-enough",
    "sin cos positional encoding": "absolute/sinusoidal absolute/sinusoidal#moving-along-is-a-rotation-on-paper",
    "permutation equivariance": "foundations/order-blind#why-the-outputs-only-change-places",
    "no positional encoding": "extension/nope",
    "qk norm": "rotary/norms rotary/norms#before-or-after",
    "partial rotary factor": "rotary/in-practice#two-ways-to-rotate-a-quarter",
    "packed sequences": "practice/packed-and-split#borders-come-from-lengths practice/packed-and-split",
    "context parallelism": "practice/packed-and-split#one-text-on-several-processes "
    "practice/traps#context-parallelism-it-trains-and-the-model-is-worse",
    "relative position representations": "relative/shaw",
    "disentangled attention": "relative/deberta",
    "segment recurrence memory": "relative/transformer-xl#the-memory relative/transformer-xl",
    "log n scaling of attention": "extension/attention-scaling#a-factor-on-the-scores extension/attention-scaling",
    "ring attention zigzag": "practice/packed-and-split#one-text-on-several-processes",
    "what does m - n mean": "notation#letters",
    "test my own rotary function": "practice/check-your-own practice/check-your-own#in-a-terminal-in-a-test-in-ci",
}
# Written when the weights were settled. At first 23 of these 28 were found; then some names were added to the chapters.
LATER = {
    "how long can alibi extrapolate": "relative/alibi#longer-than-trained "
    "extension/why-it-breaks#what-is-known-of-each-encoding-s-reach",
    "phi-3 long prompts": "extension/longrope extension/longrope#what-programs-do-about-it "
    "extension/longrope#one-token-too-many extension/longrope#the-switch "
    "practice/traps#phi-3-loses-the-thread-at-token-4-097 practice/traps#phi-3-5-moe-rambles-beyond-4-096-tokens",
    "sliding window attention": "extension/mixed-layers#how-far-windows-reach",
    "qwen2-vl": "rotary/axes rotary/axes#texts-images-and-videos-in-one-sequence",
    "bert position embeddings 512": "absolute/learned absolute/learned#a-table-stops "
    "practice/traps#an-index-error-at-token-513-though-there-are-514-rows",
    "float16 overflow": "practice/traps#xpos-overflows-in-float16 rotary/xpos#the-centre-and-a-cache-that-breaks",
    "speculative decoding": "practice/traps#wrong-only-with-speculative-decoding practice/drafts",
    "group theory of rotary": "rotary/groups",
    "music transformer skew": "relative/shaw#the-skew-from-distances-to-keys-without-an-index",
    "t5 no scaling sqrt d": "relative/t5#why-nothing-divides-the-scores",
    "llama 4 temperature": "extension/attention-scaling extension/mixed-layers extension/attention-scaling#in-the-wild",
    "deepseek mla rope": "rotary/norms#a-slice-for-the-position",
    "wavelength of a pair": "notation#pairs-and-layouts notation#letters absolute/sinusoidal "
    "extension/base#pairs-that-went-round-once",
    "flash attention bias": "practice/fused-kernels#what-fused-kernels-take",
    "randomized positions": "extension/random-positions",
    "bidirectional alibi": "relative/alibi#both-directions-a-blind-spot",
    "causal mask position information": "extension/nope extension/nope#a-mask-gives-the-number-away "
    "foundations/order-blind#where-order-still-leaks-in",
    "code llama base 1000000": "extension/base",
    "values rotated": "rotary/rotary#why-the-values-are-not-rotated "
    "rotary/variations#the-values-stay-what-rotating-them-takes",
    "rope decay proof": "rotary/decay rotary/decay#an-upper-bound-that-comes-down-at-first "
    "rotary/rotary#does-the-score-decay-with-distance",
    "fourier position embedding": "rotary/variations#a-pair-has-one-wave-what-fope-gives-up",
    "tupe untied": "relative/deberta#tupe-the-opposite-choice",
    "nan softmax padding": "practice/traps#nan-as-soon-as-there-is-padding",
    "slopes when heads are not a power of two": "relative/alibi#one-slope-for-each-head "
    "practice/traps#alibi-with-12-heads-all-are-odd-the-last-four-most "
    "practice/errata-papers#slopes-for-any-number-of-heads",
    "xlnet": "relative/transformer-xl",
    "how does the proof checker work": "practice/what-is-checked practice/what-is-checked#when-a-step-passes",
    "which models use rope": "practice/released-models practice/released-models#the-table",
    "memory of the t5 bias": "practice/choosing#what-each-one-costs",
}

# Written when the chapters on gates, images and other shapes were; 26 of 29 were found before names were added.
BEYOND = {
    "kerple": "relative/kernels",
    "sandwich positional encoding": "relative/kernels#sandwich-the-sinusoid-as-a-bias",
    "conditionally positive definite kernel": "relative/kernels#what-makes-a-curve-a-kernel relative/kernels",
    "fire progressive interpolation": "relative/fire relative/fire#a-share-instead-of-a-distance",
    "hyperbolic rotary": "rotary/hyperbolic",
    "forgetting transformer": "content/gates",
    "stick-breaking attention": "content/stick-breaking",
    "mamba position": "content/transitions content/transitions#one-table",
    "gated deltanet": "content/transitions content/transitions#one-table "
    "content/transitions#reflections-replace-what-a-key-finds",
    "linear attention decay": "content/transitions content/transitions#decays-and-turns",
    "why can't mamba do parity": "content/transitions#what-a-sign-can-count",
    "contextual position encoding": "content/counts",
    "abacus embeddings addition": "content/counts#digits-from-the-start-of-their-number content/counts",
    "2d sincos position embedding": "shapes/images#a-sinusoid-for-each-axis shapes/images",
    "interpolate pos embed": "shapes/images#a-table-read-between-its-rows absolute/learned#longer-by-interpolation",
    "flux img_ids txt_ids": "shapes/generators shapes/generators#a-place-for-words "
    "shapes/generators#every-word-at-the-same-place",
    "riflex video loop": "shapes/generators#why-videos-looped-at-frame-201",
    "laplacian positional encoding": "shapes/graphs shapes/graphs#waves-by-hand",
    "sign ambiguity eigenvectors": "shapes/graphs#what-nobody-has-chosen shapes/graphs#what-no-choice-can-change",
    "random walk positional encoding": "shapes/graphs#walks-that-come-back",
    "nerf positional encoding": "shapes/points#nerf-with-and-without shapes/points",
    "random fourier features": "shapes/points#random-frequencies",
    "spherical harmonics": "shapes/points#on-a-sphere",
    "time2vec": "shapes/time#a-learned-vector-of-time shapes/time",
    "irregular time series": "shapes/time",
    "wav2vec convolutional position": "shapes/speech",
    "conformer relative position": "shapes/speech shapes/speech#without-the-shift "
    "shapes/speech#rows-for-both-directions",
    "alphafold relpos": "shapes/proteins",
    "residue index gap chain": "shapes/proteins#a-gap-hides-the-other-chain",
}

# Written when the part on running systems and the page on measuring were; 17 of 19 were found before names were added.
SYSTEMS = {
    "kv cache quantization": "practice/caches practice/caches#rounded-before-the-rotation-or-after "
    "practice/caches#a-hadamard-matrix-and-its-place",
    "hadamard rotation of keys": "practice/caches#a-hadamard-matrix-and-its-place",
    "context shift": "practice/caches#which-methods-can-move-a-key practice/caches#moving-a-cached-key",
    "tree attention draft positions": "practice/drafts#a-text-that-is-only-a-guess",
    "padding position ids": "practice/packed-and-split#left-padding-in-five-spellings",
    "tensor parallel alibi": "practice/packed-and-split#heads-on-several-devices",
    "logsumexp merge blocks": "practice/packed-and-split#a-kernel-sees-one-block",
    "rope backward pass": "practice/fused-kernels#the-gradient-rotates-back practice/fused-kernels",
    "is_causal decoding mask": "practice/fused-kernels#where-the-queries-stand",
    "view_as_complex export": "practice/fused-kernels#complex-numbers-and-their-real-twin",
    "mla softmax scale": "practice/fused-kernels#the-scale-of-absorbed-heads",
    "vllm rope scaling": "practice/settings practice/settings#what-an-override-replaces "
    "practice/settings#who-calls-it-what practice/settings#lines-to-copy",
    "llama.cpp yarn": "practice/settings practice/settings#who-calls-it-what practice/settings#the-attention-factor",
    "exllama alpha": "practice/settings#alpha-is-a-base",
    "hf-overrides rope_parameters": "practice/settings#what-an-override-replaces",
    "perplexity stride": "practice/measuring practice/measuring#what-a-stride-does",
    "effective context length": "practice/measuring#from-scores-to-a-length practice/measuring",
    "needle in a haystack": "practice/measuring#one-needle-and-beyond",
    "how many seeds": "practice/measuring#seeds-and-error-bars practice/comparison-protocol",
}

# A name among other words, and symptoms as people put them.
TYPED = {
    "rope explained": "rotary/rotary",
    "fp16 rope": "rotary/rotary rotary/rotary#precision-and-the-cache",
    "what is rope": "rotary/rotary",
    "rope vs alibi": "rotary/rotary relative/alibi",
    "yarn explained": "extension/yarn",
    "how does alibi work": "relative/alibi",
    "outputs garbage after 4k tokens": "practice/traps#rubbish-past-the-trained-length-and-no-error",
    "rope_scaling ignored error grows with context": "practice/settings",
    "apply rope on wrong axis heads instead of sequence": "practice/traps"
    "#it-learns-but-worse-than-it-should-and-order-is-lost",
    "rotary_dim vs head_dim frequencies": "rotary/in-practice#two-ways-to-rotate-a-quarter",
    "positional encoding added to wrong dimension batch_first": "practice/traps"
    "#the-batch-size-changes-what-the-model-learns",
    "hf-overrides ignored for multimodal model text_config": "practice/settings#a-model-with-parts",
    "setting rope_scaling after from_pretrained has no effect": "practice/settings#after-the-model-is-loaded",
    "olmo 3 yarn only full attention layers": "practice/settings#yarn-in-some-layers-only",
}


def answers(page: Page, query: str) -> list[str]:
    """The places that are shown for a query, as the tables write them."""
    page.locator("dialog input[type=search]").fill(query)
    page.wait_for_function("q => document.querySelector('dialog .search-found').dataset.query === q", arg=query)
    links = page.locator("dialog .search-found a").evaluate_all("all => all.map((a) => a.href)")
    return [link.partition("/book/")[2].replace(".html", "") for link in links]


@pytest.fixture
def opened(page: Page, origin: str) -> Page:
    """A chapter with the search open."""
    page.goto(f"{origin}/book/relative/alibi.html")
    page.keyboard.press("Control+k")
    return page


@pytest.mark.parametrize(
    "asked", [REVIEW, OWN, LATER, BEYOND, SYSTEMS, TYPED], ids=["review", "own", "later", "beyond", "systems", "typed"]
)
def test_nine_of_ten_queries_find_their_section_among_the_first_two(opened: Page, asked: dict[str, str]) -> None:
    missed = {query: answers(opened, query)[:2] for query in asked}
    missed = {query: found for query, found in missed.items() if not set(found) & set(asked[query].split())}
    assert len(missed) <= 0.1 * len(asked), missed


def test_nothing_of_it_is_loaded_before_it_is_opened(page: Page, origin: str) -> None:
    sizes: dict[str, int] = {}
    page.on("requestfinished", lambda r: sizes.update({r.url: r.sizes()["responseBodySize"]}))
    page.goto(f"{origin}/book/relative/alibi.html")
    page.wait_for_load_state("networkidle")
    assert not [url for url in sizes if "search" in url.replace("search.js", "").replace("search.css", "")]
    assert not [url for url in sizes if "pagefind" in url]
    before = set(sizes)
    page.keyboard.press("Control+k")
    assert answers(page, "alibi slopes")
    page.wait_for_load_state("networkidle")
    loaded = {url: size for url, size in sizes.items() if url not in before}
    print(f"the search: {len(loaded)} requests, {sum(loaded.values())} bytes")
    assert all(url.startswith(f"{origin}/_static/pagefind/") for url in loaded)
    assert sum(loaded.values()) < 400_000


def test_a_query_with_a_word_too_many_has_an_answer(opened: Page) -> None:
    assert "relative/alibi#one-slope-for-each-head" in answers(opened, "please show alibi slopes qzxqzx")[:3]
    assert answers(opened, "") == answers(opened, "?!") == []


def test_what_a_reader_types_is_shown_marked_and_without_raw_formulas(opened: Page) -> None:
    for query in [*REVIEW, *OWN]:
        answers(opened, query)
        told = " ".join(opened.locator("dialog .search-found p").all_inner_texts())
        assert not re.search(r"\\[a-z(\[]|\$", told), told
    answers(opened, "left padding")
    marked = {word.lower().strip(".,") for word in opened.locator("dialog mark").all_inner_texts()}
    assert {"left", "padding"} <= marked


def test_it_is_used_with_the_keyboard_alone(opened: Page) -> None:
    answers(opened, "alibi slopes")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("ArrowDown")
    opened.keyboard.press("ArrowUp")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/alibi.html#one-slope-for-each-head")
    assert not opened.locator("#pst-search-dialog").is_visible()


def test_return_leads_to_the_page_of_all_answers(opened: Page) -> None:
    answers(opened, "rotary")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**/search.html?q=rotary")
    opened.wait_for_selector(".search-page .search-found a")
    assert opened.locator(".search-page .search-found a").count() > 8


def test_the_open_search_has_no_fault(page: Page, origin: str) -> None:
    faults: list[str] = []
    url = f"{origin}/book/practice/cheat-sheet.html"
    listen(page, url, faults)
    load(page, url)
    page.keyboard.press("Control+k")
    answers(page, "yarn attention factor")
    for state in STATES:
        enter(page, *state)
        box = page.locator("#pst-search-dialog").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= state[0]
        glass, field = page.locator("dialog form .fa-magnifying-glass"), page.locator("dialog form input")
        assert glass.bounding_box()["x"] + glass.bounding_box()["width"] <= field.bounding_box()["x"]
        faults += seen_faults(page)
    faults += axe_faults(page)
    assert faults == []


def test_the_page_of_all_answers_has_no_fault(browser: Browser, origin: str) -> None:
    assert page_faults(browser, f"{origin}/search.html?q=rotary") == []


# --- The side bar and the ways ----------------------------------------------------------------------------------------


def test_the_part_of_the_present_page_is_open_and_in_view_on_a_phone(browser: Browser, origin: str) -> None:
    with browser.new_context(viewport={"width": 390, "height": 600}) as context:
        page = context.new_page()
        page.goto(f"{origin}/book/practice/errata-code.html")
        page.locator(".primary-toggle").click()
        page.wait_for_function(
            """() => { const here = document.querySelector("dialog[open] .toctree-l1.current")?.getBoundingClientRect()
                       return here && here.top > 0 && here.bottom < innerHeight }"""
        )
        parts = page.locator("dialog[open] details.part")
        assert parts.evaluate_all("all => all.filter((p) => p.open).length") == 1
        assert parts.count() == len(BOOK.toc["parts"])
