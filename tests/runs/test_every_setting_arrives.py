"""Each setting changes something that is built, not only what is written down, on every path by
which a run begins or is read again.

A setting that is added to TransformerConfig or TrainingSettings without a row here fails the
first test.
"""

import json
import math
import re
import signal
from typing import Any, NamedTuple

import numpy as np
import pytest

import npformer as npf
from npformer import datasets, runs
from npformer.layers import (
    Dropout,
    FeedForward,
    FlashAttention,
    GELUTanh,
    LayerNorm,
    LocalAttention,
    RMSNorm,
    RotaryAttention,
    Softmax,
    SwiGLU,
)
from npformer.models.gradient_checkpointing import Checkpointed
from npformer.runs.recipe import model_options, training_options
from npformer.runs.settings import DataSettings, TrainingSettings
from npformer.tasks import TASKS
from npformer.training import Checkpoint
from tests.small_models import SIZES

# nobody sets them for a run
BY_THE_DATA = {"src_vocab_size", "tgt_vocab_size", "n_classes", "pad_id"}
QUERY, VALUE = (f"encoder.layers.0.self_attention.sublayer.w_{name}" for name in ("query", "value"))
LINEAR_1 = "decoder.layers.0.feed_forward.sublayer.linear_1"
LM_LAYER = "decoder.layers.0"
LABELED = {"dataset": "two_labels"}
TEXT = {"dataset": "one_text"}
SUBWORDS = {"tokenizer": "bpe", "vocab_size": 280}


def parameters(run):
    return {name: parameter.data for name, parameter in run.model.named_parameters()}


def shape(name, axis):
    return lambda run: parameters(run)[name].shape[axis]


def wide(query):
    """Whether a W^Q (D, H d_k) has numbers beyond the limit of Glorot's uniform start."""
    return bool((abs(query) > (3 / sum(query.shape)) ** 0.5).any())


def modules(run, kind):
    return {name: module for name, module in run.model.named_modules() if isinstance(module, kind)}


def rotation(run):
    """The rotation of the queries of a language model."""
    return run.model.decoder.layers[0].self_attention.sublayer.attention.query_rotation


def dropouts(*, of_attention_weights):
    def observe(run):
        softmaxes = {name.removesuffix("softmax") for name in modules(run, Softmax)}
        found = modules(run, Dropout).items()
        return {
            d.p
            for name, d in found
            if (name.removesuffix("dropout") in softmaxes) is of_attention_weights
        }

    return observe


def neighbors_of_both_stacks(run):
    """How many before and after a position its attention sees; cross-attention would add a third
    kind of name.
    """
    restricted = modules(run, LocalAttention).items()
    return {name.partition(".")[0]: (found.before, found.after) for name, found in restricted}


def tiled_attention_classes(run):
    """The kinds of attention that are computed in tiles."""
    return sorted(
        f"{name.split('.')[0]} {name.split('.')[3]}" for name in modules(run, FlashAttention)
    )


def learning_rate(step):
    return lambda run: run.trainer.optimizer.learning_rate_at(step)


def first_tokens(run):
    """The tokens with which targets begin, in training and held out, and with which translations
    do.
    """
    batches = [
        batch for cut in (run.trainer.batches, run.held_out_batches) for batch in cut.epoch(1)
    ]
    return {int(i) for batch in batches for i in batch.tgt_in[:, 0]} | {
        run.predictor().model.config.start_id
    }


def source_special_tokens(run):
    """Whether sources begin with <bos>, and end in <eos>, in training and held out."""
    batches = [
        batch for cut in (run.trainer.batches, run.held_out_batches) for batch in cut.epoch(1)
    ]
    return {(2 in ids[:1], 3 in ids) for batch in batches for ids in batch.src.tolist()}


