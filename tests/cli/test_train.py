import json
import signal

import pytest

from npformer.cli.standard_streams import shell_command
from npformer.runs.folder import RunFolder
from npformer.runs.training_log import TrainingLog

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def train(without_pictures, command, small, tmp_path, text_files):
    """Train one epoch on the thirty lines with further options, and return the run folder."""

    def run(*options, files=text_files, name="run"):
        folder = tmp_path / name
        sources = ["--src", files[0], "--tgt", files[1]] if files else []
        status, out, err = command(
            "train", *sources, *small, "--epochs", 1, "--run", folder, *options
        )
        assert (status, err) == (0, ""), err
        assert str(folder) in out
        return RunFolder(folder)

    return run


def test_option_none_overrides_recipe_settings(train, tmp_path):
    recipe = tmp_path / "mine.json"
    recipe.write_text(
        '{"model": {"neighbors": 2, "final_norm": true}, "training": {"clip_norm": 1.0}}'
    )

    def made(*options, name):
        config = json.loads(train("--recipe", recipe, *options, name=name).config_path.read_text())
        return (
            config["model"]["neighbors"],
            config["model"]["final_norm"],
            config["training"]["clip_norm"],
        )

    assert made(name="as it says") == (2, True, 1.0)
    open_ones = ("--neighbors", "none", "--final-norm", "none", "--clip-norm", "none")
    assert made(*open_ones, name="left open") == (None, None, None)


def weights(folder):
    return folder.weights_path.read_bytes()


def test_run_folder_contains_only_expected_files(trained_run):
    assert sorted(path.name for path in trained_run.iterdir()) == [
        "checkpoint.safetensors",
        "config.json",
        "curve.png",
        "epochs",
        "lock",
        "log.csv",
        "source_vocabulary.json",
        "target_vocabulary.json",
        "weights.safetensors",
    ]
    assert (trained_run / "curve.png").read_bytes().startswith(PNG)


def test_log_has_every_update_and_held_out_loss_per_epoch(trained_run):
    text = (trained_run / "log.csv").read_text()
    log = TrainingLog.parse(text)
    last = len(log.rows)
    assert [row["step"] for row in log.rows] == list(range(1, last + 1))
    steps, losses = log.column("held_out_loss")
    ends = [
        row["step"]
        for row in log.rows
        if row["step"] == last or log.rows[row["step"]]["epoch"] > row["epoch"]
    ]
    assert steps == ends and len(steps) == 15
    assert losses[-1] < losses[0]


def test_weights_depend_only_on_the_seed(train):
    runs = [
        train("--seed", seed, "--dropout", 0.1, name=name)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert weights(runs[0]) == weights(runs[1]) != weights(runs[2])


def test_held_out_files_are_used_as_held_out_data(train, text_files, tmp_path):
    files = tmp_path / "held_out.en", tmp_path / "held_out.de"
    for file, line in zip(files, ("the dog runs .", "der Hund läuft ."), strict=True):
        file.write_text(line, encoding="utf-8")
    folder = train("--held-out-src", files[0], "--held-out-tgt", files[1])
    settings = folder.read_section("training")
    assert [settings[name] for name in ("src", "tgt", "held_out_src", "held_out_tgt")] == [
        str(f) for f in text_files + files
    ]


def test_unusable_pairs_are_skipped_and_counted(command, small, tmp_path):
    files = tmp_path / "a", tmp_path / "b"
    files[0].write_text("a b\n\na c\n" + "a " * 30 + "\n" + 9 * "b c\n")
    files[1].write_text("a b\na b\n \na b\n" + 9 * "b c\n")
    held_out = ["--held-out-src", files[0], "--held-out-tgt", files[1]]
    options = [*small, "--epochs", 1, "--max-len", 9, "--run", tmp_path / "run"]
    status, out, _ = command("train", "--src", files[0], "--tgt", files[1], *held_out, *options)
    assert status == 0
    assert "10 sentence pairs, 3 left out (empty, or over 9 tokens, special tokens included)" in out


def test_run_that_is_stopped_says_what_was_odd_and_how_to_continue(
    command, small, text_files, tmp_path, monkeypatch
):
    monkeypatch.setattr("npformer.cli.train._train", lambda run: signal.SIGTERM)
    files = ["--src", text_files[0], "--tgt", text_files[1], "--run", tmp_path / "my run"]
    status, out, err = command("train", *files, *small, "--warmup-steps", 999)
    assert status == 128 + signal.SIGTERM
    assert err.startswith("npformer: the learning rate rises for warmup_steps = 999 updates, and ")
    assert err.count("\n") == 1
    again = shell_command(["npformer", "train", "--resume", str(tmp_path / "my run")])
    assert out.endswith(f"\n\nstopped and saved after update 0; continue with\n  {again}\n")
