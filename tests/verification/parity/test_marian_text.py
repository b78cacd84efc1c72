"""Text is read and written as MarianTokenizer reads and writes it."""

import numpy as np
import pytest

import npformer as npf
from npformer.text import BOS, EOS

from . import marian_made as made
from .marian_made import transformers

TEXTS = {
    "a sentence": "The old man sees a dog.",
    "spaces": "  a  b\tc ",
    "letters that no piece has": "Ünïcode ☃☃ and 漢字",
    "a language": ">>deu<< The dog sleeps.",
    "a language without a space": ">>deu<<The dog sleeps.",
    "a language that it does not have": ">>xyz<< The dog",
    "a language inside": "The >>deu<< dog",
    "the beginning of a language": ">>deu the dog",
    "letters that are read as others": "ﬁne ½",
    "the sign of a space": "▁the ▁ dog",
}


@pytest.fixture(scope="module", params=[False, True], ids=["one vocabulary", "two"])
def both(request, tmp_path_factory):
    """Our translator and their tokenizer of one folder."""
    folder = tmp_path_factory.mktemp("model")
    made.make(folder, separate=request.param)
    return npf.interop.load(folder), transformers.MarianTokenizer.from_pretrained(folder)


def names(tokenizer, side):
    """Return their token of each id, under our names."""
    ids = (
        tokenizer.target_encoder
        if side == "target" and tokenizer.separate_vocabs
        else tokenizer.encoder
    )
    return {i: {"</s>": "<eos>"}.get(token, token) for token, i in ids.items()}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_source_pieces_equal_marian_tokenizer(both, text):
    ours, tokenizer = both
    expected = [names(tokenizer, "source")[i] for i in tokenizer(text)["input_ids"]]
    assert [ours.source.tokens[i] for i in ours.encode(text)] == expected
    assert len(expected) > 2


@pytest.mark.parametrize("text", ["Der alte Mann sieht einen Hund.", "Ünï ☃ ß", *TEXTS.values()])
def test_target_pieces_equal_marian_tokenizer(both, text):
    ours, tokenizer = both
    expected = [names(tokenizer, "target")[i] for i in tokenizer(text_target=text)["input_ids"]]
    assert [ours.target.tokens[i] for i in [*ours.target.encode(text), EOS]] == expected


def test_decoded_text_equals_marian_tokenizer(both):
    ours, tokenizer = both
    ids = {token: i for i, token in names(tokenizer, "target").items()}
    usual = [i for i in range(len(ours.target)) if i != BOS]
    rng = np.random.default_rng(0)
    for _ in range(50):
        written = rng.choice(usual, 12).tolist()
        theirs = [ids[ours.target.tokens[i]] for i in written]
        expected = tokenizer.decode(theirs, skip_special_tokens=True, use_source_tokenizer=False)
        assert ours.target.decode(written) == expected
        assert "".join(ours.target.pieces(written)) == expected
