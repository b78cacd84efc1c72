"""Train the translator that ships with npformer, and score it on sentences it has not seen.

    python data/train_translator.py [--into FOLDER] [--epochs N]

It is the model of `npformer train`: the phrasebook with its default settings. Without a folder it
replaces the one in npformer/datasets/trained/. It takes two to four minutes.
"""

import argparse
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from npformer import runs
from npformer.runs.folder import SHIPPED, RunFolder
from npformer.tasks import TASKS
from npformer.utils import make_folder

NAME = "phrasebook"
FILES = (
    "config.json",
    "source_vocabulary.json",
    "target_vocabulary.json",
    "weights.safetensors",
)


def train(into: Path, **settings: Any) -> None:
    """Train, and copy what `npf.load` needs: without the checkpoint and the log."""
    with TemporaryDirectory() as folder:
        run = runs.begin(NAME, folder=Path(folder, NAME), **settings)
        for update in run.updates():
            if update.ends_epoch:
                print(f"epoch {update.epoch}: held-out loss {update.held_out_loss:.3f}")
        make_folder(into)
        for name in FILES:
            shutil.copyfile(Path(folder, NAME, name), into / name)


def score(folder: Path) -> str:
    """Return the scores of the translator in a folder on the held-out sentences."""
    translator = runs.load(folder)
    training = RunFolder(folder).training()
    [pairs] = training.load("held_out")
    task = TASKS["translation"]
    return task.evaluate(translator, pairs, **task.evaluate_defaults(training)).table()


def main() -> None:
    """Read the command line, train and score."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=SHIPPED / NAME, metavar="FOLDER")
    parser.add_argument("--epochs", type=int, metavar="N", help="fewer, to try this program")
    options = parser.parse_args()
    settings = {"epochs": options.epochs} if options.epochs else {}
    train(options.into, **settings)
    print(score(options.into))


if __name__ == "__main__":
    main()
