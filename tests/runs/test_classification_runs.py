"""Runs of classification: what becomes of labeled texts, the settings that reach them, and what a
run leaves.
"""

import pytest

from npformer import InputError, runs
from npformer.cli.train import example
from npformer.datasets import LabeledText
from npformer.models import StackConfig
from npformer.tasks import Objective, held_out_scores
from tests.runs.with_settings import WithSettings

SIZES = {"d_model": 16, "d_ff": 24, "n_heads": 2, "n_encoder_layers": 1}
HOW = {"batch_tokens": 64, "warmup_steps": 5, "learning_rate": 0.01, "min_count": 1, "epochs": 2}
TEXTS = [
    LabeledText(label, text)
    for label, text in (("y", "Low lower"), ("x", "lower lowest slow"), ("y", "low"))
]


@pytest.fixture
def begin(tmp_path, labeled_file):
    """Begin a run on the thirty-six texts, which are held out too."""

    def begin_run(name="run", **settings):
        files = {"tsv": labeled_file, "held_out": labeled_file}
        return runs.begin(folder=tmp_path / name, **{**files, **SIZES, **HOW, **settings})

    return begin_run


@pytest.fixture
def job():
    """Make a job with settings that change nothing unless they are given."""

    def make(**settings):
        return WithSettings("classification", dataset="trec", **{"min_count": 1, **settings})

    return make


def ids_by_text(batches, epoch=1):
    return [ids for ids, _ in batches.epoch(epoch).examples]


def test_vocabularies_are_built_from_texts_and_labels(job):
    text, labels = job().vocabularies(TEXTS, {})
    assert set(text.tokens[4:]) == {"Low", "low", "lower", "lowest", "slow"} and labels.names == [
        "x",
        "y",
    ]


def test_texts_keep_labels_and_too_long_ones_are_skipped(job):
    made = job(batch_tokens=9)
    more = [
        *TEXTS,
        LabeledText("x", " "),
        LabeledText("x", "low " * 6),
        LabeledText("x", "low " * 5),
    ]
    text, labels = vocabularies = made.vocabularies(more, {})
    batches, left_out = made.batches(more, vocabularies, StackConfig(max_len=6))
    assert left_out == 2
    kept = [*TEXTS, more[-1]]
    assert batches.examples == [(text.encode(t), labels.id(label)) for label, t in kept]
    # max_len and batch_tokens: the smaller counts
    assert made.batches(more, vocabularies, StackConfig(max_len=4))[1] == 3
    assert job(batch_tokens=4).batches(more, vocabularies, StackConfig(max_len=99))[1] == 3


def test_length_of_a_text_includes_bos(job):
    """Two texts of three tokens are more than five."""
    texts = [LabeledText("x", "low slow"), LabeledText("y", "low lower")]
    made = job(batch_tokens=5)
    batches, _ = made.batches(texts, made.vocabularies(texts, {}), StackConfig(max_len=9))
    assert len(batches) == 2


@pytest.mark.parametrize("held_out", [False, True])
def test_error_is_raised_if_no_text_can_be_used(job, held_out):
    made, texts = job(), [LabeledText("x", " "), LabeledText("y", "low " * 9)]
    with pytest.raises(InputError) as caught:
        made.batches(texts, made.vocabularies(texts, {}), StackConfig(max_len=5), held_out=held_out)
    rule = "more than 5 tokens with <bos>, the smaller of max_len and batch_tokens"
    assert str(caught.value) == f"none of 2 texts can be used: each is empty, or has {rule}"


def test_held_out_label_not_in_training_is_rejected(job):
    made = job()
    with pytest.raises(
        InputError, match="the label 'z' was never seen in training: expected one of x, y"
    ):
        made.batches(
            [LabeledText("z", "low")],
            made.vocabularies(TEXTS, {}),
            StackConfig(max_len=9),
            held_out=True,
        )


def test_word_dropout_and_order_depend_only_on_seed(job):
    found = []
    for seed in (0, 0, 1):
        made = job(word_dropout=0.5, seed=seed)
        batches, _ = made.batches(TEXTS * 9, made.vocabularies(TEXTS, {}), StackConfig(max_len=99))
        order = [group.tolist() for group in batches.epoch(1).groups]
        found.append((batches.recut(1), order))
    assert found[0] == found[1]
    assert all(one != other for one, other in zip(found[0], found[2], strict=True))


def test_no_word_of_a_held_out_text_is_dropped(job):
    made = job(word_dropout=0.5, rare_word_dropout=1.0)
    vocabularies = made.vocabularies(TEXTS, {})
    batches, _ = made.batches(TEXTS, vocabularies, StackConfig(max_len=99), held_out=True)
    assert batches.recut is None


def test_epoch_ends_with_current_held_out_accuracy(begin):
    run = begin()
    for update in run.updates():
        scores = held_out_scores(Objective(run.model, label_smoothing=0.0), run.held_out_batches)
        if update.ends_epoch:
            assert (
                update.held_out_loss,
                update.held_out_accuracy,
            ) == scores and 0 <= scores.accuracy <= 1
        else:
            assert update.held_out_loss is None and update.held_out_accuracy is None
    assert run.log.rows[-1].keys() == {
        *("step", "epoch", "loss", "learning_rate", "tokens", "seconds", "held_out_loss")
    }


def test_curve_is_of_the_loss_per_text(begin, monkeypatch):
    run = begin()
    figures = []
    name = "npformer.visualization.plots.save_figure"
    monkeypatch.setattr(name, lambda figure, path: figures.append(figure))
    run.plot_curves()
    [figure] = figures
    assert figure.axes[0].get_ylabel() == "loss per text (nats)"


DAMAGES = {
    "missing": (None, "labels.json does not exist"),
    "no JSON": ("{", "labels.json is damaged"),
    "a list": ('["a", "b", "c"]', "labels.json"),
    "another name": ('{"names": ["a", "b", "c"]}', "labels.json is damaged: it lacks labels"),
    "too few": ('{"labels": ["a", "b"]}', "labels.json is damaged: it has 2 "),
    "too many": ('{"labels": ["a", "b", "c", "d"]}', "labels.json is damaged: it has 4 "),
    "twice the same": (
        '{"labels": ["a", "b", "a"]}',
        "labels.json is damaged: got the labels ['a', 'b', 'a']",
    ),
    "no strings": ('{"labels": [1, 2, 3]}', "labels.json is damaged: got the labels [1, 2, 3]"),
    "other names": ('{"labels": ["a", "b", "c"]}', "is inconsistent"),
    "another order": ('{"labels": ["person", "animal", "question"]}', "is inconsistent"),
}


@pytest.mark.parametrize(("content", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_labels_that_differ_from_training_are_rejected(begin, content, expected):
    folder = begin().folder
    path = folder.vocabulary_path("label")
    path.unlink() if content is None else path.write_text(content)
    for read in (runs.load, runs.resume):
        with pytest.raises(InputError) as caught:
            read(folder.path)
        assert (
            expected in str(caught.value)
            and "\n" not in str(caught.value)
            and str(folder.path) in str(caught.value)
        )


def test_example_is_a_usable_held_out_text(begin):
    run = begin(max_len=8)
    run.held_out = [
        LabeledText("animal", text) for text in ("the dog", "dog " * 20, "the dog sleeps .", "dog")
    ]
    assert example(run) == "the dog sleeps ."
