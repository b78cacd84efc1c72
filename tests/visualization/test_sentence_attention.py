from types import SimpleNamespace

import numpy as np
import pytest

from npformer import InputError
from npformer.tasks import Translator
from npformer.text import BOS, EOS, BPEVocabulary, Vocabulary
from npformer.visualization import attention_weights, sentence_attention

WORDS = [chr(ord("a") + i) for i in range(8)]


@pytest.fixture
def translator(make_model):
    vocabulary = Vocabulary.build([" ".join(WORDS)])
    sizes = {"src_vocab_size": len(vocabulary), "tgt_vocab_size": len(vocabulary)}
    return Translator(make_model(n_decoder_layers=2, **sizes), vocabulary, vocabulary)


def test_tokens_match_attention_axes(translator):
    looked = sentence_attention(translator, "c a b", "d e")
    assert (looked.source, looked.read, looked.written) == (
        ["c", "a", "b", "<eos>"],
        ["<bos>", "d", "e"],
        ["d", "e", "<eos>"],
    )
    assert looked.encoder.shape == (1, 2, 4, 4)
    assert looked.decoder.shape == (2, 2, 3, 3)
    assert looked.cross.shape == (2, 2, 3, 4)


def test_unknown_words_keep_their_spelling(translator):
    looked = sentence_attention(translator, " c zebra a <unk>", "d Zebra ")
    assert looked.source == ["c", "zebra <unk>", "a", "<unk>", "<eos>"]
    assert (looked.read, looked.written) == (
        ["<bos>", "d", "Zebra <unk>"],
        ["d", "Zebra <unk>", "<eos>"],
    )


@pytest.mark.parametrize("sentence", ["C a Zebra b", " C a Zebra b "])
def test_words_are_as_written_where_the_vocabulary_reads_lower_case(make_model, sentence):
    source = Vocabulary.build(["a b c"], lowercase=True)
    target = Vocabulary.build(["a b c"])
    sizes = {"src_vocab_size": len(source), "tgt_vocab_size": len(target)}
    looked = sentence_attention(Translator(make_model(**sizes), source, target), sentence, "a")
    assert looked.source == ["C", "a", "Zebra <unk>", "b", "<eos>"]


@pytest.mark.parametrize("sentence", ["\u0130 B", "\u0130 B ", "\u0130 e\u0301 B"])
def test_letter_that_is_two_in_lower_case_does_not_move_the_words(make_model, sentence):
    source = Vocabulary.build(["a b c"], lowercase=True)
    sizes = {"src_vocab_size": len(source), "tgt_vocab_size": len(source)}
    looked = sentence_attention(Translator(make_model(**sizes), source, source), sentence, "a")
    assert len(looked.source) == looked.encoder.shape[-1]
    assert looked.source[-2] == "b"


def test_subwords_have_no_unknown_tokens(make_model):
    vocabulary = BPEVocabulary.build(["a b c"] * 3, size=262)
    model = make_model(src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), max_len=40)
    looked = sentence_attention(Translator(model, vocabulary, vocabulary), "a zebra", " b Zebra")
    assert looked.source == [*vocabulary.split("a zebra"), "<eos>"]
    assert looked.written == [*vocabulary.split("b Zebra"), "<eos>"]


def test_missing_translation_is_generated(translator):
    looked = sentence_attention(translator, "c a b")
    ids = translator.target.ids
    assert looked.written[:-1] == looked.read[1:]
    assert translator.translate(["c a b"], beam=1) == [
        translator.target.decode(ids[t] for t in looked.written[:-1])
    ]
    src, tgt = (
        np.array([translator.encode("c a b")]),
        np.array([[ids[token] for token in looked.read]]),
    )
    assert (tgt[0, 0], src[0, -1]) == (BOS, EOS)
    expected = attention_weights(translator.model, src, tgt)
    for kind, weights in expected._asdict().items():
        np.testing.assert_array_equal(getattr(looked, kind), weights[:, 0])


def test_other_predictor_has_no_attention_to_draw():
    message = "there is no attention to draw for the task summaries: use attention_weights"
    with pytest.raises(InputError, match=message):
        sentence_attention(SimpleNamespace(task="summaries"), "a")


@pytest.mark.parametrize(
    ("sentence", "translation"), [("", None), ("a " * 99, None), ("a", "b " * 99)]
)
def test_text_that_does_not_fit_the_model_is_rejected(translator, sentence, translation):
    with pytest.raises(InputError):
        sentence_attention(translator, sentence, translation)
