"""A whole training from Python: begin, loop, save, resume, load."""

import json
import math
import shutil
from functools import partial
from itertools import accumulate, starmap

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, runs
from npformer.cli.train import example, n_examples
from npformer.datasets import SentencePair
from npformer.runs.in_memory_data import in_memory
from npformer.runs.training_log import TrainingLog
from npformer.tasks import Batches, HeldOut, mean_loss
from npformer.training import Checkpoint, save_checkpoint
from npformer.utils.safetensors_io import load_tensors


def refusal(do):
    with pytest.raises(InputError) as caught:
        do()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def contents(folder):
    return {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}


def without_seconds(log):
    return [{**row, "seconds": None} for row in log.rows]


def test_complete_run_can_translate(begin):
    run = begin(epochs=2, average=2)
    updates = list(run.updates())
    assert run.done and [update.step for update in updates] == list(range(1, len(updates) + 1))
    assert [update.held_out_loss is not None for update in updates] == [
        update.ends_epoch for update in updates
    ]
    assert [update.epoch for update in updates if update.ends_epoch] == [1, 2]
    trained = list(accumulate(update.tokens for update in updates))  # in this sitting
    assert [round(u.tokens_per_second * u.seconds) for u in updates] == trained
    assert [u.loss for u in updates] == run.log.column("loss")[1]
    sentence = run.held_out[0].source
    assert run.predictor().translate([sentence]) == runs.load(run.folder.path).translate([sentence])
    loaded, last = runs.load(run.folder.path).model.state_dict(), run.model.state_dict()
    assert not any(module.training for module in run.predictor().model.modules())
    assert run.model.training
    for name, average in run.predictor().model.state_dict().items():
        assert (average == loaded[name]).all() and (average != last[name]).any()


@pytest.mark.parametrize("update", [1, 3, 4])  # within the first epoch, at its end, after it
def test_run_saved_after_any_update_equals_uninterrupted_run(begin, update):
    stopped, whole = (
        begin(name, epochs=3, dropout=0.1, workers=2) for name in ("stopped", "whole")
    )
    for record in stopped.updates():
        if record.step == update:
            stopped.save()
            break
    resumed = runs.resume(stopped.folder.path)
    assert resumed.log.rows == TrainingLog.parse(stopped.log.csv()).rows
    for run in (resumed, whole):
        list(run.updates())
    for path in ("checkpoint_path", "weights_path"):
        assert (
            getattr(resumed.folder, path).read_bytes() == getattr(whole.folder, path).read_bytes()
        ), path
    assert without_seconds(resumed.log) == without_seconds(whole.log)


def test_interrupted_loop_can_be_continued(begin):
    left, whole = begin("left", epochs=2), begin("whole", epochs=2)
    next(left.updates())
    list(left.updates())
    list(whole.updates())
    assert without_seconds(left.log) == without_seconds(whole.log)


def test_loop_is_not_continued_after_another_run_of_the_folder(begin):
    """It would write over what the other has trained."""
    left = begin(epochs=2, save_every=1)
    next(left.updates())
    resumed = runs.resume(left.folder.path)
    list(resumed.updates())
    before = left.folder.checkpoint_path.read_bytes()
    path = str(left.folder.path)
    again = f"go on with runs.resume({path!r})"
    expected = f"{path} was trained elsewhere, or deleted, since this Run saved it: {again}"
    assert refusal(lambda: next(left.updates())) == expected
    assert left.folder.checkpoint_path.read_bytes() == before
    assert not list(resumed.updates())


def another_run_trains(begin, path):
    list(runs.resume(path, learning_rate=0.05).updates())


def another_run_is_begun_in_its_place(begin, path):
    shutil.rmtree(path)
    begin(seed=7)


@pytest.mark.parametrize("settings", [{"save_every": 1}, {}])
@pytest.mark.parametrize("change", [another_run_trains, another_run_is_begun_in_its_place])
def test_loop_that_goes_on_writes_nothing_over_another_run(begin, change, settings):
    left = begin(epochs=2, **settings)
    updates = left.updates()
    next(updates)
    left.save()
    change(begin, left.folder.path)
    before = contents(left.folder)
    for go_on in (left.save, lambda: list(updates)):
        assert "was trained elsewhere, or deleted," in refusal(go_on)
        assert contents(left.folder) == before


