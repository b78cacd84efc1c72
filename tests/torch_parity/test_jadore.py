"""Weights of jadore801120's Transformer are taken over, and compute and write what they do.

Their own beam search keeps and scores hypotheses otherwise; ours is compared with the same search over their logits.
"""

import numpy as np
import pytest

import npformer as npf
from npformer.decoding import beam_search, greedy_decode

from . import jadore_made as made
from .their_translator import beam, greedy
from .weights import torch

KINDS = {  # what it is made with, and which of its tables are one of ours
    "as their README trains it": ({"embs_share_weight": True}, "all"),
    "emb": ({"scale_emb_or_prj": "emb"}, "target"),
    "none": ({"scale_emb_or_prj": "none"}, "none"),
    "a generator of its own": ({"proj_share_weight": False}, "none"),
    "one layer, other widths": ({"n_layers": 1, "d_k": 4, "d_v": 3, "d_inner_hid": 9, "d_model": 12}, "target"),
}


@pytest.fixture
def imported(tmp_path):
    def run(**settings):
        theirs, known = made.make(tmp_path, **settings), made.SETTINGS | settings
        said = {f"{side}_vocabulary": str(tmp_path / f"{side}.txt") for side in ("source", "target")}
        said |= {"n_heads": known["n_head"], "scale": known["scale_emb_or_prj"]}
        return theirs, npf.interop.load(tmp_path / "model.pt", **said)

    return run


def their_ids(vocabulary, file):
    """Return their id of each of our tokens."""
    names = {"<pad>": "<blank>", "<bos>": "<s>", "<eos>": "</s>"}
    ids = {token: i for i, token in enumerate(file.read_text().splitlines())}
    return np.array([ids[names.get(token, token)] for token in vocabulary.tokens])


@pytest.mark.parametrize(("settings", "tie"), KINDS.values(), ids=KINDS)
def test_logits_are_theirs(imported, tmp_path, settings, tie):
    theirs, ours = imported(**settings)
    rows = [
        their_ids(vocabulary, tmp_path / f"{side}.txt") for side, vocabulary in vars(ours).items() if side != "model"
    ]
    src = np.array([[2, 4, 9, 1, 3, 0], [2, 11, 5, 3, 0, 0], [2, 8, 8, 7, 6, 3]])
    tgt = np.array([[2, 5, 9, 1], [2, 4, 0, 0], [2, 7, 10, 11]])
    with torch.no_grad():
        expected = theirs(torch.tensor(rows[0][src]), torch.tensor(rows[1][tgt])).numpy()[..., rows[1]]
    real = tgt != 0
    found = ours.model.forward(src, tgt)
    np.testing.assert_allclose(found[real], expected[real], rtol=1e-5, atol=1e-5 * np.abs(expected).max())
    config = ours.model.config
    assert (config.tie, config.max_len) == (tie, made.N_POSITION)
    assert config.layer_norm_eps == theirs.encoder.layer_norm.eps


@pytest.mark.parametrize("scale", ["emb", "prj"])
def test_greedy_and_beam_output_are_those_of_their_logits(imported, tmp_path, rng, scale):
    theirs, ours = imported(scale_emb_or_prj=scale)
    theirs.next_logp = lambda src, tgt: log_softmax(theirs, src, tgt)
    to_source, to_target = (their_ids(getattr(ours, side), tmp_path / f"{side}.txt") for side in ("source", "target"))
    found = []
    for n in (7, 2, 4, 9):
        text = " ".join(rng.choice([*"abcdefgh"], n))
        src = np.array([ours.encode(text)])
        assert (src[0, 0], src[0, -1]) == (2, 3)
        read, limit = to_source[src[0]].tolist(), src.size + 5
        [ids], [[best]] = greedy_decode(ours.model, src, extra=5), beam_search(ours.model, src, extra=5)
        assert to_target[ids].tolist() == greedy(theirs, read, limit=limit)
        assert to_target[best.ids].tolist() == beam(theirs, read, width=4, alpha=0.6, limit=limit)
        found.append((tuple(ids), tuple(best.ids)))
    assert len(set(found)) > 1


def log_softmax(theirs, src, tgt):
    with torch.no_grad():
        return theirs(torch.tensor([src]), torch.tensor([tgt]))[0, -1].double().log_softmax(-1)


def test_the_settings_of_a_checkpoint_are_not_unpickled(imported, tmp_path, refused):
    imported()
    line = refused("import", tmp_path / "model.chkpt", tmp_path / "run", "--source-vocabulary", tmp_path / "source.txt")
    assert "torch.save that holds tensors alone: write it with  torch.save(model.state_dict(), FILE)" in line
