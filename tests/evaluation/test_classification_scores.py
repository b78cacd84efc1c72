"""Scores of found classes, against numbers counted by hand."""

import math
import re

import numpy as np
import pytest

from npformer import InputError
from npformer.datasets import LabeledText
from npformer.evaluation.classification import ClassificationScores, score_classes
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import (
    Batches,
    ClassificationBatch,
    Objective,
    TextClassifier,
    evaluate,
    held_out_scores,
)
from npformer.text import BPEVocabulary, Labels, Vocabulary

# Of five a, three are found and two taken for b; both b for a; the one c for a. Nothing is ever
# taken for c.
COUNTS = np.array([[3, 2, 0], [2, 0, 0], [1, 0, 0]])
CASES = [
    ("a", "one two"),
    ("b", "two"),
    ("c", "three one one"),
    ("a", "two three one"),
    ("b", "one"),
]
TEXTS = [LabeledText(*case) for case in CASES]


@pytest.fixture
def counted():
    return ClassificationScores(
        texts=[None] * 8,
        left_out=0,
        probabilities=None,
        names=["a", "b", "c"],
        confusion=COUNTS,
        loss=0.5,
    )


def make_text_classifier():
    config = ClassifierConfig(
        vocab_size=7, n_classes=3, d_model=8, d_ff=12, n_heads=2, n_encoder_layers=1, max_len=6, dropout=0.5,
        dtype="float64",
    )  # fmt: skip
    model = Classifier(config, rng=3)
    vocabulary = Vocabulary.build(["one two three"], min_count=1)
    return TextClassifier(model.eval(), vocabulary, Labels(["a", "b", "c"]))


@pytest.fixture
def labeller():
    return make_text_classifier()


def evaluate_with_probabilities(monkeypatch, rows, texts):
    """Evaluate with these probabilities in the place of the model's."""
    with monkeypatch.context() as patch:
        patch.setattr(TextClassifier, "probabilities", lambda self, ids, **how: np.array(rows))
        return evaluate(make_text_classifier(), texts)


def test_accuracy_and_f1(counted):
    # a: precision 3/6, recall 3/5; b: no correct one; c: never predicted, so neither precision
    # nor recall
    assert counted.accuracy == 3 / 8
    assert counted.f1().tolist() == pytest.approx([2 * (0.5 * 0.6) / (0.5 + 0.6), 0, 0], rel=1e-12)
    assert counted.macro_f1 == pytest.approx(6 / 11 / 3, rel=1e-12)


def test_f1_is_symmetric_in_true_and_predicted():
    for counts in ([[3, 3], [0, 0]], [[3, 0], [3, 0]]):
        assert ClassificationScores(
            [], 0, None, ["a", "b"], np.array(counts), 0.0
        ).f1().tolist() == [2 / 3, 0]


def test_table_has_one_row_per_true_class_and_one_column_per_predicted_class(counted):
    assert counted.table() == (
        "texts         8\n"
        "accuracy      37.5%\n"
        "macro F1      18.2%\n"
        "loss          0.5000  nats per text\n"
        "\n"
        "true \\ predicted  a  b  c     F1\n"
        "a                 3  2  0   54.5\n"
        "b                 2  0  0    0.0\n"
        "c                 1  0  0    0.0"
    )


def test_rows_of_the_confusion_matrix_are_true_classes(monkeypatch):
    a, b, _ = np.eye(3)
    evaluation = evaluate_with_probabilities(monkeypatch, [a, a, a, a, b], TEXTS)
    assert evaluation.confusion.tolist() == [[2, 0, 0], [1, 1, 0], [1, 0, 0]]
    assert evaluation.examples(2).splitlines()[2:] == ["  a  a  1.00  one two", "* b  a  1.00  two"]
    assert evaluation.texts == TEXTS and evaluation.accuracy == 3 / 5


def test_examples_have_columns_as_wide_as_names():
    found = ClassificationScores(
        texts=[LabeledText("yes", "a\nb"), LabeledText("no", "c"), LabeledText("no", "d")],
        left_out=0,
        probabilities=np.array([[0.25, 0.75], [0.125, 0.875], [1, 0]]),
        names=["no", "yes"],
        confusion=np.array([[1, 1], [0, 1]]),
        loss=0.5,
    )
    assert found.examples(2) == (
        "texts: true class, predicted class and its probability (* differs)\n"
        "\n"
        "  yes  yes  0.75  a b\n"
        "* no   yes  0.88  c"
    )


def test_examples_show_the_probability_of_the_predicted_class(monkeypatch):
    rows = [[0.125, 0.25, 0.625], [0.25, 0.5, 0.25]]
    lines = evaluate_with_probabilities(monkeypatch, rows, TEXTS[:2]).examples(2).splitlines()[2:]
    assert [float(re.search(r"\d\.\d\d", line)[0]) for line in lines] == [0.62, 0.5]


def test_loss_is_mean_negative_log_probability(monkeypatch):
    rows = [[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.9, 0.05, 0.05], [0, 1, 0]]
    right = [0.5, 0.8, 0.6, 0.9, 1]
    assert evaluate_with_probabilities(monkeypatch, rows, TEXTS).loss == pytest.approx(
        -sum(map(math.log, right)) / 5, rel=1e-12
    )