def test_seconds_accumulate_after_resume(begin):
    run = begin(epochs=1)
    list(run.updates())
    text = run.folder.log_path.read_text()
    rows = TrainingLog.parse(text).rows
    rows[-1]["seconds"] = 5000.0
    run.folder.log_path.write_text(TrainingLog(rows).csv())
    resumed = runs.resume(run.folder.path, epochs=2)
    update = next(resumed.updates())
    assert 5000 < update.seconds < 5100
    assert update.tokens_per_second == pytest.approx(update.tokens / (update.seconds - 5000))
    assert 5000 <= resumed.log.rows[-1]["seconds"] < 5100


def test_epoch_record_is_mean_of_its_updates(begin):
    epochs, run = list(begin("a").epochs()), begin("b")
    updates = list(run.updates())
    for n, epoch in enumerate(epochs, start=1):
        of_it = [update for update in updates if update.epoch == n]
        assert epoch.tokens == sum(update.tokens for update in of_it)
        assert epoch.loss == pytest.approx(sum(u.loss * u.tokens for u in of_it) / epoch.tokens)
        assert epoch.held_out_loss == of_it[-1].held_out_loss
    assert len(epochs) == 2


def test_curve_is_plotted_and_held_out_pairs_are_scored(begin):
    run = begin(epochs=1)
    list(run.updates())
    run.plot_curves()
    assert run.folder.curve_path.is_file()
    assert run.evaluate(beam=1).translations == run.predictor().translate(
        [pair.source for pair in run.held_out], beam=1
    )
    assert example(run) in [pair.source for pair in run.held_out[:10]]


def test_held_out_pairs_are_only_used_for_scoring(begin, tmp_path):
    for name, text in {
        "held_out_src": "the dog .\nthe fox sees .\n",
        "held_out_tgt": ". Hund\n. Fuchs der\n",
    }.items():
        (tmp_path / name).write_text(text)
    run = begin(
        epochs=1, held_out_src=tmp_path / "held_out_src", held_out_tgt=tmp_path / "held_out_tgt"
    )
    last = list(run.updates())[-1]
    ids = [
        (
            run.vocabularies["source"].encode(pair.source),
            run.vocabularies["target"].encode(pair.target),
        )
        for pair in run.held_out
    ]
    held_out = Batches(ids, batch_tokens=99)
    assert last.held_out_loss == pytest.approx(mean_loss(run.model, held_out), rel=1e-6)
    found = run.evaluate(beam=1)
    assert [pair[:2] for pair in found.pairs] == [
        ("the dog .", ". Hund"),
        ("the fox sees .", ". Fuchs der"),
    ]
    assert found.loss == pytest.approx(mean_loss(run.predictor().model, held_out), rel=1e-6)
    assert len(run.trainer.batches.examples) == 30


def test_predictor_is_unchanged_by_later_training(begin):
    run = begin(epochs=2)
    updates = run.updates()
    next(updates)
    before = run.predictor()
    weights = before.model.state_dict()
    next(updates)
    assert all((weights[name] == array).all() for name, array in before.model.state_dict().items())
    assert any(
        (weights[name] != array).any() for name, array in run.predictor().model.state_dict().items()
    )


def test_resume_writes_only_changed_settings(begin):
    run = begin(epochs=1, average=2)
    list(run.updates())
    before = json.loads(run.folder.config_path.read_text())
    changes = dict(
        epochs=3, patience=9, average=1, average_of="best", learning_rate=0.002, save_every=1
    )
    assert not runs.resume(run.folder.path, **changes).warnings
    after = json.loads(run.folder.config_path.read_text())
    assert after == {**before, "training": before["training"] | changes}
    again = runs.resume(run.folder.path)
    assert {name: getattr(again.settings, name) for name in changes} == changes
    step = run.trainer.optimizer.steps
    next(again.updates())
    assert runs.resume(run.folder.path).trainer.optimizer.steps == step + 1  # saved after an update
    list(again.updates())
    assert again.log.rows[-1]["epoch"] == 3
    # it still rises
    assert again.log.rows[step]["learning_rate"] == pytest.approx(0.002 * (step + 1) / 5)