def observed_word_dropout(run):
    """More than half of the tokens of a hundred epochs, as 0.5, or fewer, as 0."""
    batches = run.trainer.batches
    epochs = [batches.examples if batches.recut is None else batches.recut(n) for n in range(100)]
    ids = [i for examples in epochs for text, _ in examples for i in text]
    return 0.5 if sum(i == 1 for i in ids) > len(ids) / 2 else 0.0


def saved_steps_after_two_updates(run):
    updates = run.updates()
    next(updates), next(updates)
    return int(Checkpoint.read(run.folder.checkpoint_path).tensors["adam.steps"])


def epochs_of_the_weights(run):
    """Return the epochs whose weights are averaged after two, of which the first is better."""
    list(run.updates())
    run.log.rows = [
        {**row, "held_out_loss": row["epoch"] if row["held_out_loss"] else None}
        for row in run.log.rows
    ]
    used, load = set(), run.folder.load_weights
    run.folder.load_weights = lambda path: used.add(int(path.stem)) or load(path)
    run.weights()
    return used


def stops_on_rising_losses(run):
    run.log.rows = [{"step": n, "held_out_loss": loss} for n, loss in enumerate([1.0, 2.0, 3.0])]
    return run.done


class Case(NamedTuple):
    """A setting's other value, what else is given with it and without it, what to look at, and
    what is there then.
    """

    value: Any
    observe: Any
    expected: Any
    beside: Any = None


