"""Models of Marian are taken over from a folder, and compute, read, write and search as
MarianMTModel does.
"""

import json
import shutil

import numpy as np
import pytest

import npformer as npf
from npformer.text import PAD, pad

from . import marian_made as made
from .marian_made import transformers
from .weights import torch

KINDS = {  # what the model is made with, and which of its tables are one of ours
    "as opus-mt": ({}, "all"),
    "embeddings as they are": ({"scale_embedding": False, "activation_function": "gelu"}, "none"),
    "two vocabularies": ({"separate": True}, "target"),
    "three tables": ({"separate": True, "tie_word_embeddings": False}, "none"),
    "starts with </s>": ({"decoder_start_token_id": 0, "d_model": 48, "encoder_layers": 1}, "all"),
}


class Theirs:
    """Their model and tokenizer of a folder, and our ids as theirs."""

    def __init__(self, folder, model=None):
        self.model = model or transformers.MarianMTModel.from_pretrained(folder)
        self.tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
        files = [folder / name for name in ("vocab.json", "target_vocab.json")]
        self.ids = [json.loads(file.read_text()) for file in files if file.exists()]

    def rows(self, vocabulary, side):
        """Return their id of each of our tokens, -1 of <bos>."""
        names, ids = {"<eos>": "</s>"}, self.ids[min(side, len(self.ids) - 1)]
        return np.array([ids.get(names.get(token, token), -1) for token in vocabulary.tokens])

    def generate(self, sentences, **how):
        """Return what their model writes, and the scores of a beam."""
        batch = self.tokenizer(sentences, return_tensors="pt", padding=True)
        how = {
            "do_sample": False,
            "max_new_tokens": 63,
            "bad_words_ids": [[self.tokenizer.pad_token_id]],
            **how,
        }
        with torch.no_grad():
            found = self.model.generate(
                **batch, output_scores=True, return_dict_in_generate=True, **how
            )
        texts = self.tokenizer.batch_decode(found.sequences, skip_special_tokens=True)
        return texts, found.get("sequences_scores")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a model that has been trained a little; not to be changed."""
    folder = tmp_path_factory.mktemp("opus-mt-en-de")
    made.make(folder, steps=120)
    return folder


@pytest.fixture(scope="module")
def theirs(folder):
    return Theirs(folder)


@pytest.fixture(scope="module")
def ours(folder):
    return npf.interop.load(folder)


@pytest.fixture(scope="module")
def pairs():
    """Sixty pairs that the model was not trained on."""
    return made.phrasebook.split(400, 60, seed=2)[1]


@pytest.fixture(scope="module")
def sentences(pairs):
    return [pair.source for pair in pairs]


@pytest.mark.parametrize(("settings", "tie_embeddings"), KINDS.values(), ids=KINDS)
def test_logits_equal_marian(settings, tie_embeddings, pairs, tmp_path):
    theirs = Theirs(tmp_path, made.make(tmp_path, **settings))
    ours = npf.interop.load(tmp_path)
    src = pad([ours.encode(pair.source) for pair in pairs], PAD)
    written = [ours.target.encode(pair.target) for pair in pairs]
    tgt = pad([[ours.model.config.start_id, *ids] for ids in written], PAD)
    real = np.arange(tgt.shape[1]) <= np.array([[len(ids)] for ids in written])
    found = ours.model.forward(src, tgt)[real]

    source, target = theirs.rows(ours.source, 0), theirs.rows(ours.target, 1)
    their_src, their_tgt = (torch.tensor(rows[ids]) for rows, ids in ((source, src), (target, tgt)))
    masks = {
        "attention_mask": torch.tensor(src != PAD).long(),
        "decoder_attention_mask": torch.tensor(real).long(),
    }
    with torch.no_grad():
        logits = theirs.model(their_src, decoder_input_ids=their_tgt, **masks).logits.numpy()
    both = target >= 0
    expected = logits[real][:, target[both]]
    assert both.sum() == logits.shape[-1]
    np.testing.assert_allclose(
        found[:, both], expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max()
    )
    eps = theirs.model.model.encoder.layers[0].self_attn_layer_norm.eps
    assert (ours.model.config.tie_embeddings, ours.model.config.layer_norm_eps) == (
        tie_embeddings,
        eps,
    )


def test_greedy_output_equals_marian(ours, theirs, sentences):
    expected, _ = theirs.generate(sentences, num_beams=1)
    assert ours.translate(sentences, beam=1) == expected
    assert len(set(expected)) > 50


@pytest.mark.parametrize(("beam", "alpha"), [(4, 1.0), (3, 0.5)])
def test_beam_search_with_length_penalty_equals_marian(ours, theirs, sentences, beam, alpha):
    how = {"num_beams": beam, "length_penalty": alpha, "early_stopping": "never"}
    expected, scores = theirs.generate(sentences, **how)
    found = ours.n_best(sentences, beam=beam, alpha=alpha, length_normalization="length")
    assert [best.text for [best] in found] == expected
    np.testing.assert_allclose([best.score for [best] in found], scores, rtol=1e-4)


def test_default_penalty_of_marian_is_length(ours, theirs, sentences):
    expected, _ = theirs.generate(sentences, num_beams=4, early_stopping="never")
    assert ours.translate(sentences, beam=4) == expected
    assert ours.translate(sentences, beam=4, alpha=0.6, length_normalization="wu") != expected


@pytest.mark.parametrize(("beam", "alpha"), [(2, 0.3), (None, None), (3, None)])
def test_generation_config_search_equals_marian(folder, sentences, tmp_path, beam, alpha):
    copy = shutil.copytree(folder, tmp_path / "copy")
    path = copy / "generation_config.json"
    how = {"num_beams": beam, "length_penalty": alpha, "early_stopping": "never"}
    path.write_text(json.dumps(json.loads(path.read_text()) | how))
    expected, _ = Theirs(copy).generate(sentences)
    assert npf.interop.load(copy).translate(sentences) == expected
