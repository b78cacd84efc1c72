"""Of a run's epochs: which end a training, which are averaged for translating, and which are
kept.
"""

import numpy as np
import pytest

from npformer.runs.folder import RunFolder
from npformer.runs.training_log import TrainingLog
from npformer.utils.safetensors_io import load_tensors


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr("npformer.cli.train._finish", lambda run: None)


@pytest.fixture
def train(command, text_files, small, tmp_path):
    """Train on the thirty lines with further options, and return the run folder."""

    def run(*options, name="run"):
        files = ["--src", text_files[0], "--tgt", text_files[1]]
        status, _, err = command("train", *files, *small, *options, "--run", tmp_path / name)
        assert (status, err) == (0, "")
        return RunFolder(tmp_path / name)

    return run


@pytest.fixture
def overfitting_options(text_files, tmp_path):
    """The options of a training whose held-out loss falls and then rises: its held-out
    translations are wrong.
    """
    wrong = tmp_path / "wrong.de"
    lines = text_files[1].read_text("utf-8").splitlines()
    wrong.write_text("".join(" ".join(reversed(line.split())) + "\n" for line in lines), "utf-8")
    return ["--held-out-src", text_files[0], "--held-out-tgt", wrong, "--epochs", 8, "--dropout", 0]


def held_out_losses(folder):
    return TrainingLog.parse(folder.log_path.read_text()).held_out_losses()


def best(folder, number):
    losses = held_out_losses(folder)
    return sorted(sorted(range(1, len(losses) + 1), key=lambda epoch: losses[epoch - 1])[:number])


def kept(folder):
    return sorted(int(path.stem) for path in folder.epochs_path.iterdir())


def assert_mean(folder, epochs):
    states = [load_tensors(folder.epoch_path(epoch))[0] for epoch in epochs]
    weights = load_tensors(folder.weights_path)[0]
    assert weights.keys() == states[0].keys()
    for name, array in weights.items():
        mean = np.mean([state[name].astype("float64") for state in states], axis=0).astype(
            "float32"
        )
        assert array.tobytes() == mean.tobytes()


def test_default_weights_are_those_of_last_epoch(train):
    folder = train("--epochs", 3)
    assert_mean(folder, [3])
    weights, checkpoint = (
        load_tensors(folder.weights_path)[0],
        load_tensors(folder.checkpoint_path)[0],
    )
    assert all((array == checkpoint[f"model.{name}"]).all() for name, array in weights.items())


def test_last_epochs_are_averaged(train):
    folder = train("--epochs", 4, "--average", 3)
    assert_mean(folder, [2, 3, 4])


def test_best_epochs_are_averaged(train, overfitting_options):
    folder = train(*overfitting_options, "--average", 2, "--average-of", "best")
    assert not {7, 8} & set(best(folder, 2)), "the best epochs should not be the last"
    assert_mean(folder, best(folder, 2))


def test_last_and_best_epochs_are_kept(train, overfitting_options):
    folder = train(*overfitting_options, "--average", 2)
    assert kept(folder) == sorted({7, 8, *best(folder, 2)})


def test_finished_run_can_be_averaged_again_without_training(command, train, overfitting_options):
    folder, asked = (
        train(*overfitting_options, "--average", 2),
        train(*overfitting_options, "--average", 2, "--average-of", "best", name="asked"),
    )
    files = [folder.checkpoint_path, folder.log_path, *map(folder.epoch_path, kept(folder))]
    before = [path.read_bytes() for path in files]
    assert (
        command("train", "--resume", folder.path, "--average", 2, "--average-of", "best").status
        == 0
    )
    assert folder.weights_path.read_bytes() == asked.weights_path.read_bytes()
    assert (
        command("train", "--resume", folder.path, "--average", 1, "--average-of", "best").status
        == 0
    )
    assert_mean(folder, best(folder, 1))
    assert command("train", "--resume", folder.path).status == 0
    assert_mean(folder, best(folder, 1))
    assert (
        command("train", "--resume", folder.path, "--average", 2, "--average-of", "last").status
        == 0
    )
    assert_mean(folder, [7, 8])
    assert [path.read_bytes() for path in files] == before


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (["--average", 3], "3 of the last"),
        (["--average", 4, "--average-of", "best"], "4 of the best"),
        # one of the three is trained, and two that are needed are gone
        (["--average", 4, "--epochs", 5], "4 of the last"),
    ],
    ids=str,
)
def test_average_of_epochs_that_are_gone_is_refused_and_changes_no_file(
    command, refused, train, changes, named
):
    folder = train("--epochs", 4)
    paths = [path for path in folder.path.rglob("*") if path.is_file()]
    before = {path: path.read_bytes() for path in paths}
    expected = f"average = {named} needs an epoch whose file is missing or damaged: "
    expected += "restore the file, give a smaller average, or more epochs"
    assert expected in refused("train", "--resume", folder.path, *changes)
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before
    assert command("train", "--resume", folder.path, "--epochs", 5).status == 0
    assert_mean(folder, [5])


def test_damaged_epoch_is_refused_before_a_file_changes(refused, train):
    folder = train("--epochs", 2, "--average", 2)
    path = folder.epoch_path(1)
    path.write_bytes(path.read_bytes()[:-1])
    before = folder.config_path.read_bytes()
    refused("train", "--resume", folder.path, "--average", 3)
    assert folder.config_path.read_bytes() == before


def test_epochs_that_are_still_to_come_can_be_averaged(command, train):
    folder = train("--epochs", 4)
    changes = ["--epochs", 6, "--average", 3]
    assert command("train", "--resume", folder.path, *changes).status == 0
    assert_mean(folder, [4, 5, 6])


def test_resume_with_fewer_epochs_trains_nothing(command, train):
    folder = train("--epochs", 4, "--average", 2)
    whole = folder.weights_path.read_bytes()
    assert "done    after 4 epochs" in command("train", "--resume", folder.path, "--epochs", 3).out
    assert folder.weights_path.read_bytes() == whole


@pytest.mark.parametrize("patience", [1, 2])
def test_run_out_of_patience_stops_and_is_finished(command, train, overfitting_options, patience):
    folder = train(*overfitting_options, "--patience", patience, "--average-of", "best")
    losses = held_out_losses(folder)
    assert len(losses) == best(folder, 1)[0] + patience < 8
    assert_mean(folder, best(folder, 1))
    log = folder.log_path.read_bytes()
    assert command("train", "--resume", folder.path).status == 0
    assert folder.log_path.read_bytes() == log
