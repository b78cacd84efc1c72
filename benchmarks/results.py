"""Train and score the models of the tables of results, and write these tables.

    $ python benchmarks/results.py run trec polarity     # those of their seeds that are missing
    $ python benchmarks/results.py tables                # into README.md and docs/

Each result is of the commands that the tables show: `npformer train`, then `npformer evaluate`. It
is kept in benchmarks/results.json with the processor, the date and the version; the tables are
written from this file. A new version begins with an empty one.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import statistics
import subprocess
import sys
import time
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


@dataclass(frozen=True)
class Experiment:
    """A model that is trained with several seeds.

    Arguments:
        task: What the model does.
        data: What it learns from, in words.
        train: The command that trains it, without its seed.
        evaluate: The command that scores it.
        score: The score that the tables show, as `npformer evaluate` calls it.
        unit: What follows the score.
        seeds: The seeds.
        compared: What README compares it with.
    """

    task: str
    data: str
    train: str
    evaluate: str
    score: str
    unit: str = ""
    seeds: tuple[int, ...] = (0, 1, 2)
    compared: str = ""


MULTI30K = "BLEU on Moses tokens ({}), lower case"
EXPERIMENTS = {
    "phrasebook": Experiment(
        task="translation",
        data="a grammar's phrasebook, 20,000 pairs",
        train="npformer train phrasebook",
        evaluate="npformer evaluate runs/phrasebook",
        score="BLEU on text",
    ),
    "multi30k": Experiment(
        task="translation",
        data="Multi30k en-de, 29,000 pairs",
        train="npformer train multi30k",
        evaluate="npformer evaluate runs/multi30k --beam 5",
        score=MULTI30K.format("de"),
        compared="[a published Transformer](docs/explanation/results.md#multi30k), 41.0",
    ),
    "multi30k_de_en": Experiment(
        task="translation",
        data="Multi30k de-en, 29,000 pairs",
        train="npformer train multi30k --direction de-en",
        evaluate="npformer evaluate runs/multi30k --beam 5",
        score=MULTI30K.format("en"),
        seeds=(0,),
    ),
    "mistakes": Experiment(
        task="classification",
        data="sentences with planted mistakes, 7 classes",
        train="npformer train mistakes",
        evaluate="npformer evaluate runs/mistakes",
        score="accuracy",
        unit="%",
    ),
    "trec": Experiment(
        task="classification",
        data="TREC questions, 6 classes",
        train="npformer train trec",
        evaluate="npformer evaluate runs/trec",
        score="accuracy",
        unit="%",
        compared="[a published CNN](docs/explanation/results.md#text-classification), 91.2%",
    ),
    "sentence_polarity": Experiment(
        task="classification",
        data="sentence polarity, fold 0",
        train="npformer train sentence_polarity",
        evaluate="npformer evaluate runs/sentence_polarity",
        score="accuracy",
        unit="%",
    ),
    "ag_news": Experiment(
        task="classification",
        data="AG News, 4 classes, 38,744 of its texts",
        train="npformer train ag_news",
        evaluate="npformer evaluate runs/ag_news",
        score="accuracy",
        unit="%",
    ),
    "shakespeare": Experiment(
        task="language model",
        data="tiny Shakespeare, characters; the held-out text also chose the settings",
        train="npformer train shakespeare",
        evaluate="npformer evaluate runs/shakespeare",
        score="loss",
        unit=" nats per character",
    ),
    "couplets": Experiment(
        task="couplets",
        data="Tang poems, 41,434 pairs",
        train="npformer train couplets",
        evaluate="npformer evaluate runs/couplets --beam 4",
        score="position",
        unit="% of the characters are the poet's",
    ),
}


def scores_of(output: str) -> dict[str, float]:
    r"""Return the scores that `npformer evaluate` printed, by their names.

    >>> scores_of("accuracy      88.4%\nBLEU          99.72   on text   nrefs:1|case:mixed")
    {'accuracy': 88.4, 'BLEU on text': 99.72}
    """
    scores = {}
    for line in output.splitlines():
        match = SCORE.match(line)
        if match:
            name = match["name"]
            if match["of"]:
                name += f" on {match['of']}"
            scores[name] = float(match["value"].replace(",", ""))
    return scores


def read_results() -> list[dict]:
    """Return the results so far."""
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else []


def run(name: str, seed: int, folder: Path) -> dict:
    """Train and score a model, and return its row of results.json."""
    experiment = EXPERIMENTS[name]
    run_folder = folder / f"{name}-seed{seed}"
    train = [*shlex.split(experiment.train), "--seed", str(seed), "--run", str(run_folder)]
    evaluate = shlex.split(experiment.evaluate)
    evaluate[2] = str(run_folder)

    start = time.monotonic()
    subprocess.run([sys.executable, "-m", *train], check=True)
    minutes = (time.monotonic() - start) / 60
    done = subprocess.run(
        [sys.executable, "-m", *evaluate], check=True, stdout=subprocess.PIPE, text=True
    )
    print(done.stdout)
    return {
        "experiment": name,
        "seed": seed,
        "scores": scores_of(done.stdout),
        "minutes": round(minutes, 1),
        "processor": processor(),
        "date": date.today().isoformat(),
        "version": npformer.__version__,
    }


def run_missing(names: list[str], folder: Path) -> None:
    """Run the seeds of some experiments that have no result yet, and keep each at once."""
    for name in names:
        for seed in EXPERIMENTS[name].seeds:
            results = read_results()
            if any(row["experiment"] == name and row["seed"] == seed for row in results):
                continue
            results.append(run(name, seed, folder))
            results.sort(key=lambda row: (list(EXPERIMENTS).index(row["experiment"]), row["seed"]))
            RESULTS.write_text(json.dumps(results, indent=1) + "\n")


def short_table(results: list[dict]) -> str:
    """Return the table of README."""
    lines = ["| task | command | data | result | compared with |", "|---|---|---|---|---|"]
    for name, experiment in EXPERIMENTS.items():
        rows = [row for row in results if row["experiment"] == name]
        if rows:
            commands = f"`{experiment.train} --seed S`, `{experiment.evaluate}`"
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
        values = [row["scores"][experiment.score] for row in rows]
        origins = []
        for row in rows:
            origin = f"{row['processor']}, {row['date']}, {row['version']}"
            if origin not in origins:
                origins.append(origin)
        cells = [
            experiment.data,
            experiment.score + (", %" if experiment.unit.startswith("%") else ""),
            ", ".join(map(str, values)),
            _mean(values),
            ", ".join(str(row["minutes"]) for row in rows),
            "; ".join(origins),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _score_text(experiment: Experiment, rows: list[dict]) -> str:
    values = [row["scores"][experiment.score] for row in rows]
    seeds = ", ".join(str(row["seed"]) for row in rows)
    word = "seed" if len(rows) == 1 else "mean of seeds"
    return f"{experiment.score} {_mean(values)}{experiment.unit} ({word} {seeds})"


def _mean(values: list[float]) -> str:
    mean = f"{statistics.mean(values):.4g}"
    if len(values) == 1:
        return mean
    return f"{mean} ± {statistics.stdev(values):.2g}"


def with_table(text: str, table: str) -> str:
    """Return a page with this table between its two marks."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"a page lacks its marks: expected {BEGIN} and {END} around its table")
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def pages(results: list[dict]) -> dict[Path, str]:
    """Return the text of each page with the table that the results make."""
    tables = {"short": short_table(results), "full": full_table(results)}
    texts = {}
    for kind, path in TABLES.items():
        texts[path] = with_table(path.read_text("utf-8"), tables[kind])
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    of_run = verbs.add_parser("run", help="train and score what is missing")
    of_run.add_argument("names", nargs="*", choices=[*EXPERIMENTS, []], metavar="NAME")
    of_run.add_argument("--folder", type=Path, default=Path("runs"), help="of the run folders")
    verbs.add_parser("tables", help="write the tables into README.md and docs/")
    args = parser.parse_args()

    if args.verb == "run":
        run_missing(args.names or list(EXPERIMENTS), args.folder)
    else:
        for path, text in pages(read_results()).items():
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