def test_settings_that_may_not_change_are_named_in_order(begin):
    path = begin().folder.path
    message = refusal(lambda: runs.resume(path, seed=1, epochs=3, d_model=8))
    assert message.endswith("save_every may change, not d_model, seed")


def test_edited_learning_rate_is_reported_on_resume(begin):
    run = begin(epochs=1)
    config = run.folder.config_path.read_text()
    assert not runs.resume(run.folder.path).warnings
    run.folder.config_path.write_text(
        config.replace('"learning_rate": 0.01', '"learning_rate": 0.02')
    )
    again = runs.resume(run.folder.path)
    assert again.trainer.optimizer.learning_rate_at(5) == pytest.approx(0.02)
    assert again.warnings == [
        f"{run.folder.config_path} says learning_rate = 0.02, not 0.01 as at the last checkpoint: "
        "it counts from here on"
    ]


@pytest.mark.parametrize(
    ("name", "value", "before"), [("label_smoothing", 0.5, 0.1), ("recipe", "tiny", "small")]
)
def test_edited_settings_are_named(begin, name, value, before):
    run = begin()
    config = json.loads(run.folder.config_path.read_text())
    config["training"].update({"epochs": 9, name: value})
    run.folder.config_path.write_text(json.dumps(config))
    told = f"says {name} = {value}, but the run was trained with {before}: change it back"
    expected = f"{run.folder.config_path} {told}"
    assert refusal(lambda: runs.resume(run.folder.path)) == expected


LINKED = SentencePair("b a", "a b", ((0, 1), (1, 0)))  # an alignment may be there
EXAMPLES = {
    "pairs": [LINKED, *((f"a{' b' * i}", f"{'b ' * i}a") for i in range(1, 9))],
    "labeled": [(label, f"{label}{' c' * i}") for label in "ab" for i in range(1, 9)],
    "texts": ["some text to learn to continue", "and another one", "and a third"],
}


@pytest.mark.parametrize("kind", EXAMPLES)
def test_a_list_is_trained_on_and_given_again_to_resume(tmp_path, sizes, kind):
    examples, lacks = (
        EXAMPLES[kind],
        {"labeled": ["n_decoder_layers"], "texts": ["n_encoder_layers"]}.get(kind, []),
    )
    settings = {name: value for name, value in sizes.items() if name not in lacks}
    run = runs.begin(**{kind: examples}, folder=tmp_path / "run", **settings)
    list(run.updates())
    n_trained = 2 if kind == "texts" else n_examples(run.trainer.batches)
    assert n_trained + len(run.held_out) == len(examples) and {
        part[:2] for part in run.held_out
    } < {part[:2] for part in examples}
    expected = (
        f"the data that {run.folder.config_path} names: the run was trained on {kind} in memory, which "
        "are in no file: "
        f"give the same again, as in runs.resume(folder, {kind}=...)"
    )
    assert refusal(lambda: runs.resume(tmp_path / "run")) == expected
    assert len(list(runs.resume(tmp_path / "run", **{kind: examples}, epochs=3).updates())) >= 1
    assert "the batches are not those of" in refusal(
        lambda: runs.resume(tmp_path / "run", **{kind: examples[1:]})
    )
    other = "texts" if kind == "pairs" else "pairs"
    assert refusal(lambda: runs.resume(tmp_path / "run", **{other: examples})) == (
        f"{tmp_path / 'run'} was not trained on {other} in memory: remove the argument"
    )


def test_run_on_relative_files_is_resumed_from_another_folder(
    text_files, sizes, tmp_path, monkeypatch
):
    src, tgt = text_files
    monkeypatch.chdir(src.parent)
    runs.begin(src=src.name, tgt=tgt.name, folder=tmp_path / "run", **sizes)
    monkeypatch.chdir(tmp_path)
    assert list(runs.resume("run").updates())