CASES = {
    "d_model": Case(8, shape("encoder.input_embedding.embedding.table", 1), 8),
    "d_ff": Case(40, shape(f"{LINEAR_1}.weight", 1), 40),
    "activation": Case(
        "gelu",
        lambda run: {
            type(layer.activation).__name__ for layer in modules(run, FeedForward).values()
        },
        {"GELU"},
    ),
    "n_heads": Case(4, lambda run: modules(run, object)[QUERY.rpartition(".")[0]].n_heads, 4),
    "d_k": Case(5, shape(f"{QUERY}.weight", 1), 10),
    "d_v": Case(7, shape(f"{VALUE}.weight", 1), 14),
    "n_encoder_layers": Case(3, lambda run: len(run.model.encoder.layers), 3),
    "n_decoder_layers": Case(3, lambda run: len(run.model.decoder.layers), 3),
    "dropout": Case(0.25, dropouts(of_attention_weights=False), {0.25}),
    "attention_dropout": Case(0.25, dropouts(of_attention_weights=True), {0.25}),
    "norm": Case(
        "pre", lambda run: type(run.model.decoder.layers[0].feed_forward).__name__, "PreNorm"
    ),
    "layer_norm_eps": Case(
        1e-3,
        lambda run: {norm.eps for norm in modules(run, LayerNorm).values()},
        {1e-3},
        {"norm": "pre"},
    ),
    "final_norm": Case(
        True,
        lambda run: [column.norm is not None for column in (run.model.encoder, run.model.decoder)],
        [True, True],
    ),
    "embedding_norm": Case(
        True,
        lambda run: [
            name for name in parameters(run) if name.endswith("input_embedding.norm.gain")
        ],
        ["encoder.input_embedding.norm.gain", "decoder.input_embedding.norm.gain"],
    ),
    "generator_bias": Case(True, lambda run: "generator.bias" in parameters(run), True),
    "start_id": Case(0, first_tokens, {0}),
    "source_special_tokens": Case("both", source_special_tokens, {(True, True)}),
    "positions": Case(
        "learned",
        lambda run: type(run.model.encoder.input_embedding.positions).__name__,
        "LearnedPositionalEncoding",
    ),
    "max_len": Case(
        9, shape("decoder.input_embedding.positions.table", 0), 9, {"positions": "learned"}
    ),
    "tie_embeddings": Case(
        "none", lambda run: sum(name.endswith("table") for name in parameters(run)), 3
    ),
    "encoder": Case(
        "lstm", lambda run: type(run.model.encoder.layers[0]).__name__, "RecurrentLayer", LABELED
    ),
    "pooling": Case("max", lambda run: type(run.model.pooling).__name__, "MaxPooling", LABELED),
    "neighbors": Case(5, neighbors_of_both_stacks, {"encoder": (3, 2), "decoder": (5, 0)}),
    "gradient_checkpointing": Case(
        True, lambda run: sum(isinstance(m, Checkpointed) for _, m in run.model.named_modules()), 2
    ),
    "attention": Case(
        "flash",
        tiled_attention_classes,
        ["decoder cross_attention", "decoder self_attention", "encoder self_attention"],
    ),
    "attention_bias": Case(False, lambda run: f"{QUERY}.bias" in parameters(run), False),
    "init": Case(
        "per_head", lambda run: wide(parameters(run)[f"{QUERY}.weight"]), True, {"d_k": 5}
    ),
    "dtype": Case(
        "float64", lambda run: {str(array.dtype) for array in parameters(run).values()}, {"float64"}
    ),
    "dataset": Case("other", lambda run: run.held_out[0].source, "a a a", {"dataset": "two_ways"}),
    "direction": Case(
        "de-en", lambda run: run.held_out[0].source, "y y y", {"dataset": "two_ways"}
    ),
    "tokenizer": Case(
        "character",
        lambda run: (run.vocabularies["source"].tokenizer, run.vocabularies["target"].tokenizer),
        ("character", "character"),
    ),
    "lowercase": Case(
        "both",
        lambda run: (run.vocabularies["source"].lowercase, run.vocabularies["target"].lowercase),
        (True, True),
    ),
    "min_count": Case(26, lambda run: run.vocabularies["source"].tokens[4:], [".", "der", "the"]),
    "vocab_size": Case(270, lambda run: len(run.vocabularies["source"]), 270, SUBWORDS),
    "word_dropout": Case(0.9, observed_word_dropout, 0.5, LABELED),
    "rare_word_dropout": Case(1e9, observed_word_dropout, 0.5, LABELED),
    "epochs": Case(1, lambda run: len(list(run.epochs())), 1),
    "patience": Case(2, stops_on_rising_losses, True),
    "batch_tokens": Case(500, lambda run: len(run.trainer.batches.epoch(1)), 1),
    "accumulate": Case(3, lambda run: run.trainer.accumulate, 3),
    "warmup_steps": Case(7, learning_rate(7), (16 * 7) ** -0.5, {"learning_rate": None}),
    "learning_rate": Case(0.25, learning_rate(5), 0.25),
    "decay_steps": Case(9, learning_rate(7), 0.01 * (1 + 0) / 2),
    "final_learning_rate": Case(0.002, learning_rate(20), 0.002, {"decay_steps": 9}),
    "label_smoothing": Case(0.2, lambda run: run.trainer.objective.loss.eps, 0.2),
    "clip_norm": Case(0.5, lambda run: run.trainer.clip_norm, 0.5),
    "beta1": Case(0.8, lambda run: run.trainer.optimizer.beta1, 0.8),
    "beta2": Case(0.9, lambda run: run.trainer.optimizer.beta2, 0.9),
    "adam_eps": Case(1e-7, lambda run: run.trainer.optimizer.eps, 1e-7),
    "weight_decay": Case(0.3, lambda run: run.trainer.optimizer.weight_decay, 0.3),
    "average": Case(2, epochs_of_the_weights, {1, 2}),
    "average_of": Case("best", epochs_of_the_weights, {1}, {"learning_rate": 1.0}),
    "workers": Case(2, lambda run: run.trainer.parallel and run.trainer.parallel.n_workers, 2),
    "save_every": Case(2, saved_steps_after_two_updates, 2),
}
# what only language models have, and more values of settings that all models have
OF_LANGUAGE_MODELS = {
    "n_kv_heads": Case(1, shape(f"{LM_LAYER}.self_attention.sublayer.w_key.weight", 1), 8, TEXT),
    "rotary_base": Case(
        500.0,
        lambda run: rotation(run).sin[1, 1],
        pytest.approx(math.sin(500 ** (-2 / 8))),
        {**TEXT, "positions": "rotary"},
    ),
    "rotary_pairs": Case(
        "halves", lambda run: rotation(run).first, slice(0, 4), {**TEXT, "positions": "rotary"}
    ),
    "feed_forward_bias": Case(
        False,
        lambda run: [name for name in parameters(run) if "linear" in name and "bias" in name],
        [],
        TEXT,
    ),
    "embedding_scale": Case(
        1.5, lambda run: run.model.decoder.input_embedding.embedding.scale, 1.5, TEXT
    ),
}
MORE_VALUES = {
    "norm": Case(
        "rms", lambda run: (len(modules(run, LayerNorm)), len(modules(run, RMSNorm))), (0, 3), TEXT
    ),
    "positions": Case("rotary", lambda run: len(modules(run, RotaryAttention)), 1, TEXT),
    "activation": Case(
        "swiglu",
        lambda run: (len(modules(run, FeedForward)), len(modules(run, SwiGLU))),
        (0, 1),
        TEXT,
    ),
    "activation, GELU by tanh": Case("gelu_tanh", lambda run: len(modules(run, GELUTanh)), 1, TEXT),
}
CASES |= OF_LANGUAGE_MODELS
ALL_CASES = CASES | {f"{name} of language models": case for name, case in MORE_VALUES.items()}
OF_LABELED = ["src", "tgt", "n_decoder_layers"]  # what a run on labeled texts does not take
OF_TEXTS = ["src", "tgt", "n_encoder_layers"]  # what a language model does not take
FILES = {"src", "tgt", "held_out_src", "held_out_tgt", "tsv", "text", "held_out"}
BY_HAND = FILES | {"recipe", "seed"}  # each has a test of its own below


