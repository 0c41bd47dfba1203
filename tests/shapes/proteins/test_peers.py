"""The same bins from AlphaFold and OmegaFold, kept as values, and from ESMFold in transformers."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from transformers.models.esm.configuration_esm import EsmConfig
from transformers.models.esm.modeling_esmfold import EsmFoldRelativePosition, EsmForProteinFolding

from posenc_lib.relative import clipped
from posenc_lib.relative.distance import pair_distances
from posenc_lib.shapes import chain_bins, gapped_residues, pair_features, residue_bins

KEPT = json.loads((Path(__file__).parents[2] / "oracles" / "residues_alphafold.json").read_text())
GAPPED = gapped_residues(torch.tensor([0] * 40 + [1] * 9), gap=10)


def back(residues):
    return pair_distances(residues, residues)


@pytest.mark.parametrize("case", KEPT["cases"], ids=["three chains", "four copies"])
def test_alphafold(case):
    residues, chains, entities, copies = (
        torch.tensor(case["ids"][name]) for name in ("residue_index", "asym_id", "entity_id", "sym_id")
    )
    assert residue_bins(back(residues)).tolist() == case["one_chain_bins"]
    assert chain_bins(residues, chains).tolist() == case["residue_bins"]
    features = pair_features(residues, chains, entities, copies)
    assert features.shape[-1] == case["features"] == 73
    assert features[..., 66].tolist() == case["same_entity"]
    assert features[..., 67:].argmax(-1).tolist() == case["copy_bins"]


def esmfold():
    """Whose row r of the table is the number r."""
    bins = EsmConfig(is_folding_model=True, vocab_list=["A"], vocab_size=1).esmfold_config.trunk.position_bins
    module = EsmFoldRelativePosition(SimpleNamespace(position_bins=bins, pairwise_state_dim=1))
    module.embedding.weight.data = torch.arange(66.0)[:, None]
    return module


def test_esmfold_counts_the_other_way_after_a_row_for_padding():
    theirs = esmfold()(GAPPED[None])[0, ..., 0].long()
    assert theirs.unique().tolist() == list(range(1, 66))
    assert torch.equal(theirs, 65 - residue_bins(back(GAPPED)))
    assert torch.equal(theirs, clipped(back(GAPPED), 32, 32) + 1)  # in the order of Shaw's table
    mask = torch.ones(1, 49, dtype=torch.long)
    mask[0, 5] = 0
    masked = esmfold()(GAPPED[None], mask)[0, ..., 0].long()
    assert masked[5].eq(0).all()
    assert masked[:, 5].eq(0).all()


def test_a_flipped_table_ports_esmfold():
    theirs = esmfold()
    table = theirs.embedding.weight.data[1:].flip(0)
    torch.testing.assert_close(table[residue_bins(back(GAPPED))], theirs(GAPPED[None])[0].detach(), rtol=0, atol=0)


def test_omegafold_counts_the_other_way():
    theirs = torch.tensor(KEPT["omegafold"]["rows"])
    assert torch.equal(theirs, 8 - residue_bins(back(torch.arange(7)), 4))
    assert not torch.equal(theirs, residue_bins(back(torch.arange(7)), 4))


def test_esmfolds_language_model_gets_no_residue_numbers():
    from_text = EsmForProteinFolding.compute_language_model_representations
    assert [*inspect.signature(from_text).parameters] == ["self", "esmaa"]
    assert "position_ids" not in inspect.getsource(from_text)