def test_files_that_were_moved_are_looked_for_where_the_config_says(text_files, sizes, tmp_path):
    src = shutil.copy(text_files[0], tmp_path / "train.en")
    run = runs.begin(src=src, tgt=text_files[1], folder=tmp_path / "run", **sizes)
    list(run.updates())
    moved = src.rename(tmp_path / "moved.en")
    assert refusal(lambda: runs.resume(tmp_path / "run")) == (
        f"the data that {tmp_path / 'run' / 'config.json'} names: {src} does not exist: "
        "check the name and the folder"
    )
    content = json.loads(run.folder.config_path.read_text())
    content["training"]["src"] = str(moved)
    run.folder.config_path.write_text(json.dumps(content))
    runs.resume(tmp_path / "run")


def test_a_single_text_is_cut_as_a_file_is(tmp_path, sizes):
    text = "some text to learn to continue, and more of it"
    settings = {name: value for name, value in sizes.items() if name != "n_encoder_layers"}
    assert runs.begin(texts=[text], folder=tmp_path / "run", **settings).held_out == [text[41:]]


def test_a_run_is_shown_in_one_line(begin):
    run = begin(epochs=2)
    next(run.epochs())
    n = sum(p.data.size for p in run.model.parameters())
    assert repr(run) == f"Run({run.folder.path}, translation, 1 of 2 epochs, {n:,} parameters)"


def test_a_checkpoint_of_an_epoch_that_the_log_has_not_reached_is_refused(begin):
    run = begin()
    list(run.updates())
    path = run.folder.checkpoint_path
    run.trainer.epoch = 10**9
    save_checkpoint(path, run.trainer, Checkpoint.read(path).progress)
    assert refusal(lambda: runs.resume(run.folder.path)) == (
        f"{path} is of epoch 1000000000, but by {run.folder.log_path} it is 3: "
        "bring back the files that belong together"
    )


@pytest.mark.parametrize("settings", [None, [], "x"])
def test_a_checkpoint_of_other_settings_than_names_is_refused(begin, settings):
    run = begin()
    path = run.folder.checkpoint_path
    save_checkpoint(path, run.trainer, Checkpoint.read(path).progress | {"settings": settings})
    assert f"is damaged: its settings are {settings!r}" in refusal(
        lambda: runs.resume(run.folder.path)
    )


def test_a_checkpoint_without_a_newer_setting_is_continued(begin):
    run = begin()
    path = run.folder.checkpoint_path
    save_checkpoint(path, run.trainer, Checkpoint.read(path).progress | {"settings": {}})
    assert runs.resume(run.folder.path).warnings == []


@pytest.mark.parametrize("where", ["first", "last", "best"])
def test_non_finite_held_out_loss_stops_without_saving(begin, monkeypatch, where):
    losses = {"first": [math.nan], "last": [1.0, math.inf], "best": [1.0, 2.0, math.nan]}[where]
    told = iter(losses)

    def scores(*given, **how):
        # NumPy does not warn either
        assert np.float32(1e38) * np.float32(10) == math.inf
        return HeldOut(next(told), None)

    monkeypatch.setattr("npformer.runs.training_run.held_out_scores", scores)
    run = begin(epochs=5)
    expected = rf"the held-out loss after epoch {len(losses)} is (nan|inf): training has diverged"
    with pytest.raises(InputError, match=expected):
        for update in run.updates():
            if update.ends_epoch:
                whole = contents(run.folder)
    if where != "first":
        assert contents(run.folder) == whole
    assert Checkpoint.read(run.folder.checkpoint_path).note["place"]["epoch"] == len(losses)
    before = contents(run.folder)
    expected = f"training has diverged, so {run.folder.path} keeps its last checkpoint"
    assert refusal(run.save) == expected
    assert contents(run.folder) == before