def setting_of(case_name):
    """Return the setting of a case, such as "norm" of "norm of language models"."""
    return re.split("[, ]", case_name)[0]


def pairs_of(words):
    def read(parts, direction, seed):
        lines = [f"{words[seed % 2]} {words[0]} {words[0]}"] * 8
        there = [
            datasets.SentencePair(line, line.translate(str.maketrans("ab", "xy"))) for line in lines
        ]
        back = [datasets.SentencePair(pair.target, pair.source) for pair in there]
        return [back if direction == "de-en" else there for _ in parts]

    return read


@pytest.fixture(autouse=True)
def more_data_sets(monkeypatch):
    both = {"recipe": "tiny", "directions": ("en-de", "de-en")}
    for name, words in {"two_ways": "ba", "other": "ab"}.items():
        more = datasets.DataSet(name=name, read=pairs_of(words), **both)
        monkeypatch.setitem(datasets.registry(), name, more)
    texts = [datasets.LabeledText(label, label * 3) for label in "ab"]
    labeled = {
        "task": "classification",
        "read": lambda parts, direction, seed: [texts for _ in parts],
    }
    text = datasets.DataSet(
        name="one_text",
        recipe="tiny_text",
        task="language_model",
        read=lambda parts, direction, seed: [["a b c d e f g h " * 9] for _ in parts],
    )
    monkeypatch.setitem(datasets.registry(), "one_text", text)
    monkeypatch.setitem(
        datasets.registry(),
        "two_labels",
        datasets.DataSet(name="two_labels", recipe="mistakes", **labeled),
    )


@pytest.fixture
def begun(begin):
    """Begin a run; with a data set, without files."""

    def begin_run(name, **settings):
        if "dataset" not in settings:
            return begin(name, **settings)
        without = {"two_labels": OF_LABELED, "one_text": OF_TEXTS}
        return begin(name, without=without.get(settings["dataset"], OF_LABELED[:2]), **settings)

    return begin_run


def test_every_setting_has_a_test_case():
    configs = [task.predictor.config_class.declared() for task in TASKS.values()]
    names = {
        name for known in (*configs, TrainingSettings.declared()) for name in known
    } - BY_THE_DATA
    assert names == CASES.keys() | BY_HAND