def test_loss_is_finite_at_probability_0(monkeypatch):
    assert (
        60
        < evaluate_with_probabilities(
            monkeypatch, [[0.0, 1.0, 0.0]], [LabeledText("a", "one")]
        ).loss
        < 80
    )


@pytest.mark.parametrize("batch_tokens", [1, 8, 4096])
def test_loss_and_accuracy_equal_held_out_scores(labeller, batch_tokens):
    encoded = [(labeller.text.encode(text), labeller.label.id(label)) for label, text in TEXTS]
    for seed in range(3):
        batches = Batches(
            encoded,
            batch_tokens=9,
            collate=ClassificationBatch.collate,
            n_special_tokens=(1,),
            seed=seed,
        )
        measured = held_out_scores(Objective(labeller.model, label_smoothing=0.0), batches)
        evaluation = evaluate(labeller, TEXTS, batch_tokens=batch_tokens)
        assert evaluation.loss == pytest.approx(measured.loss, rel=1e-9)
        assert evaluation.accuracy == measured.accuracy


def test_batch_tokens_limits_what_the_model_reads_at_a_time(labeller, monkeypatch):
    sizes = []
    usual = labeller.model.forward

    def forward(ids):
        sizes.append(ids.size)
        return usual(ids)

    monkeypatch.setattr(labeller.model, "forward", forward)
    # three tokens each, with <bos>
    evaluate(labeller, [LabeledText("a", "one two")] * 6, batch_tokens=6)
    assert sizes == [6, 6, 6]


def test_white_space_around_a_text_is_ignored(monkeypatch):
    sizes = {"d_model": 8, "d_ff": 8, "n_heads": 2, "n_encoder_layers": 1}
    model = Classifier(ClassifierConfig(vocab_size=260, n_classes=2, **sizes), rng=0)
    subwords = BPEVocabulary.build([], size=260)  # which reads white space
    labeller = TextClassifier(model, subwords, Labels(["a", "b"]))
    read = []

    def probabilities(self, ids, **how):
        read.extend(ids)
        return np.eye(2)[:1]

    monkeypatch.setattr(TextClassifier, "probabilities", probabilities)
    evaluate(labeller, [LabeledText("a", " one\n")])
    assert read == [labeller.encode("one ")] == [labeller.encode("one")]


def test_unusable_texts_are_skipped_and_counted(labeller):
    more = [LabeledText("a", " "), *TEXTS, LabeledText("c", "one " * 6)]
    evaluation = evaluate(labeller, more)
    assert (evaluation.left_out, evaluation.texts) == (2, TEXTS)
    assert evaluation.confusion.sum() == len(TEXTS)
    assert "texts         5, 2 left out (empty, or too long)" in evaluation.table()


def test_texts_can_be_plain_tuples_as_in_training(labeller):
    assert evaluate(labeller, [tuple(text) for text in TEXTS]).texts == TEXTS


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            [("a", ""), ("b", "one " * 9)],
            "none of 2 texts can be read: expected 1 to 6 tokens with <bos>",
        ),
        ([("z", "one")], "the label 'z' was never seen in training: expected one of a, b, c"),
    ],
)
def test_only_unusable_texts_or_unknown_labels_are_rejected(labeller, texts, expected):
    with pytest.raises(InputError) as caught:
        evaluate(labeller, [LabeledText(*text) for text in texts])
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        ([0, -1], r"classes = \[0, -1\]: expected integers from 0 to 1"),
        ([0, 2], r"classes = \[0, 2\]: expected integers from 0 to 1"),
        ([False, True], "classes = .*: expected integers"),
        ([0.0, 1.0], "classes = .*: expected integers"),
        (
            [0],
            r"2 texts, but classes of shape \(1,\) and probabilities of shape \(2, 2\): expected",
        ),
        (1, r"2 texts, but classes of shape \(\) "),
    ],
)
def test_each_text_needs_a_class(classes, expected):
    texts = [LabeledText("a", "one"), LabeledText("b", "two")]
    with pytest.raises(InputError, match=f"^{expected}"):
        score_classes(texts, classes, np.full((2, 2), 0.5), ["a", "b"])


@pytest.mark.parametrize("row", [[2.0, -1.0], [np.nan, np.nan], [0.7, 0.7]])
def test_scores_are_no_probabilities(row):
    with pytest.raises(
        InputError, match=r"^the probabilities of a text are not 0 or more with the"
    ):
        score_classes([LabeledText("a", "one")], [0], np.array([row]), ["a", "b"])


def test_nothing_to_score_is_rejected():
    with pytest.raises(InputError, match=r"^there are no texts to score: give at least one$"):
        score_classes([], np.zeros(0, int), np.zeros((0, 2)), ["a", "b"])


def test_there_is_a_probability_for_each_name():
    with pytest.raises(
        InputError, match=r"^1 texts, .*shape \(1, 2\): expected a class and 3 prob"
    ):
        score_classes([LabeledText("a", "one")], [0], np.full((1, 2), 0.5), ["a", "b", "c"])


def test_columns_of_the_table_are_as_wide_as_counts_and_names():
    confusion = np.array([[1200, 1], [30, 4]])
    table = ClassificationScores([], 0, None, ["a", "long"], confusion, 0.5).table()
    rows = table.splitlines()[5:]
    assert {len(row) for row in rows} == {len(rows[0])}