def test_non_finite_loss_stops_without_saving(begin):
    run = begin(epochs=4, learning_rate=1e30, warmup_steps=1, save_every=1)
    with np.errstate(all="ignore"), pytest.raises(InputError, match="Training has diverged"):
        list(run.updates())
    weights = load_tensors(run.folder.checkpoint_path)[0]
    assert all(np.isfinite(array).all() for array in weights.values())
    list(runs.load(run.folder.path).model.state_dict())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"color": 1, "blue": 2}, "unknown settings blue, color: expected those of Tr"),
        ({"src_vocab_size": 9}, "unknown settings src_vocab_size"),
        ({"d_model": 0}, "d_model = 0: expected an integer >= 1"),
        ({"seed": None}, "seed = None: expected an integer >= 0"),
        ({"seed": -1}, "seed = -1: expected an integer >= 0"),
        (
            {"dataset": "latin"},
            "data set 'latin' is unknown: expected one of phrasebook, dates, copy",
        ),
        (
            {"dataset": "copy", "src": "a", "tgt": "b"},
            "dataset and src and tgt cannot be trained on",
        ),
        ({"dataset": "copy", "direction": "en-de"}, "direction = 'en-de': expected none"),
        (
            {"held_out_src": "a", "held_out_tgt": "b"},
            "expected a dataset; or the files src and tgt, and with them held_out_src",
        ),
        ({"pairs": [("a", "b")], "dataset": "copy"}, "pairs cannot be trained on with other data"),
        (
            {"pairs": [("a", "b")], "src": "a", "tgt": "b"},
            "pairs cannot be trained on with other data: give one of them alone",
        ),
        ({"src": 3, "tgt": "b"}, "src = 3: expected a text"),
        (
            {"pairs": [("a", "b")], "texts": ["a"]},
            "pairs and texts cannot be trained on with other data",
        ),
        (
            {"pairs": [("a", "b"), ("c", 4)]},
            "pairs has ('c', 4): expected two strings for each example",
        ),
        ({"pairs": ["ab"] * 9}, "pairs has 'ab': expected two strings for each example"),
        ({"texts": [("a", "b")]}, "texts has ('a', 'b'): expected a string for each example"),
        ({"texts": [("a",)]}, "texts has ('a',): expected a string for each example"),
        ({"texts": "some text"}, "texts is a str: expected a list, with a string per example"),
        ({"labeled": [("a", "b", "c")]}, "labeled has ('a', 'b', 'c'): expected two strings"),
        (
            {"labeled": [("a", " ")]},
            "labeled has ('a', ' '): expected a label and a text, not empty",
        ),
        ({"labeled": [("", "b")]}, "labeled has ('', 'b'): expected a label and a text, not empty"),
        ({"pairs": ["b" * 99]}, f"pairs has '{'b' * 59}: expected two strings"),
        ({"dataset": "copy", "tokenizer": "bpe", "lowercase": "both"}, "subwords keep the case"),
        ({"pairs": zip("ab", "cd", strict=True)}, "pairs is a zip: expected a list, with two"),
        ({"pairs": []}, "none is left to train on when 1 are held out"),
        ({"dataset": "copy", "word_dropout": 0.1}, "are for texts to classify"),
        ({"dataset": "copy", "rare_word_dropout": 0.1}, "are for texts to classify"),
        (
            {"decay_steps": 9000, "learning_rate": None},
            "decay_steps needs the learning_rate at which the decay begins",
        ),
        (
            {"decay_steps": 9, "learning_rate": 1.0, "warmup_steps": 9},
            "decay_steps = 9: expected a number above",
        ),
        (
            {"final_learning_rate": 0.1, "learning_rate": 1.0},
            "final_learning_rate is the one from decay_steps on",
        ),
        (
            {"final_learning_rate": 2.0, "learning_rate": 1.0, "decay_steps": 9000},
            "final = 2.0: expected a number from 0 to peak = 1.0",
        ),
        (
            {"dataset": "copy", "tokenizer": "bpe", "vocab_size": 10},
            "vocab_size = 10: expected an integer >= 260",
        ),
    ],
)
def test_invalid_run_is_rejected_and_leaves_no_files(fewer_phrases, tmp_path, given, expected):
    assert expected in refusal(lambda: runs.begin(folder=tmp_path / "run", **given))
    assert not list(tmp_path.iterdir())