@pytest.mark.parametrize("case_name", ALL_CASES)
def test_each_setting_changes_the_run(begun, case_name):
    case, name = ALL_CASES[case_name], setting_of(case_name)
    beside = case.beside or {}
    without, changed = begun("without", **beside), begun("changed", **beside | {name: case.value})
    came = case.observe(changed)
    assert came == (
        pytest.approx(case.expected) if isinstance(case.expected, float) else case.expected
    )
    assert case.observe(without) != came


def by_python(paths, settings):
    return paths.begun(paths.folder, **settings)


def by_lists(paths, settings):
    """Begin a run on the lines of the two files, or the labeled texts, as lists in memory."""
    given = {**paths.sizes, **settings}
    dataset = given.pop("dataset", None)
    if dataset == "one_text":
        given.pop("n_encoder_layers")
        return runs.begin(
            texts=[f"{letter} b c d e f g h" for letter in "adefg"], folder=paths.folder, **given
        )
    if dataset == "two_labels":
        given.pop("n_decoder_layers")
        texts = [(label, f"{label} " * n) for label in "ab" for n in (3, 4)]
        return runs.begin(labeled=texts, folder=paths.folder, **given)
    sides = [file.read_text("utf-8").splitlines() for file in paths.files]
    return runs.begin(pairs=list(zip(*sides, strict=True)), folder=paths.folder, **given)


def by_recipe(paths, settings):
    """Begin a run of a recipe, in which all settings are except the data."""
    data = {name: settings[name] for name in settings if name in DataSettings.options()}
    given = {**paths.sizes, **settings}
    recipe = {}
    for part, options in (("model", model_options()), ("training", training_options())):
        recipe[part] = {name: value for name, value in given.items() if name in options}
    path = paths.folder.with_suffix(".json")
    path.write_text(json.dumps(recipe))
    if not data:
        data = dict(zip(("src", "tgt"), paths.files, strict=True))
    return runs.begin(folder=paths.folder, recipe=path, **data)


def by_command_line(paths, settings):
    """Begin a run by `npformer train`, and stop it before its first update."""
    begun_runs = []

    def stop(run):
        begun_runs.append(run)
        return signal.SIGINT

    paths.monkeypatch.setattr("npformer.cli.train._train", stop)
    given = {**paths.sizes, **settings}
    words = ["train"]
    if "dataset" in given:
        words.append(given.pop("dataset"))
    else:
        words += ["--src", paths.files[0], "--tgt", paths.files[1]]
    if "two_labels" in words:
        del given["n_decoder_layers"]
    if "one_text" in words:
        del given["n_encoder_layers"]
    for name, value in given.items():
        text = str(value).lower() if value is None or isinstance(value, bool) else value
        words += [f"--{name.replace('_', '-')}", text]
    assert paths.command(*words, "--run", paths.folder).status == 128 + signal.SIGINT
    return begun_runs[0]


def by_resuming(paths, settings):
    run = by_python(paths, settings)
    return runs.resume(run.folder.path)


def by_workers(paths, settings):
    """Begin a run of two workers, which share each update."""
    return by_python(paths, {**settings, "workers": 2})


def by_loading(paths, settings):
    """Begin a run, and exchange its model and vocabularies for those that its folder has."""
    run = by_python(paths, settings)
    loaded = npf.load(run.folder.path)
    run.model = loaded.model
    run.vocabularies = dict(zip(loaded.sides, loaded.vocabularies, strict=True))
    run.predictor = lambda: loaded
    return run


PATHS = {
    "Python": by_python,
    "lists": by_lists,
    "recipe": by_recipe,
    "command line": by_command_line,
    "resume": by_resuming,
    "workers": by_workers,
    "load": by_loading,
}
# what only the folder of a run has, and not a model that is loaded
OF_TEXT = {"tokenizer", "lowercase", "min_count", "vocab_size"}
NOT_ON = {
    "Python": ALL_CASES.keys(),  # test_each_setting_changes_the_run
    "resume": {},
    "command line": {},
    "lists": {"dataset", "direction"},
    "recipe": {"dataset", "direction"},
    "workers": {"workers"},
    "load": TrainingSettings.declared().keys() - OF_TEXT,
}


