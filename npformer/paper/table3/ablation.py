"""The variants of a base model, rows A to E of table 3 and one more, and their training."""

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cached_property
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

from ...evaluation import perplexity
from ...layers.hyperparameter_checks import check_sizes
from ...layers.initialization import INITS
from ...models import TransformerConfig
from ...runs.api import begin, resume
from ...runs.folder import RunFolder
from ...runs.recipe import merge_settings
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
Scores = tuple[float, float]
# row and setting: each value with the paper's scores; in B and C values are multiples of the base's
PAPER: dict[tuple[str, str], dict[Any, Scores | None]] = {
    ("A", "heads"): {1: (5.29, 24.9), 2: None, 4: (5.00, 25.5), 8: None, 16: (4.91, 25.8)},
    ("B", "d_k"): {1 / 4: (5.16, 25.1), 1 / 2: (5.01, 25.4)},
    # 2, 4 and 8 of 6 layers
    ("C", "layers"): {1 / 3: (6.11, 23.7), 2 / 3: (5.19, 25.3), 4 / 3: (4.88, 25.5)},
    ("C", "d_model"): {1 / 2: (5.75, 24.5), 2: (4.66, 26.0)},
    ("C", "d_ff"): {1 / 2: (5.12, 25.4), 2: (4.75, 26.2)},
    ("D", "dropout"): {0.0: (5.77, 24.6), 0.2: (4.95, 25.5)},
    ("D", "label_smoothing"): {0.0: (4.67, 25.3), 0.2: (5.47, 25.7)},
    ("E", "positions"): {"learned": (4.92, 25.7), "sinusoidal": None},
    ("F", "init"): dict.fromkeys(INITS),
}
SCALED = {
    "d_k": ("d_k",),
    "d_model": ("d_model", "d_k", "d_v"),
    "d_ff": ("d_ff",),
    "layers": ("n_encoder_layers", "n_decoder_layers"),
}


class Variant(NamedTuple):
    """A row of the table.

    Arguments:
        row: Its letter.
        name: The name of its folder.
        changes: The settings that differ from the base model.
        paper: The paper's scores, perplexity per token and BLEU.
    """

    row: str
    name: str
    changes: dict[str, Any]
    paper: Scores | None


def make_variants(base: Mapping[str, Any]) -> list[Variant]:
    """Return the base model, whose row is "", and its variants, in the paper's order.

    Sizes are the fractions and multiples of the paper's table; d_k and d_v follow d_model. All
    numbers of heads keep h d_k and h d_v, and the cost.

    Arguments:
        base: The settings of the base model and its training, d_k and d_v as numbers.
    """
    variants = [Variant("", "base", {}, PAPER_BASE)]
    for (row, name), values in PAPER.items():
        for value, scores in values.items():
            changes = _changes(base, name, value)
            # a miniature's sizes may coincide after rounding
            is_base = changes.items() <= base.items()
            is_known = any(changes == other.changes for other in variants)
            if is_base or is_known:
                continue
            variants.append(Variant(row, f"{row}-{name}-{_label(name, changes)}", changes, scores))
    return variants


def _label(name: str, changes: Mapping[str, Any]) -> str:
    """Return what a variant is called in its folder's name."""
    values = [str(value) for value in changes.values()]
    return "+".join(values) if name == "layers" else values[0]


