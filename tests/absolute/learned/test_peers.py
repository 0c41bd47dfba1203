"""The same vectors from transformers' models, with copied weights, and from the ways in which others resample."""

from __future__ import annotations

import pytest
import scipy.ndimage
import torch
from torch.nn import functional as F
from transformers import BertConfig, DeiTConfig, GPT2Config, OPTConfig, RobertaConfig, ViTConfig
from transformers.models.bart.modeling_bart import BartLearnedPositionalEmbedding
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.deit.modeling_deit import DeiTEmbeddings
from transformers.models.gpt2.modeling_gpt2 import GPT2Model
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings
from transformers.models.vit.modeling_vit import ViTEmbeddings

from posenc_lib.absolute import Learned, resample_grid

SMALL = {"hidden_size": 16, "num_attention_heads": 2, "vocab_size": 50, "pad_token_id": 1}
IMAGES = {"hidden_size": 16, "num_attention_heads": 2, "image_size": 24, "patch_size": 4, "num_channels": 3}


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


# --- text


def test_the_sizes_in_the_chapter_are_the_defaults_of_transformers():
    assert (BertConfig().max_position_embeddings, BertConfig().hidden_size) == (512, 768)
    assert BertConfig().initializer_range == 0.02
    assert (GPT2Config().n_positions, GPT2Config().n_embd) == (1024, 768)
    assert OPTConfig().max_position_embeddings == 2048
    assert RobertaConfig().pad_token_id == 1


def test_bert_adds_the_same_rows():
    theirs = BertEmbeddings(BertConfig(**SMALL, max_position_embeddings=32)).eval()
    ours = Learned(theirs.position_embeddings.weight)
    tokens, positions = torch.randint(2, 50, (2, 32)), torch.arange(32)
    words = theirs.word_embeddings(tokens) + theirs.token_type_embeddings.weight[0]
    assert theirs.LayerNorm(words + ours(positions)).equal(theirs(tokens))


def test_bert_takes_positions_of_each_sample():
    theirs = BertEmbeddings(BertConfig(**SMALL, max_position_embeddings=32)).eval()
    ours = Learned(theirs.position_embeddings.weight)
    tokens, positions = torch.randint(2, 50, (2, 5)), torch.tensor([[0, 0, 1, 2, 3], [9, 31, 4, 4, 0]])
    words = theirs.word_embeddings(tokens) + theirs.token_type_embeddings.weight[0]
    assert theirs.LayerNorm(words + ours(positions)).equal(theirs(tokens, position_ids=positions))


def test_gpt2_adds_the_same_rows():
    config = GPT2Config(n_embd=16, n_head=2, n_layer=0, n_positions=32, vocab_size=50)
    theirs = GPT2Model(config).eval()
    tokens = torch.randint(50, (2, 32))
    embedded = theirs.wte(tokens) + Learned(theirs.wpe.weight)(torch.arange(32))
    torch.testing.assert_close(theirs.ln_f(embedded), theirs(tokens).last_hidden_state, rtol=0, atol=0)


@pytest.mark.parametrize("mask", [[1, 1, 1, 1], [0, 0, 1, 1], [1, 1, 1, 0]])
def test_opt_counts_from_two(mask):
    """Row 0 is never read, row 1 by padding alone: its position -1 would else have no row."""
    theirs = OPTLearnedPositionalEmbedding(10, 16)
    mask = torch.tensor([mask])
    assert theirs.weight.shape == (12, 16)
    positions = mask.cumsum(-1) * mask - 1 + 2
    assert positions.min() == (2 if mask.all() else 1)
    assert Learned(theirs.weight)(positions).equal(theirs(mask))


def test_bart_counts_from_two_whatever_the_padding():
    theirs = BartLearnedPositionalEmbedding(10, 16)
    got = Learned(theirs.weight)(torch.arange(4) + 2)
    assert got.equal(theirs(torch.tensor([[5, 6, 1, 1]]))[0])


@pytest.mark.parametrize("pad", [1, 3])
def test_roberta_counts_from_its_padding_index_plus_one(pad):
    config = RobertaConfig(**{**SMALL, "pad_token_id": pad}, max_position_embeddings=10)
    theirs = RobertaEmbeddings(config).eval()
    ours = Learned(theirs.position_embeddings.weight)
    tokens = torch.tensor([[7, 8, 9, pad, pad], [pad, 7, 8, 9, 6]])
    positions = torch.tensor([[1, 2, 3, 0, 0], [0, 1, 2, 3, 4]]) + pad
    words = theirs.word_embeddings(tokens) + theirs.token_type_embeddings.weight[0]
    assert theirs.LayerNorm(words + ours(positions)).equal(theirs(tokens))


def test_roberta_has_fewer_positions_than_rows():
    """514 rows for 512 tokens in the published models; ten rows serve eight tokens here."""
    theirs = RobertaEmbeddings(RobertaConfig(**SMALL, max_position_embeddings=10)).eval()
    assert theirs(torch.full((1, 8), 7)).shape == (1, 8, 16)
    with pytest.raises(RuntimeError, match="out of bounds"):
        theirs(torch.full((1, 9), 7))
    with pytest.raises(ValueError, match="a table of 10 rows serves positions 0 … 9 here; got 10"):
        Learned(theirs.position_embeddings.weight)(torch.arange(9) + 2)


# --- images


def vision(kind):
    """The embeddings of a small model with random weights, and how many rows come before the patches."""
    if kind == "vit":
        theirs, prefix_rows = ViTEmbeddings(ViTConfig(**IMAGES)), 1
    else:
        theirs, prefix_rows = DeiTEmbeddings(DeiTConfig(**IMAGES)), 2
        for tokens in (theirs.position_embeddings, theirs.cls_token, theirs.distillation_token):
            torch.nn.init.normal_(tokens)  # zeros without a checkpoint, and zeros show nothing
    return theirs.eval(), prefix_rows


