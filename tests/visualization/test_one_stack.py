"""Where a model of one column looks: a language model back at its text, a classifier at all of
it.
"""

import numpy as np
import pytest

from npformer import InputError
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.tasks import TextClassifier, TextGenerator
from npformer.text import Labels, Vocabulary
from npformer.visualization import attention_weights, sentence_attention

SIZES = {"d_model": 8, "d_ff": 8, "n_heads": 2, "max_len": 6, "dtype": "float64"}


@pytest.fixture
def writer():
    vocabulary = Vocabulary.build(["abc def"], tokenizer="character", running=True)
    return TextGenerator(
        LanguageModel(
            LanguageModelConfig(vocab_size=len(vocabulary), n_decoder_layers=3, **SIZES), rng=0
        ),
        vocabulary,
    )


@pytest.fixture
def labeller():
    vocabulary, labels = Vocabulary.build(["a b c d"]), Labels(["no", "yes"])
    config = ClassifierConfig(vocab_size=len(vocabulary), n_classes=2, n_encoder_layers=3, **SIZES)
    return TextClassifier(Classifier(config, rng=0), vocabulary, labels)


def test_attention_weights_of_single_stack(writer, labeller):
    ids = np.array([[4, 5, 6], [4, 6, 0]])
    of_text, of_class = attention_weights(writer.model, ids), attention_weights(labeller.model, ids)
    assert (
        of_text.encoder is None
        and of_text.cross is None
        and of_text.decoder.shape == (3, 2, 2, 3, 3)
    )
    assert (
        of_class.decoder is None
        and of_class.cross is None
        and of_class.encoder.shape == (3, 2, 2, 3, 3)
    )
    for weights in (of_text.decoder, of_class.encoder):
        np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-12)
        assert (weights[:, 1, :, :, 2] == 0).all()  # padding
    assert (np.triu(of_text.decoder[:, 0], 1) == 0).all() and (
        np.triu(of_class.encoder[:, 0], 1) != 0
    ).any()


def test_language_model_attention_appends_next_token(writer):
    looked = sentence_attention(writer, " ab X")
    assert looked.read == [" ", "a", "b", " ", "X <unk>"]
    assert looked.written == ["a", "b", " ", "X <unk>", writer.generate(" ab X", 1, temperature=0)]
    assert (looked.source, looked.encoder, looked.cross, looked.kinds) == (
        [],
        None,
        None,
        ["decoder"],
    )
    expected = attention_weights(writer.model, np.array([writer.encode(" ab X")])).decoder[:, 0]
    np.testing.assert_array_equal(looked.decoder, expected)


def test_classifier_text_starts_with_bos(labeller):
    looked = sentence_attention(labeller, " a zebra c ")
    assert looked.source == ["<bos>", "a", "zebra <unk>", "c"]
    assert (looked.read, looked.written, looked.decoder, looked.cross, looked.kinds) == (
        [],
        [],
        None,
        None,
        ["encoder"],
    )
    expected = attention_weights(labeller.model, np.array([labeller.encode("a zebra c")])).encoder[
        :, 0
    ]
    np.testing.assert_array_equal(looked.encoder, expected)


@pytest.mark.parametrize("encoder", ["lstm", "convolution"])
def test_classifier_without_attention_is_rejected(labeller, encoder):
    config = ClassifierConfig(vocab_size=len(labeller.text), n_classes=2, encoder=encoder, **SIZES)
    other = TextClassifier(Classifier(config, rng=0), labeller.text, labeller.label)
    for look in (
        lambda: attention_weights(other.model, np.array([[4]])),
        lambda: sentence_attention(other, "a b"),
    ):
        with pytest.raises(
            InputError, match=f"was built with encoder = {encoder}: it has no attention"
        ):
            look()


def test_invalid_text_or_translation_is_rejected(writer, labeller):
    for learnt, text, translation, expected in (
        (writer, "", None, "is empty"),
        (writer, "abcabca", None, "more than max_len = 6"),
        (labeller, "a b c d a b", None, "more than max_len = 6"),
        (writer, "a", "b", "a model of the task language_model reads no translation: leave it out"),
        (labeller, "a", "b", "a model of the task classification reads no translation"),
    ):
        with pytest.raises(InputError, match=expected) as caught:
            sentence_attention(learnt, text, translation)
        assert "\n" not in str(caught.value)
