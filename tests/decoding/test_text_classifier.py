"""From texts to classes: the probabilities are the model's, whatever else is in the batch."""

import copy

import numpy as np
import pytest

from npformer import InputError
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import TextClassifier
from npformer.text import BOS, Labels, Vocabulary
from tests.small_models import disturb

WORDS = ["a", "b", "c", "d", "e"]
TEXTS = ["a b c d e a", "b", "c c", "a b c d e a b c d", "e d c", "b a"]


@pytest.fixture(scope="module")
def labeller():
    config = ClassifierConfig(
        vocab_size=9, n_classes=3, d_model=8, d_ff=12, n_heads=2, n_encoder_layers=2, max_len=10, dropout=0.5,
        dtype="float64",
    )  # fmt: skip
    model, rng = Classifier(config, rng=0), np.random.default_rng(10)
    disturb(model, rng, 1.0)
    return TextClassifier(
        model.eval(), Vocabulary.build([" ".join(WORDS)], min_count=1), Labels(["x", "y", "z"])
    )


def by_hand(labeller, text):
    """The softmax of the logits of one text alone."""
    ids = [BOS, *(4 + WORDS.index(word) for word in text.split())]
    [logits] = labeller.model.forward(np.array([ids]))
    return np.exp(logits) / np.exp(logits).sum()


def named(labeller, row):
    return dict(zip(labeller.label.names, row.tolist(), strict=True))


def test_probabilities_equal_softmax_of_logits(labeller):
    for text, (label, probabilities) in zip(TEXTS, labeller.classify(TEXTS), strict=True):
        row = by_hand(labeller, text)
        assert probabilities == pytest.approx(named(labeller, row), rel=1e-12)
        assert label == labeller.label.names[row.argmax()]
        assert sum(probabilities.values()) == pytest.approx(1, rel=1e-12)


def test_classes_are_sorted_by_probability(labeller):
    for _, probabilities in labeller.classify(TEXTS):
        assert list(probabilities.values()) == sorted(probabilities.values(), reverse=True)


def test_equally_probable_classes_keep_their_order():
    names = [f"{n:02}" for n in range(40)]
    sizes = {"vocab_size": 9, "d_model": 8, "d_ff": 8, "n_heads": 2, "n_encoder_layers": 1}
    model = Classifier(ClassifierConfig(n_classes=40, **sizes), rng=0)
    model.output.weight.data[...] = 0
    model.output.bias.data[1::2] = 1
    even = TextClassifier(model, Vocabulary.build([" ".join(WORDS)]), Labels(names))
    [found] = even.classify("a b")
    assert (found.label, list(found.probabilities)) == ("01", names[1::2] + names[::2])


@pytest.mark.parametrize("batch_tokens", [1, 7, 4096])
@pytest.mark.parametrize("turn", [1, -1])
def test_batch_and_order_change_no_probability(labeller, batch_tokens, turn):
    alone = [labeller.classify(text)[0].probabilities for text in TEXTS[::turn]]
    together = labeller.classify(TEXTS[::turn], batch_tokens=batch_tokens)
    assert [found.probabilities for found in together] == [
        pytest.approx(found, rel=1e-9) for found in alone
    ]


def test_batch_tokens_limits_what_the_model_reads_at_a_time(labeller, monkeypatch):
    sizes = []
    usual = labeller.model.forward

    def forward(ids):
        sizes.append(ids.size)
        return usual(ids)

    monkeypatch.setattr(labeller.model, "forward", forward)
    labeller.classify(["a b c"] * 6, batch_tokens=8)  # four tokens each, with <bos>
    assert sizes == [8, 8, 8]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" \n", "the text is empty: give at least one word"),
        ("a " * 10, "the text has 11 tokens with <bos>, more than max_len = 10: cut it short"),
    ],
)
def test_text_that_cannot_be_encoded_is_rejected(labeller, text, expected):
    with pytest.raises(InputError) as caught:
        labeller.classify(["a", text])
    assert str(caught.value) == expected


def test_diverged_weights_are_rejected(labeller):
    diverged = copy.deepcopy(labeller)
    diverged.model.parameters()[0].data[...] = np.nan
    with pytest.raises(InputError, match="weights have diverged"):
        diverged.classify("a b")


@pytest.mark.parametrize(
    ("exchanged", "said"),
    [
        (lambda text, label: (text, label.names), "label is a list: expected Labels([...])"),
        (lambda text, label: (text, text), "label is a Vocabulary: expected Labels([...])"),
        (lambda text, label: (label, label), "text is a Labels: expected a vocabulary"),
    ],
)
def test_other_things_in_the_place_of_vocabulary_and_labels_are_rejected(labeller, exchanged, said):
    with pytest.raises(InputError) as caught:
        TextClassifier(labeller.model, *exchanged(labeller.text, labeller.label))
    assert str(caught.value) == f"TextClassifier: {said}"
