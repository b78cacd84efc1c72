"""Checkpoints of jadore801120's Transformer are taken over, and compute and write what they do.

Their own beam search keeps and scores hypotheses otherwise; ours is compared with the same search over their logits.
"""

import numpy as np
import pytest
from safetensors.numpy import save_file

import npformer as npf
from npformer.decoding import Translator, beam_search, greedy_decode

from . import jadore_made as made
from .their_translator import beam, greedy
from .weights import torch

KINDS = {  # what it is made with, and which of its tables are one of ours
    "as their README trains it": ({"embs_share_weight": True}, "all"),
    "two vocabularies": ({}, "target"),
    "emb": ({"scale_emb_or_prj": "emb"}, "target"),
    "emb, one vocabulary": ({"scale_emb_or_prj": "emb", "embs_share_weight": True}, "all"),
    "none": ({"scale_emb_or_prj": "none"}, "none"),
    "a generator of its own": ({"proj_share_weight": False}, "none"),
    "a generator of its own, emb": ({"proj_share_weight": False, "scale_emb_or_prj": "emb"}, "none"),
    "one layer, other widths": ({"n_layers": 1, "d_k": 4, "d_v": 3, "d_inner_hid": 9, "d_model": 12}, "target"),
}


@pytest.fixture
def imported(tmp_path):
    def run(**settings):
        theirs = made.make(tmp_path, **settings)
        files = {f"{side}_vocabulary": str(tmp_path / f"{side}.txt") for side in ("source", "target")}
        return theirs, npf.interop.load(tmp_path / "model.chkpt", **files)

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
    assert (config.tie, config.dropout, config.max_len) == (tie, 0.2, made.N_POSITION)
    assert config.layer_norm_eps == theirs.encoder.layer_norm.eps


@pytest.mark.parametrize("scale", ["emb", "prj", "none"])
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


@pytest.fixture
def said(tmp_path):
    """The options of the vocabularies."""
    return [text for side in ("source", "target") for text in (f"--{side}-vocabulary", tmp_path / f"{side}.txt")]


def test_a_checkpoint_becomes_a_run_that_translates(imported, said, tmp_path, command):
    _, ours = imported()
    status, out, _ = command("import", tmp_path / "model.chkpt", tmp_path / "run", *said)
    assert status == 0
    assert "2+2 layers, d_model 16, d_ff 24, 3 heads" in out
    expected = ours.translate(["a b c", "h h e"])
    assert command("translate", tmp_path / "run", "a b c", "h h e").out.splitlines() == expected
    assert Translator.load(tmp_path / "run").translate(["a b c", "h h e"]) == expected
    picture = tmp_path / "look.png"
    assert command("attend", tmp_path / "run", "a b c", "--translation", "z y", "--out", picture).status == 0


def test_weights_alone_need_what_the_settings_would_say(imported, said, tmp_path, command, refused):
    theirs, ours = imported(embs_share_weight=True)
    weights = {name: tensor.numpy().copy() for name, tensor in theirs.state_dict().items()}
    save_file(weights, tmp_path / "model.safetensors")
    line = ["import", tmp_path / "model.safetensors", tmp_path / "run", *said]
    assert "there are no settings with the weights: give --n-heads" in refused(*line)
    assert "there are no settings with the weights: give --scale" in refused(*line, "--n-heads", 3)
    assert command(*line, "--n-heads", 3, "--scale", "prj").status == 0
    found = Translator.load(tmp_path / "run").model.state_dict()
    assert all((found[name] == array).all() for name, array in ours.model.state_dict().items())


W_QS = "encoder.layer_stack.0.slf_attn.w_qs.weight"
TABLE = "encoder.position_enc.pos_table"


class Odd:
    """What a checkpoint has no business to hold."""


def changed(**changes):
    return lambda content: content["settings"].__dict__.update(changes)


DAMAGES = {
    "an array missing": (lambda c: c["model"].pop("decoder.layer_norm.bias"), "lack decoder.layer_norm.bias"),
    "a layer missing": (
        lambda c: strip(c["model"], "decoder.layer_stack"),
        "these weights lack decoder.layer_stack.0",
    ),
    "an array more": (lambda c: c["model"].update({f"{W_QS[:-6]}bias": torch.ones(15)}), "w_qs.bias, which is no part"),
    "a shape": (
        lambda c: c["model"].update({W_QS.replace("w_qs", "w_ks"): torch.ones(3, 16)}),
        "weights do not fit this config",
    ),
    "no number": (lambda c: c["model"][W_QS].fill_(torch.nan), f"{W_QS} contains NaN or infinity"),
    "no positions": (lambda c: c["model"].pop(TABLE), f"lack {TABLE}"),
    "other positions": (lambda c: c["model"][TABLE].fill_(1), f"{TABLE} does not hold the sines and cosines"),
    "other heads": (changed(n_head=4), "n_head is 4, and its queries and values are 15 and 21 wide"),
    "no heads": (lambda c: delattr(c["settings"], "n_head"), "give --n-heads"),
    "an odd scale": (changed(scale_emb_or_prj="both"), "scale_emb_or_prj is 'both': expected one of emb, prj, none"),
    "an odd dropout": (changed(dropout=2), "dropout = 2: expected"),
    "an older one": (lambda c: delattr(c["settings"], "scale_emb_or_prj"), "was saved by another train.py"),
    "other settings": (lambda c: c.update(settings=[1]), "has settings of the type list: expected"),
    "another pad": (changed(src_pad_idx=1), "have 1 as the id of padding, the source vocabulary has 5"),
    "another target pad": (changed(trg_pad_idx=0), "the target vocabulary has 5"),
    "code": (
        lambda c: c.update(settings=Odd()),
        "it holds more than tensors, which could be code, and is not unpickled",
    ),
    "no model": (lambda c: c.update(model={"a": 3, W_QS: 1}), "holds no state dict"),
}


def strip(weights, stem):
    for name in [name for name in weights if name.startswith(stem)]:
        del weights[name]


@pytest.mark.parametrize(("damage", "message"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_or_foreign_checkpoint_gets_one_line(imported, said, tmp_path, refused, damage, message):
    imported()
    path = tmp_path / "model.chkpt"
    content = torch.load(path, weights_only=False)
    damage(content)
    torch.save(content, path)
    assert message in refused("import", path, tmp_path / "run", *said)
    assert not (tmp_path / "run").exists()