def patches(theirs, images, **how):
    """The class token, the distillation token where there is one, and the patches, before positions are added."""
    extra = [theirs.cls_token] + ([theirs.distillation_token] if hasattr(theirs, "distillation_token") else [])
    rows = theirs.patch_embeddings(images, **how)
    return torch.cat([*(x.expand(len(rows), -1, -1) for x in extra), rows], dim=1)


@pytest.mark.parametrize("kind", ["vit", "deit"])
def test_vision_models_add_the_same_rows(kind):
    theirs, prefix_rows = vision(kind)
    images = torch.randn(2, 3, 24, 24)
    assert theirs.position_embeddings.shape == (1, 36 + prefix_rows, 16)
    ours = Learned(theirs.position_embeddings[0])(torch.arange(36 + prefix_rows))
    assert (patches(theirs, images) + ours).equal(theirs(images))


@pytest.mark.parametrize("kind", ["vit", "deit"])
@pytest.mark.parametrize("grid", [(6, 6), (12, 12), (9, 7), (4, 9), (3, 5)])
def test_vision_models_resample_the_same_rows(kind, grid):
    theirs, prefix_rows = vision(kind)
    height, width = 4 * grid[0], 4 * grid[1]
    ours = resample_grid(theirs.position_embeddings[0], (6, 6), grid, prefix_rows=prefix_rows)
    shaped_like = torch.zeros(1, prefix_rows + grid[0] * grid[1], 16)
    assert ours.equal(theirs.interpolate_pos_encoding(shaped_like, height, width)[0])
    images = torch.randn(2, 3, height, width)
    embedded = patches(theirs, images) + Learned(ours)(torch.arange(len(ours)))
    assert embedded.equal(theirs(images, interpolate_pos_encoding=True))


@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("new", [(24, 24), (7, 20)])
def test_the_table_of_a_large_vision_transformer(new, antialias):
    """197 rows of 768, as `interpolate` makes them of [1, 768, 14, 14]; timm sets antialias."""
    table = torch.randn(197, 768)
    image = table[1:].T.reshape(1, 768, 14, 14)
    wanted = F.interpolate(image, size=new, mode="bicubic", align_corners=False, antialias=antialias)
    got = resample_grid(table, (14, 14), new, prefix_rows=1, antialias=antialias)
    assert got[0].equal(table[0])
    assert got[1:].T.equal(wanted.flatten(2)[0])


def test_the_first_vision_transformer_puts_corners_on_corners():
    """Its code calls scipy's zoom of order 1: linear, align_corners. Another table than that of transformers."""
    table = torch.randn(20, 8, dtype=torch.float64)
    zoomed = scipy.ndimage.zoom(table.reshape(4, 5, 8).numpy(), (8 / 4, 10 / 5, 1), order=1)
    image = table.T.reshape(1, 8, 4, 5)
    aligned = F.interpolate(image, size=(8, 10), mode="bilinear", align_corners=True)
    torch.testing.assert_close(torch.from_numpy(zoomed).reshape(80, 8).T, aligned.flatten(2)[0], rtol=0, atol=1e-12)
    assert (resample_grid(table, (4, 5), (8, 10)).T - aligned.flatten(2)[0]).abs().max() > 0.1


def test_a_factor_with_a_tenth_added_is_another_table():
    """DINO and DINOv2 pass scale_factor = (new + 0.1) / old where transformers passes the size."""
    table = torch.randn(36, 8, dtype=torch.float64)
    image = table.T.reshape(1, 8, 6, 6)
    scaled = F.interpolate(image, scale_factor=(9.1 / 6, 9.1 / 6), mode="bicubic", align_corners=False)
    assert scaled.shape == (1, 8, 9, 9)
    difference = (resample_grid(table, (6, 6), (9, 9)).T - scaled.flatten(2)[0]).abs().max()
    assert 0.01 < difference < 0.5


# --- positions from the padding


def roberta_positions(ids, padding):
    """As the chapter has it."""
    real = ids != padding
    return real.cumsum(-1) * real + padding


@pytest.mark.parametrize("pad", [0, 1, 3, 7])
def test_positions_are_counted_from_the_padding_whatever_its_index_and_place(pad):
    theirs = RobertaEmbeddings(RobertaConfig(**{**SMALL, "pad_token_id": pad}, max_position_embeddings=64)).eval()
    tokens = torch.randint(8, 50, (20, 9))
    tokens[torch.rand(20, 9) < 0.3] = pad
    assert roberta_positions(tokens, pad).equal(theirs.create_position_ids_from_input_ids(tokens, pad))
    full = torch.full((1, 9), 10)
    assert roberta_positions(full, pad).equal(torch.arange(9)[None] + pad + 1)
    assert (roberta_positions(full, pad).equal(torch.arange(9)[None] + 2)) == (pad == 1)


def test_roberta_takes_given_positions_as_they_are():
    """So packed texts restart at the padding index plus 1: from 0, all of them read other rows."""
    theirs = RobertaEmbeddings(RobertaConfig(**SMALL, max_position_embeddings=32)).eval()
    texts = torch.tensor([[7, 8, 9]]), torch.tensor([[5, 6, 7, 8]])
    own = torch.cat([theirs(text) for text in texts], dim=1)
    packed = torch.cat(texts, dim=1)
    restarts = torch.tensor([[0, 1, 2, 0, 1, 2, 3]])
    torch.testing.assert_close(theirs(packed, position_ids=restarts + 2), own, rtol=0, atol=1e-6)
    assert ((theirs(packed, position_ids=restarts) - own).abs().amax(-1) > 0.01).all()