class Paths(NamedTuple):
    """What the functions of PATHS work with."""

    begun: Any
    command: Any
    monkeypatch: Any
    sizes: dict
    files: tuple
    folder: Any


@pytest.fixture
def paths(begun, command, monkeypatch, sizes, text_files, tmp_path):
    return Paths(begun, command, monkeypatch, sizes, text_files, tmp_path / "run")


@pytest.mark.parametrize(
    ("path", "name"),
    [(path, name) for path in PATHS for name in ALL_CASES if name not in NOT_ON[path]],
)
def test_each_setting_arrives_on_each_path(paths, path, name):
    case, name = ALL_CASES[name], setting_of(name)
    run = PATHS[path](paths, {**(case.beside or {}), name: case.value})
    came = case.observe(run)
    assert came == (
        pytest.approx(case.expected) if isinstance(case.expected, float) else case.expected
    )


def described(model):
    """Return all that a model is built of: its layers with their settings, and its parameters."""
    layers = []
    for name, layer in model.named_modules():
        own = {key: x for key, x in vars(layer).items() if isinstance(x, (int, float, str, slice))}
        own |= {key: x.tobytes() for key, x in vars(layer).items() if isinstance(x, np.ndarray)}
        layers.append((name, type(layer).__name__, own))
    return layers, {name: (x.shape, x.dtype, x.tobytes()) for name, x in model.state_dict().items()}


OF_BATCHES = {"start_id", "source_special_tokens"}  # what they change is not the model


@pytest.mark.parametrize(
    ("task", "name"),
    [
        (task, name)
        for task in TASKS
        for name in TASKS[task].predictor.config_class.options()
        if name not in OF_BATCHES
    ],
)
def test_each_setting_changes_the_model_of_each_task(task, name):
    predictor, case = TASKS[task].predictor, CASES[name]
    known = predictor.config_class.declared()
    given = {**SIZES, **dict.fromkeys(predictor.sides.values(), 9), **(case.beside or {})}
    given = {key: value for key, value in given.items() if key in known}
    models = []
    for changed in ({}, {}, {name: case.value}):
        config = predictor.config_class(**{**given, **changed})
        models.append(described(predictor.model_class(config, rng=0)))
    assert models[0] == models[1] != models[2]


