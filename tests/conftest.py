"""Shared by many rooms: a tiny model and its trainer, thirty lines to train on, a trained run,
the command line.
"""

import gc
import json
import os
import shutil
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from npformer import Transformer, TransformerConfig, datasets
from npformer.cli import main
from npformer.datasets import phrasebook
from npformer.tasks import Batches, Objective
from npformer.training import Adam, Trainer, WarmupSchedule, save_checkpoint
from npformer.visualization import SentenceAttention
from npformer_course.sandbox.runner import Sandbox
from tests.run_here import run_here
from tests.small_models import QUICK_TRAINING, SIZES

# --doctest-modules would import each as "conftest", and only one can be that
collect_ignore_glob = ["*conftest.py"]

VOCABULARY = 12
NOUNS = {
    "dog": "Hund",
    "cat": "Kater",
    "boy": "Junge",
    "king": "König",
    "fox": "Fuchs",
    "bear": "Bär",
}
VERBS = {"sleeps": "schläft", "comes": "kommt", "sings": "singt", "sees": "sieht", "runs": "läuft"}


def pytest_xdist_auto_num_workers(config):
    """Run the whole suite, the long tests and the notebooks in one process per core, named files
    in this process.
    """
    several = config.option.markexpr not in ("browser", "docs", "gpu")
    return None if several and config.args_source is pytest.Config.ArgsSource.TESTPATHS else 0


def pytest_collection_finish(session):
    """Spare the collector of garbage the ten thousand tests, which it would look through again
    and again, and let it look less often.
    """
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(50_000)


