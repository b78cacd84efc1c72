"""Train and score the models of the tables of results, and write these tables.

    $ python benchmarks/results.py run trec couplets     # those of their seeds that are missing
    $ python benchmarks/results.py tables                # into README.md and docs/

Each result is of the two commands that README shows, `npformer train` and `npformer evaluate`, with
a seed in the place of S. A training that was stopped is continued; its minutes are those of its
log, without the reading of the data. A result is kept in benchmarks/results.json with the
processor, the date and the version; the tables are written from this file. For a new version, begin
with an empty one and without these folders in runs/.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import statistics
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from processor import processor

import npformer

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results.json")
TABLES = {  # the file of each table
    "short": ROOT / "README.md",
    "full": ROOT / "docs/explanation/results.md",
}
BEGIN = "<!-- results: written by benchmarks/results.py -->"
END = "<!-- end of results -->"

# such as "BLEU          99.72   on text   nrefs:1|..." and "accuracy      88.4%"
SCORE = re.compile(r"(?P<name>\w[\w ]*?) {2,}(?P<value>[\d.,]*\d)%?(?: {3}on (?P<of>.+?) {3})?")

LABELS = {  # what the tables call a score, where that is not its name
    "accuracy": "accuracy, %",
    "exact match": "exact match, %",
    "loss": "loss, nats per token",
    "position": "characters at their place, %",
    "unigrams": "characters of the reference, %",
    "equal length": "as long as the source, %",
}

NOT_MEASURED = "-"
OF_TRANSLATIONS = ("BLEU on text", "chrF on text", "exact match", "loss")


@dataclass(frozen=True)
class Experiment:
    """A model that is trained with several seeds, and what is shown of its scores.

    Arguments:
        task: What the model does.
        dataset: The name of its data set.
        data: What it learns from, in words.
        scores: What docs/ shows of the scores, by the names that `npformer evaluate` prints; README
            shows the first.
        train_options: Options of `npformer train` besides the seed.
        evaluate_options: Options of `npformer evaluate`.
        seeds: The seeds.
        compared: What README compares it with.
    """

    task: str
    dataset: str
    data: str
    scores: tuple[str, ...]
    train_options: str = ""
    evaluate_options: str = ""
    seeds: tuple[int, ...] = (0, 1, 2)
    compared: str = ""

    def commands(self, name: str, seed: int | str) -> tuple[str, str]:
        """Return the command that trains it, and the command that scores it."""
        folder = f"runs/{name}-{seed}"
        train = f"npformer train {self.dataset} {self.train_options} --seed {seed} --run {folder}"
        evaluate = f"npformer evaluate {folder} {self.evaluate_options}"
        return " ".join(train.split()), evaluate.strip()


EXPERIMENTS = {
    "phrasebook": Experiment(
        "translation",
        "phrasebook",
        "a grammar's phrasebook, 20,000 pairs",
        scores=("BLEU on text", "exact match"),
    ),
    "multi30k": Experiment(
        "translation",
        "multi30k",
        "Multi30k en-de, 29,000 pairs",
        scores=("BLEU on Moses tokens (de), lower case", *OF_TRANSLATIONS),
        evaluate_options="--beam 5 --alpha 1.4",
        compared="[a published Transformer](docs/explanation/results.md#multi30k), 41.0",
    ),
    "multi30k_de_en": Experiment(
        "translation",
        "multi30k",
        "Multi30k de-en, 29,000 pairs",
        scores=("BLEU on Moses tokens (en), lower case", *OF_TRANSLATIONS),
        train_options="--direction de-en",
        evaluate_options="--beam 5 --alpha 1.4",
        seeds=(0,),
    ),
    "mistakes": Experiment(
        "classification",
        "mistakes",
        "sentences with planted mistakes, 7 classes",
        scores=("accuracy",),
    ),
    "trec": Experiment(
        "classification",
        "trec",
        "TREC questions, 6 classes",
        scores=("accuracy",),
        compared="[a published CNN](docs/explanation/results.md#text-classification), 91.2%",
    ),
    "sentence_polarity": Experiment(
        "classification",
        "sentence_polarity",
        "sentence polarity, fold 0",
        scores=("accuracy",),
    ),
    "ag_news": Experiment(
        "classification",
        "ag_news",
        "AG News, 4 classes, 38,744 of its texts",
        scores=("accuracy",),
    ),
    "shakespeare": Experiment(
        "language model",
        "shakespeare",
        "tiny Shakespeare, characters; the held-out text also chose the settings",
        scores=("loss",),
    ),
    "couplets": Experiment(
        "couplets",
        "couplets",
        "Tang poems, 41,434 pairs",
        scores=("position", "unigrams", "equal length", "loss"),
        evaluate_options="--beam 4",
    ),
}


def scores_of(output: str, names: Iterable[str]) -> dict[str, float]:
    r"""Return the scores of these names that `npformer evaluate` printed.

    >>> scores_of("accuracy  88.4%\nBLEU  99.72   on text   nrefs:1", ["BLEU on text"])
    {'BLEU on text': 99.72}
    """
    printed = {}
    for line in output.splitlines():
        match = SCORE.match(line)
        if match:
            name = match["name"]
            if match["of"]:
                name += f" on {match['of']}"
            printed[name] = float(match["value"].replace(",", ""))
    return {name: printed[name] for name in names}


def minutes_of(run_folder: Path) -> float:
    """Return how long the training took, by the log of the run."""
    with (run_folder / "log.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return round(float(rows[-1]["seconds"]) / 60, 1)


def read_results() -> list[dict]:
    """Return the results so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else []