def test_pair_files_are_read(begin, tmp_path):
    texts = {"src": "a a\na b\n", "tgt": "c c\nc d\n", "held_out_src": "a\n", "held_out_tgt": "d\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    run = begin(tie_embeddings="none", **{name: tmp_path / name for name in texts})
    assert (run.vocabularies["source"].tokens[4:], run.vocabularies["target"].tokens[4:]) == (
        ["a", "b"],
        ["c", "d"],
    )
    assert [pair[:2] for pair in run.held_out] == [("a", "d")]


@pytest.mark.parametrize("held_out", [None, "last words\nof it"])
def test_text_file_is_read(begin, tmp_path, held_out):
    text = "first words\nof a text" * 20
    (tmp_path / "text").write_text(text)
    given = {"text": tmp_path / "text"}
    if held_out:
        (tmp_path / "held_out").write_text(held_out)
        given["held_out"] = tmp_path / "held_out"
    run = begin(**given, without=["src", "tgt", "n_encoder_layers"])
    [vocabulary] = run.vocabularies.values()
    cut = len(text) if held_out else int(0.9 * len(text))
    assert vocabulary.decode(run.trainer.batches.ids) == text[:cut]
    assert run.held_out == [held_out or text[cut:]]
    assert run.config.n_decoder_layers == 1


@pytest.mark.parametrize("held_out", [None, "b\tb b\n"])
def test_labeled_file_is_read(begin, tmp_path, held_out):
    texts = [("a", "a a"), ("a", "a a a"), ("b", "b a"), ("b", "b a b")]
    (tmp_path / "train").write_text("".join(f"{label}\t{text}\n" for label, text in texts))
    given = {"tsv": tmp_path / "train"}
    if held_out:
        (tmp_path / "held_out").write_text(held_out)
        given["held_out"] = tmp_path / "held_out"
    run = begin(**given, without=["src", "tgt", "n_decoder_layers"])
    assert (sorted(run.vocabularies["text"].tokens[4:]), run.vocabularies["label"].names) == (
        ["a", "b"],
        ["a", "b"],
    )
    assert run.held_out == [("b", "b b")] if held_out else set(run.held_out) < set(texts)
    assert len(run.trainer.batches.examples) == (4 if held_out else 4 - len(run.held_out))
    assert run.config.n_encoder_layers == 1


def test_recipe_sets_settings_not_given(begin, tmp_path):
    (tmp_path / "mine.json").write_text(
        '{"model": {"norm": "pre"}, "training": {"clip_norm": 2, "epochs": 77}}'
    )
    run = begin(recipe=tmp_path / "mine.json")
    assert (run.config.norm, run.trainer.clip_norm, run.settings.epochs) == ("pre", 2.0, 2)


@pytest.mark.parametrize("path", [path for path in PATHS if path != "load"])
def test_seed_sets_weights_dropout_batches_and_held_out_pairs(paths, path):
    def drawn(name, seed):
        run = PATHS[path](paths._replace(folder=paths.folder / name), {"seed": seed})
        table = run.model.state_dict()["encoder.input_embedding.embedding.table"]
        groups = [group.tolist() for group in run.trainer.batches.epoch(1).groups]
        generators = [rng.bit_generator.state["state"]["state"] for rng in run.trainer.generators()]
        return table.tolist(), run.held_out, groups, generators

    paths.folder.mkdir()
    one = drawn("one", 0)
    assert one == drawn("same", 0)
    assert all(a != b for a, b in zip(one, drawn("other", 1), strict=True))


@pytest.mark.parametrize("dataset", ["two_ways", "two_labels", "one_text"])
def test_seed_sets_the_batches_of_each_task(begun, dataset):
    assert begun("run", dataset=dataset, seed=7).trainer.batches.seed == 7


LINES = [f"{a} {b}" for a in "abcdefgh" for b in "xyz"]
LISTS = {
    "pairs": [(line, line[::-1]) for line in LINES],
    "labeled": [(line[0], line) for line in LINES],
    "texts": LINES,
}


@pytest.mark.parametrize("kind", LISTS)
def test_seed_sets_which_examples_of_a_list_are_held_out(kind):
    held_out = []
    for seed in (0, 0, 1):
        settings = TrainingSettings(dataset=kind, seed=seed)
        train, one = settings.load("train", "held_out", examples=LISTS[kind])
        assert len(train) + len(one) == len(LINES)
        held_out.append(one)
    assert held_out[0] == held_out[1] != held_out[2]


def test_seed_sets_generated_data(begun):
    runs_of = [begun(str(seed), dataset="two_ways", seed=seed) for seed in (0, 1)]
    assert runs_of[0].held_out != runs_of[1].held_out


def test_default_data_set_is_the_phrasebook(sizes, tmp_path, monkeypatch):
    phrasebook = datasets.DataSet(
        name="phrasebook", recipe="tiny", read=pairs_of("ab"), lowercase="source"
    )
    monkeypatch.setitem(datasets.registry(), "phrasebook", phrasebook)
    run = runs.begin(folder=tmp_path / "run", text=None, **sizes)
    assert (run.settings.dataset, run.vocabularies["source"].lowercase, run.held_out[0].target) == (
        "phrasebook",
        True,
        "x x x",
    )