def pytest_configure():
    """Compute on one thread, here and in the processes that tests start: on arrays so small
    threads only wait.

    Where CI is set pytest writes out how two unequal values differ, for which it looks through
    the bytes of a model's weights for minutes. Without it a failure says where they begin to
    differ; -vv still asks for all. What tests start may keep its bytecode: to compile npformer
    takes a second each time. No file of a test needs to outlive a power failure: to wait for the
    disk took most of the time of tests that begin a run.
    """
    os.fsync = lambda descriptor: None
    gc.disable()
    threadpool_limits(1, user_api="blas")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ["LANGUAGE"] = (
        "C"  # argparse looks for translations of each word, of which there are none
    )
    for name in ("CI", "BUILD_NUMBER", "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def make_model():
    def make(*, seed=0, bit_generator=np.random.PCG64, **settings):
        config = TransformerConfig(
            **{
                "src_vocab_size": VOCABULARY,
                "tgt_vocab_size": VOCABULARY,
                "max_len": 20,
                **SIZES,
                **settings,
            }
        )
        return Transformer(config, rng=np.random.Generator(bit_generator(seed)))

    return make


@pytest.fixture(scope="session")
def id_pairs():
    """Forty pairs of ids, 1 to 8 tokens long, a pair the reverse of each other."""
    rng = np.random.default_rng(3)
    sources = [rng.integers(4, VOCABULARY, rng.integers(1, 9)).tolist() for _ in range(40)]
    return [(source, source[::-1]) for source in sources]


@pytest.fixture(scope="session")
def make_looked():
    """Make the attention of a sentence with random weights:

    `make_looked(["a", "<eos>"], ["b", "<eos>"])`.
    """

    def make(source, written, *, layers=(2, 3), heads=4, seed=0):
        rng = np.random.default_rng(seed)
        n_encoder, n_decoder = layers
        s, t = len(source), len(written)

        def weights(n_layers, n_queries, n_keys, mask=True):
            scores = rng.gamma(
                0.3, size=(n_layers, heads, n_queries, n_keys)
            ) * mask + 1e-9 * np.asarray(mask)
            return (scores / scores.sum(-1, keepdims=True)).astype(np.float32)

        maps = (
            weights(n_encoder, s, s),
            weights(n_decoder, t, t, np.tri(t)),
            weights(n_decoder, t, s),
        )
        return SentenceAttention(list(source), ["<bos>", *written[:-1]], list(written), *maps)

    return make


@pytest.fixture(scope="session")
def make_trainer(make_model, id_pairs):
    def make(
        *, workers=1, accumulate=1, clip_norm=None, dropout=0.1, communicator=None, **settings
    ):
        model = make_model(dropout=dropout, attention_dropout=dropout, **settings)
        adam = Adam(model.parameters(), learning_rate=WarmupSchedule(16, 10))
        how = dict(
            workers=workers, accumulate=accumulate, clip_norm=clip_norm, communicator=communicator
        )
        return Trainer(Objective(model), adam, Batches(id_pairs, batch_tokens=40, seed=5), **how)

    return make


@pytest.fixture(scope="session")
def checkpoint_of_two_workers(make_trainer, tmp_path_factory):
    """The file of a checkpoint after three updates."""
    path, trainer = (
        tmp_path_factory.mktemp("checkpoint") / "checkpoint.safetensors",
        make_trainer(workers=2),
    )
    list(islice(trainer.updates(2), 3))
    save_checkpoint(path, trainer)
    return path


@pytest.fixture(scope="session")
def text_files(tmp_path_factory):
    """Two line-aligned files of thirty lines."""
    folder = tmp_path_factory.mktemp("text")
    lines = [
        (f"the {noun} {verb} .", f"der {NOUNS[noun]} {VERBS[verb]} .")
        for noun in NOUNS
        for verb in VERBS
    ]
    files = folder / "train.en", folder / "train.de"
    for file, side in zip(files, zip(*lines, strict=True), strict=True):
        file.write_text("".join(f"{line}\n" for line in side), encoding="utf-8")
    return files


@pytest.fixture(scope="session")
def small():
    """The options of a model that trains in a blink."""
    sizes = [
        text for name, size in SIZES.items() for text in (f"--{name.replace('_', '-')}", str(size))
    ]
    return [*sizes, *QUICK_TRAINING]


@pytest.fixture(scope="session")
def trained_run(tmp_path_factory, text_files, small):
    """A run folder after fifteen epochs on thirty lines; not to be changed."""
    folder = tmp_path_factory.mktemp("runs") / "trained"
    files = ["--src", str(text_files[0]), "--tgt", str(text_files[1])]
    settings = ["--epochs", "15", "--dropout", "0", "--label-smoothing", "0", "--max-len", "12"]
    assert main(["train", *files, *small, *settings, "--run", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def labeled_file(tmp_path_factory):
    """A file of thirty-six texts of three classes, as unlike in number as 20, 10 and 6."""
    kinds = {noun: "person" if noun in ("boy", "king") else "animal" for noun in NOUNS}
    rows = [(kind, f"the {noun} {verb} .") for noun, kind in kinds.items() for verb in VERBS]
    rows += [("question", f"is the {noun} here ?") for noun in NOUNS]
    path = tmp_path_factory.mktemp("labeled") / "train.tsv"
    path.write_text("".join(f"{label}\t{text}\n" for label, text in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def small_classifier(small):
    """The options of a classifier that trains in a blink."""
    cut = small.index("--n-decoder-layers")
    return [*small[:cut], *small[cut + 2 :]]


@pytest.fixture(scope="session")
def classifier_run(tmp_path_factory, labeled_file, small_classifier):
    """A run folder after twelve epochs on the thirty-six texts, held out too; not to be changed."""
    folder = tmp_path_factory.mktemp("runs") / "classifier"
    files = ["--tsv", str(labeled_file), "--held-out", str(labeled_file)]
    settings = ["--epochs", "12", "--dropout", "0", "--label-smoothing", "0", "--max-len", "12"]
    assert main(["train", *files, *small_classifier, *settings, "--run", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def tiny_recipe(tmp_path_factory):
    """The file of a recipe with which a run of few phrases takes a moment."""
    path = tmp_path_factory.mktemp("recipes") / "blink.json"
    model = dict(d_model=16, d_ff=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, max_len=20)
    training = dict(batch_tokens=256, warmup_steps=4, learning_rate=0.02, min_count=5, save_every=1)
    path.write_text(json.dumps({"model": model, "training": {**training, "epochs": 2}}))
    return str(path)


@pytest.fixture
def replace_examples(monkeypatch):
    """Give a data set, within this process, other examples:

    `replace_examples("sort", train, held_out)`.
    """

    def replace_(name, *parts):
        made = dict(zip(("train", "held_out"), parts, strict=True))
        data = replace(
            datasets.get(name), read=lambda names, direction, seed: [made[part] for part in names]
        )
        monkeypatch.setitem(datasets.registry(), name, data)

    return replace_


@pytest.fixture
def fewer_phrases(replace_examples):
    """Let phrasebook and few_phrases, within this process, be of sixty pairs and twenty held out."""
    for name in ("phrasebook", "few_phrases"):
        replace_examples(name, *phrasebook.split(60, 20))


@pytest.fixture
def without_sandbox(monkeypatch):
    """Run students' answers in this process: a new one takes a quarter of a second to start."""
    monkeypatch.setattr(Sandbox, "run", lambda box, *asked: run_here(*asked))


@pytest.fixture
def without_pictures(monkeypatch):
    """Spare the half second that the two pictures of a run take."""
    monkeypatch.setattr("npformer.runs.training_run.Run.plot_curves", lambda run: None)


@pytest.fixture
def run_copy(trained_run, tmp_path):
    """A copy of the trained run, to damage."""
    return shutil.copytree(trained_run, tmp_path / "run")


@pytest.fixture
def command(capsys):
    """Run the command line inside this process: `command("translate", run, "a dog")`."""

    def run(*arguments):
        capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        return Outcome(status, *capsys.readouterr())

    return run


@pytest.fixture
def refused(command):
    """Assert that a command is refused with status 2 and one clear line, and return that line."""

    def run(*arguments):
        status, _, err = command(*arguments)
        assert status == 2
        assert err.startswith("npformer: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err

    return run