def run(name: str, seed: int, *, shared: bool) -> dict:
    """Train and score a model, and return its row of results.json.

    The minutes are None on a `shared` machine.
    """
    experiment = EXPERIMENTS[name]
    train, evaluate = experiment.commands(name, seed)
    run_folder = Path(f"runs/{name}-{seed}")
    if (run_folder / "config.json").exists():  # it was stopped
        train = f"npformer train --resume {run_folder}"

    subprocess.run([sys.executable, "-m", *train.split()], check=True)
    done = subprocess.run(
        [sys.executable, "-m", *evaluate.split()], check=True, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout)
    return {
        "experiment": name,
        "seed": seed,
        "scores": scores_of(done.stdout, experiment.scores),
        "minutes": None if shared else minutes_of(run_folder),
        "processor": processor(),
        "date": date.today().isoformat(),
        "version": npformer.__version__,
    }


def run_missing(names: list[str], *, shared: bool = False) -> None:
    """Run the seeds of some experiments that have no result yet, and keep each at once."""
    for name in names:
        for seed in EXPERIMENTS[name].seeds:
            results = read_results()
            if any(row["experiment"] == name and row["seed"] == seed for row in results):
                continue
            results.append(run(name, seed, shared=shared))
            results.sort(key=lambda row: (list(EXPERIMENTS).index(row["experiment"]), row["seed"]))
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def short_table(results: list[dict]) -> str:
    """Return the table of README."""
    lines = ["| task | command | data | result | compared with |", "|---|---|---|---|---|"]
    for name, experiment in EXPERIMENTS.items():
        rows = [row for row in results if row["experiment"] == name]
        if rows:
            train, evaluate = experiment.commands(name, "S")
            commands = f"`{train}`, `{evaluate}`"
            result = _score_text(experiment, rows)
            cells = [experiment.task, commands, experiment.data, result, experiment.compared]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def full_table(results: list[dict]) -> str:
    """Return the table of docs/: each seed, minutes, processor, date and version."""
    lines = [
        "| data | score | each seed | mean | minutes | processor, date, version |",
        "|---|---|---|--:|---|---|",
    ]
    for name, experiment in EXPERIMENTS.items():
        rows = [row for row in results if row["experiment"] == name]
        if not rows:
            continue
        data = experiment.data
        minutes = ", ".join(str(row["minutes"] or NOT_MEASURED) for row in rows)
        origins = _origins(rows)
        for score in experiment.scores:
            values = [row["scores"][score] for row in rows]
            each = ", ".join(map(str, values))
            cells = [data, LABELS.get(score, score), each, _mean(values), minutes, origins]
            lines.append(f"| {' | '.join(cells)} |")
            # the other scores are of the same runs
            data = minutes = origins = ""
    return "\n".join(lines)


def _origins(rows: list[dict]) -> str:
    """Return the processors, dates and versions, each once."""
    dates_of: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        dates = dates_of.setdefault((row["processor"], row["version"]), [])
        if row["date"] not in dates:
            dates.append(row["date"])
    origins = []
    for (of_processor, version), dates in dates_of.items():
        origins.append(f"{of_processor}, {', '.join(dates)}, {version}")
    return "; ".join(origins)


def _score_text(experiment: Experiment, rows: list[dict]) -> str:
    score = experiment.scores[0]
    values = [row["scores"][score] for row in rows]
    seeds = ", ".join(str(row["seed"]) for row in rows)
    word = "seed" if len(rows) == 1 else "mean of seeds"
    return f"{LABELS.get(score, score)}: {_mean(values)} ({word} {seeds})"


def _mean(values: list[float]) -> str:
    if len(values) == 1:
        return str(values[0])
    return f"{statistics.mean(values):.4g} ± {statistics.stdev(values):.2g}"


def with_table(path: Path, table: str) -> str:
    """Return the text of a page, with this table between its two marks."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path} lacks its marks: expected {BEGIN} and {END} around its table")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def pages(results: list[dict]) -> dict[Path, str]:
    """Return the text of each page with the table that the results make."""
    tables = {"short": short_table(results), "full": full_table(results)}
    texts = {}
    for kind, path in TABLES.items():
        texts[path] = with_table(path, tables[kind])
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    of_run = verbs.add_parser("run", help="train and score what is missing")
    # [] is what argparse compares with the choices where no name is given
    of_run.add_argument("names", nargs="*", choices=[*EXPERIMENTS, []], metavar="NAME")
    of_run.add_argument(
        "--shared", action="store_true", help="other programs run too: keep no minutes"
    )
    verbs.add_parser("tables", help="write the tables into README.md and docs/")
    args = parser.parse_args()

    if args.verb == "run":
        run_missing(args.names or list(EXPERIMENTS), shared=args.shared)
    else:
        for path, text in pages(read_results()).items():
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