def _changes(base: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return the settings of a variant.

    There are none where the widths of all heads are not divisible by their number.
    """
    if name == "heads":
        d_keys = base["n_heads"] * base["d_k"]
        d_values = base["n_heads"] * base["d_v"]
        if d_keys % value or d_values % value:
            return {}
        return {"n_heads": value, "d_k": d_keys // value, "d_v": d_values // value}
    if name in SCALED:
        return {size: max(round(value * base[size]), 1) for size in SCALED[name]}
    return {name: value}


class PlannedRun(NamedTuple):
    """A run to train.

    Arguments:
        variant: Its variant.
        seed: Its seed.
        folder: Its folder.
        settings: What `runs.begin` takes.
    """

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
    """What all runs of an ablation share.

    Arguments:
        folder: Its folder.
        dataset: The name of the data set.
        recipe: The name of the recipe.
        epochs: The number of epochs.
    """

    folder: Path
    dataset: str | None
    recipe: str | None
    epochs: int

    @classmethod
    def of(
        cls,
        folder: AnyPath,
        *,
        dataset: str | None = None,
        recipe: str | None = None,
        epochs: int | None = None,
    ) -> "Plan":
        """Return the plan in a folder, or a new one; what is not given is as in the folder.

        Raises `InputError` when these, or a setting of the recipe, differ from the folder's, or
        cannot be used; and when the folder has runs, but no ablation.json that says of what.

        Arguments:
            folder: The folder.
            dataset: The name of the data set.
            recipe: The name of the recipe.
            epochs: The number of epochs.
        """
        folder = Path(folder)
        settings = _saved_settings(folder)
        base = settings.pop("base", None)
        given = {"dataset": dataset, "recipe": recipe, "epochs": epochs}
        for name, value in given.items():
            if value is None:
                continue
            if value != settings.get(name, value):
                raise InputError(
                    f"{folder} holds an ablation with {name} = {settings[name]}, not {value}: "
                    f"leave --{name} out to continue it, or give another folder"
                )
            settings[name] = value
        training, _ = merge_settings({"dataset": DATASET, **settings})
        plan = cls(folder, training.dataset, training.recipe, training.epochs)
        if base is not None and base != plan.base:
            changed = [name for name in plan.base if plan.base[name] != base.get(name)]
            raise InputError(
                f"{folder} holds an ablation of recipe {plan.recipe} with another "
                f"{', '.join(changed)}: bring that recipe back, or give another folder"
            )
        return plan

    @property
    def shared(self) -> dict:
        """The settings of every run."""
        return {"dataset": self.dataset, "recipe": self.recipe, "epochs": self.epochs}

    def save(self) -> None:
        """Write ablation.json into the folder, which is made."""
        make_folder(self.folder)
        # all settings, because the file of a recipe may change
        write_json(self.folder / "ablation.json", {**self.shared, "base": self.base})

    @cached_property
    def base(self) -> dict:
        """All settings of the base model and of its training, d_k and d_v as numbers."""
        training, model = merge_settings(self.shared)
        # any sizes of vocabularies: they are not part of a variant
        config = vars(TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **model))
        width = config["d_model"] // config["n_heads"]
        settings = {**vars(training), **config}
        settings["d_k"] = config["d_k"] or width
        settings["d_v"] = config["d_v"] or width
        return settings

    @cached_property
    def variants(self) -> list[Variant]:
        """The base model and its variants."""
        return make_variants(self.base)

    def runs(self, rows: str = "".join(ROW_NAMES), *, seeds: int = 3) -> list[PlannedRun]:
        """Return the runs of the base model and of some rows.

        All runs of seed 0 come first, then all of seed 1, ... So an ablation that is stopped early
        has rows with fewer seeds, not fewer rows.

        Arguments:
            rows: The letters of the rows.
            seeds: The number of seeds.
        """
        shared = {**self.shared, "workers": 1}  # one process per core
        runs = []
        for seed in range(seeds):
            for variant in self.variants:
                if variant.row and variant.row not in rows:
                    continue
                folder = self.folder / variant.name / str(seed)
                settings = {**shared, **variant.changes, "seed": seed}
                runs.append(PlannedRun(variant, seed, folder, settings))
        return runs


def _saved_settings(folder: Path) -> dict:
    """Return the content of ablation.json; that of a new folder is empty.

    Raises `InputError` when it is damaged, or missing where there are runs.
    """
    path = folder / "ablation.json"
    if path.exists():
        settings = read_json(path)
        names = {"dataset", "recipe", "epochs", "base"}
        if settings.keys() != names or not isinstance(settings["base"], dict):
            raise InputError(f"{path} is damaged: bring it back, or give another folder")
        return settings

    # runs of an ablation that is not known must not be taken for those of a new one
    if any(folder.glob("*/[0-9]*/*.json")):
        raise InputError(
            f"{folder} has runs, but no ablation.json, which says of what: bring it back, or "
            "give another folder"
        )
    return {}


def train_all(
    runs: Sequence[PlannedRun], *, jobs: int = 1
) -> Iterator[tuple[PlannedRun, str | None]]:
    """Train all runs that have no result yet, each in a process on one thread.

    Each is yielded as it ends, with its error or None. A run that was stopped continues from its
    checkpoint. A run that fails does not stop the others. When the loop is left, no further run
    begins. Ctrl-C also stops the runs in progress.

    Arguments:
        runs: The runs.
        jobs: How many are trained at once.
    """
    check_sizes(jobs=jobs)
    unfinished = [run for run in runs if not run.result_path.exists()]
    in_progress: dict[Future, PlannedRun] = {}
    while unfinished or in_progress:
        while unfinished and len(in_progress) < jobs:
            run = unfinished.pop(0)
            in_progress[_begin_process(run)] = run
        ended, _ = wait(in_progress, return_when=FIRST_COMPLETED)
        for future in ended:
            run = in_progress.pop(future)
            try:
                future.result()
                yield run, None
            except (InputError, OSError, MemoryError, BrokenProcessPool) as error:
                yield run, str(error) or "out of memory"


def _begin_process(run: PlannedRun) -> Future:
    """Train a run in a process of its own: if that is killed, the others go on."""
    # spawn, because a fork of a process whose BLAS library has threads may hang
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_set_up_process)
    future = pool.submit(train_one, run)
    pool.shutdown(wait=False)
    return future


def train_one(run: PlannedRun) -> None:
    """Train a run to its end, from where it is, and write its result.json."""
    started = RunFolder(run.folder).config_path.exists()
    # a run of an earlier call, which was stopped, has a checkpoint
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
    # last, because a run with this file counts as finished
    write_json(run.result_path, result)


def _set_up_process() -> None:
    """Prepare a process that trains a run on one thread."""
    # Ctrl-C ends the process; its last checkpoint stays
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    blas_threads(1)
    keep_freed_memory()


def _end_with_parent() -> None:
    """End this process when the one that began it has ended, in whatever way."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