def test_unnamed_run_gets_first_free_name(text_files, sizes, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = dict(zip(("src", "tgt"), text_files, strict=True))
    names = [runs.begin(**files, **sizes).folder.path.as_posix() for _ in range(3)]
    assert names == ["runs/run", "runs/run-2", "runs/run-3"]


def test_existing_folder_is_rejected_before_reading_data(begin, monkeypatch):
    run = begin()
    run.folder.unlock()
    run.folder.lock_path.unlink()
    before = contents(run.folder)

    def read(*arguments, **how):
        raise AssertionError("the data was read")

    monkeypatch.setattr("npformer.datasets.DataSet.load", read)
    assert "holds a run already" in refusal(begin)
    assert contents(run.folder) == before


def test_model_saved_from_python_can_be_loaded(begin, tmp_path):
    run = begin(epochs=1)
    list(run.updates())
    own = run.predictor()
    npf.save(own, tmp_path / "own")
    sentences = [pair.source for pair in run.held_out]
    assert npf.load(tmp_path / "own").translate(sentences) == own.translate(sentences)
    assert "holds a run already" in refusal(lambda: npf.save(own, tmp_path / "own"))
    models = "Transformer, Classifier, LanguageModel"
    expected = f"a list cannot be saved: expected a predictor, or one of {models}"
    assert refusal(lambda: npf.save([], tmp_path / "x")) == expected
    assert "was saved without its training" in refusal(lambda: runs.resume(tmp_path / "own"))


def test_own_classes_are_not_saved_as_others(begin, tmp_path):
    class OwnVocabulary(npf.Vocabulary):
        pass

    class OwnTranslator(npf.Translator):
        pass

    class OwnReLU(npf.layers.ReLU):
        pass

    OwnReLU.__module__ = "npformer_course.layers"
    run = begin(epochs=1)
    own = run.predictor()
    own_layer = run.predictor()
    own_layer.model.encoder.layers[0].feed_forward.sublayer.activation = OwnReLU()
    others = [
        ("OwnVocabulary", npf.Translator(own.model, OwnVocabulary(own.source.tokens), own.target)),
        ("OwnTranslator", OwnTranslator(own.model, own.source, own.target)),
        ("OwnReLU", own_layer),
        ("OwnReLU", own_layer.model),
    ]
    for name, other in others:
        message = refusal(partial(npf.save, other, tmp_path / "x"))
        assert message.startswith(f"a {name} cannot be saved: load makes")
    assert not (tmp_path / "x").exists()


def test_white_space_around_examples_makes_no_others():
    """So that no copy of a held-out pair is trained on, and no class is two."""
    pairs = [(f"a{i} b", f"b a{i}") for i in range(100)]
    data = in_memory(
        "pairs", [*pairs, *[(f" {source}", f"{target}\n") for source, target in pairs]]
    )
    train, held_out = data.read(["train", "held_out"], None, 0)
    assert {*train, *held_out} == set(starmap(SentencePair, pairs))
    assert not {*train} & {*held_out}

    labeled = [("x", "a"), ("x ", "b"), ("y", "c\n"), ("\ty", "d")] * 2
    train, held_out = in_memory("labeled", labeled).read(["train", "held_out"], None, 0)
    assert {*train, *held_out} == {("x", "a"), ("x", "b"), ("y", "c"), ("y", "d")}


def test_a_model_of_another_type_is_saved(tmp_path):
    """Its table of positions has the numbers of float32."""
    model = npf.Transformer.tiny(6, 6, rng=0).astype("float64")
    npf.save(model, tmp_path / "run")
    assert npf.load(tmp_path / "run").config.dtype == "float64"


def test_a_vocabulary_that_was_exchanged_is_checked(tmp_path):
    words = npf.Vocabulary.build(["a b c"])
    translator = npf.Translator(npf.Transformer.tiny(len(words), len(words), rng=0), words, words)
    translator.source = npf.Vocabulary.build(["a b c d e"])
    message = refusal(partial(npf.save, translator, tmp_path / "run"))
    assert message.startswith("the model has src_vocab_size = 7, and source has 9")
    assert not (tmp_path / "run").exists()


def test_an_alignment_may_be_lists_as_json_has_them():
    pairs = [SentencePair("a b", "b a", [[0, 1], [1, 0]]), SentencePair("c", "d")]
    train, held_out = in_memory("pairs", pairs).read(["train", "held_out"], None, 0)
    assert SentencePair("a b", "b a", ((0, 1), (1, 0))) in [*train, *held_out]


def test_an_alignment_may_have_integers_of_numpy():
    """A run keeps a checksum of its held-out pairs as JSON."""
    links = tuple((i, i) for i in np.arange(2))
    pairs = [SentencePair("a b", "b a", links), SentencePair("c d", "d c", links)]
    _, held_out = in_memory("pairs", pairs).read(["train", "held_out"], None, 0)
    assert json.loads(json.dumps(held_out[0].alignment)) == [[0, 0], [1, 1]]


@pytest.mark.parametrize("alignment", [None, "0-1 1-0", ((0, 1, 2),), ((0.0, 1.0),), (("0", "1"),)])
def test_an_alignment_of_anything_but_pairs_of_integers_is_refused(tmp_path, alignment):
    pairs = [SentencePair("a b", "b a", alignment), SentencePair("c", "d")]
    message = refusal(lambda: runs.begin(pairs=pairs, folder=tmp_path / "run"))
    assert message == (
        f"pairs has the alignment {alignment!r} of 'a b': "
        "expected pairs (i, j) of integers, such as ((0, 1), (1, 0))"
    )
    assert not (tmp_path / "run").exists()


def test_held_out_part_that_cannot_be_used_is_named(tmp_path):
    pairs = [("a b", "b a"), ("b", "b"), (" ", "a")]  # with seed 0 the last is held out
    message = refusal(lambda: runs.begin(pairs=pairs, folder=tmp_path / "run", seed=0))
    assert message.startswith(
        "held-out examples (where they are drawn, another seed draws others): none of 1 sentence "
        "pairs can be used: each has an empty side"
    )


def exchange_attention(model):
    attention = npf.layers.LocalAttention(1)
    model.encoder.layers[0].self_attention.sublayer.attention = attention


def change_layer_norm(model):
    model.decoder.layers[0].feed_forward.norm.eps = 0.5


def change_embedding(model):
    model.encoder.input_embedding.embedding.scale = 1.0


def change_dropout(model):
    model.encoder.input_embedding.dropout.p = 0.5


def change_positions(model):
    table = model.decoder.input_embedding.positions.table
    model.decoder.input_embedding.positions.table = np.zeros_like(table)


def tie_tables(model):
    model.decoder.input_embedding.embedding.table = model.encoder.input_embedding.embedding.table


def remove_layer(model):
    model.encoder.layers.pop()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            exchange_attention,
            "encoder.layers.0.self_attention.sublayer.attention = LocalAttention, but load makes "
            "what its config says, ScaledDotProductAttention: make the model of a config",
        ),
        (change_layer_norm, "decoder.layers.0.feed_forward.norm.eps = 0.5, but load makes"),
        (change_embedding, "encoder.input_embedding.embedding.scale = 1.0, but"),
        (change_dropout, "encoder.input_embedding.dropout.p = 0.5, but"),
        (change_positions, "decoder.input_embedding.positions.table = an array with SHA-256 "),
        (tie_tables, "decoder.input_embedding.embedding.table = None, but load makes what its "),
        (remove_layer, "encoder.layers.1 = None, but load makes what its config says, Enc"),
    ],
)
def test_a_model_that_is_not_of_its_config_is_not_saved_as_another(tmp_path, change, said):
    model = npf.Transformer.tiny(6, 6, rng=0)
    npf.save(model, tmp_path / "before")
    change(model)
    message = refusal(partial(npf.save, model, tmp_path / "after"))
    assert message.startswith(f"the model has {said}")
    assert not (tmp_path / "after").exists()


def test_a_model_whose_layers_are_replaced_is_not_saved(tmp_path):
    model = npf.Transformer.tiny(6, 6, rng=0)
    forward = model.generator.forward
    model.generator.forward = lambda x: 2 * forward(x)
    assert refusal(partial(npf.save, model, tmp_path / "model")) == (
        "generator.forward was replaced, by hand or in a block such as npf.trace: save the model "
        "as it was before"
    )
    assert not (tmp_path / "model").exists()


def test_options_of_evaluate_replace_those_of_the_data(begin, monkeypatch):
    run = begin(epochs=1)
    monkeypatch.setattr("npformer.datasets.DataSet.target_language", lambda data, direction: "de")
    assert "on Moses tokens (de)" in run.evaluate().table()
    assert "on Moses tokens (fr)" in run.evaluate(language="fr").table()
