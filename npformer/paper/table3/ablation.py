"""The variants of a base model, rows A to E of table 3 of the paper and one more, and the training of their runs."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from ...evaluation import perplexity
from ...layers.initialization import INITS
from ...models import TransformerConfig
from ...runs.api import begin, resume
from ...runs.folder import RunFolder
from ...runs.recipe import resolve
from ...utils import AnyPath, InputError, blas_threads, make_folder, read_json, write_json
from ...utils.threads_and_memory import keep_freed_memory

DATASET = "few_phrases"
ROW_NAMES = {
    "A": "heads, at equal cost",
    "B": "d_k",
    "C": "size",
    "D": "dropout and label smoothing",
    "E": "positions",
    "F": "initialization",
}
PAPER_BASE = (4.92, 25.8)  # perplexity per token and BLEU
PAPER = {  # row and setting: each value with the paper's scores; in B and C values are multiples of the base's
    ("A", "heads"): {1: (5.29, 24.9), 2: None, 4: (5.00, 25.5), 8: None, 16: (4.91, 25.8)},
    ("B", "d_k"): {1 / 4: (5.16, 25.1), 1 / 2: (5.01, 25.4)},
    ("C", "layers"): {
        1 / 3: (6.11, 23.7),
        2 / 3: (5.19, 25.3),
        4 / 3: (4.88, 25.5),
    },  # 2, 4 and 8 of 6 layers
    ("C", "d_model"): {1 / 2: (5.75, 24.5), 2: (4.66, 26.0)},
    ("C", "d_ff"): {1 / 2: (5.12, 25.4), 2: (4.75, 26.2)},
    ("D", "dropout"): {0.0: (5.77, 24.6), 0.2: (4.95, 25.5)},
    ("D", "label_smoothing"): {0.0: (4.67, 25.3), 0.2: (5.47, 25.7)},
    ("E", "positions"): {"learned": (4.92, 25.7), "sinusoidal": None},
    ("F", "init"): dict.fromkeys(INITS),
}
SCALED = {"d_k": ("d_k",), "d_model": ("d_model", "d_k", "d_v"), "d_ff": ("d_ff",)}
SCALED |= {"layers": ("n_encoder_layers", "n_decoder_layers")}


class Variant(NamedTuple):
    """A row of the table: its letter, its folder's name, the settings that differ from base, the paper's scores."""

    row: str
    name: str
    changes: dict[str, Any]
    paper: tuple[float, float] | None


def make_variants(base: Mapping[str, Any]) -> list[Variant]:
    """Return the base model, whose row is "", and its variants, in the paper's order.

    `base` are the settings of the base model and its training, d_k and d_v as numbers. Sizes are the fractions and
    multiples of the paper's table; d_k and d_v follow d_model. All numbers of heads keep h d_k and h d_v, and the cost.
    """
    variants = [Variant("", "base", {}, PAPER_BASE)]
    for (row, name), values in PAPER.items():
        for value, scores in values.items():
            changes = _changes(base, name, value)
            if not changes.items() <= base.items() and all(
                changes != other.changes for other in variants
            ):
                label = (
                    "+".join(map(str, changes.values()))
                    if name == "layers"
                    else next(iter(changes.values()))
                )
                variants.append(Variant(row, f"{row}-{name}-{label}", changes, scores))
    return variants


def _changes(base: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the settings of a variant, none where the widths of all heads are not divisible by their number."""
    if name == "heads":
        widths = {size: base["n_heads"] * base[size] for size in ("d_k", "d_v")}
        divisible = all(width % value == 0 for width in widths.values())
        return (
            {"n_heads": value, **{size: width // value for size, width in widths.items()}}
            if divisible
            else {}
        )
    if name in SCALED:
        return {size: max(round(value * base[size]), 1) for size in SCALED[name]}
    return {name: value}


class PlannedRun(NamedTuple):
    """A run to train: its variant, its seed, its folder, and the settings for `runs.begin`."""

    variant: Variant
    seed: int
    folder: Path
    settings: dict

    @property
    def result_path(self) -> Path:
        """The file with the scores of the finished run."""
        return self.folder / "result.json"


@dataclass(frozen=True)
class Plan:
    """An ablation's folder, and data set, recipe and epochs of all its runs."""

    folder: Path
    dataset: str
    recipe: str
    epochs: int

    @classmethod
    def of(cls, folder: AnyPath, **options) -> "Plan":
        """Return the plan in a folder, or a new one; `options` are of dataset, recipe and epochs, None for not given.

        Raises `InputError` when these differ from the folder's, or cannot be used.
        """
        folder, settings = (
            Path(folder),
            {name: value for name, value in options.items() if value is not None},
        )
        path = folder / "ablation.json"
        saved = read_json(path) if path.exists() else {}
        for name, value in settings.items():
            if value != saved.get(name, value):
                other = f"{folder} holds an ablation with {name} = {saved[name]}, not {value}"
                raise InputError(
                    f"{other}: leave --{name} out to continue it, or give another folder"
                )
        training, _ = resolve({"dataset": DATASET, **settings, **saved})
        return cls(folder, training.dataset, training.recipe, training.epochs)

    @property
    def shared(self) -> dict:
        """The settings of every run."""
        return {"dataset": self.dataset, "recipe": self.recipe, "epochs": self.epochs}

    def save(self) -> None:
        """Write ablation.json into the folder, which is made."""
        make_folder(self.folder)
        write_json(self.folder / "ablation.json", self.shared)

    @cached_property
    def base(self) -> dict:
        """All settings of the base model and of its training, d_k and d_v as numbers."""
        training, model = resolve(self.shared)
        config = vars(TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **model))
        width = config["d_model"] // config["n_heads"]
        return {
            **vars(training),
            **config,
            "d_k": config["d_k"] or width,
            "d_v": config["d_v"] or width,
        }

    @cached_property
    def variants(self) -> list[Variant]:
        """The base model and its variants."""
        return make_variants(self.base)

    def runs(self, rows: str = "".join(ROW_NAMES), *, seeds: int = 3) -> list[PlannedRun]:
        """Return the runs of the base model and of some rows: all of seed 0, then all of seed 1, ...

        So an ablation that is stopped early has rows with fewer seeds, not fewer rows.
        """
        shared, runs = {**self.shared, "workers": 1}, []  # one process per core
        for seed, variant in product(range(seeds), self.variants):
            if not variant.row or variant.row in rows:
                settings = {**shared, **variant.changes, "seed": seed}
                runs.append(
                    PlannedRun(variant, seed, self.folder / variant.name / str(seed), settings)
                )
        return runs


def train_all(
    runs: Sequence[PlannedRun], *, jobs: int = 1
) -> Iterator[tuple[PlannedRun, str | None]]:
    """Train all runs that have no result yet, each on one thread; yield each as it ends, with its error or None.

    A run that was stopped continues from its checkpoint. A run that fails does not stop the others. When the loop is
    left, no further run begins. Ctrl-C also stops the runs in progress.
    """
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_set_up_process)
    try:
        futures = {pool.submit(train_one, run): run for run in runs if not run.result_path.exists()}
        for future in as_completed(futures):
            try:
                future.result()
                yield futures[future], None
            except (InputError, OSError, MemoryError, BrokenProcessPool) as error:
                yield futures[future], str(error) or "out of memory"
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def train_one(run: PlannedRun) -> None:
    """Train a run to its end, from where it is, and write its result.json."""
    started = RunFolder(run.folder).config_path.exists()
    trained = resume(run.folder) if started else begin(folder=run.folder, **run.settings)
    for _ in trained.updates():
        pass
    scores = trained.evaluate()
    result = {
        "perplexity": perplexity(scores.loss),
        "bleu": scores.text.bleu,
        "parameters": sum(parameter.data.size for parameter in trained.model.parameters()),
        "seconds": trained.log.rows[-1]["seconds"],
    }
    write_json(run.result_path, result)


def _set_up_process() -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_DFL
    )  # Ctrl-C ends the process; its last checkpoint stays
    blas_threads(1)
    keep_freed_memory()
