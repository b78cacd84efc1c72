"""The settings that all runs of an ablation share, as a file of its folder, and the runs to train."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ...models import TransformerConfig
from ...runs.folder import RunFolder
from ...runs.recipe import resolve
from ...utils import AnyPath, InputError, make_folder, prefix_errors, read_json, write_json
from .variants import ROW_NAMES, Variant, variants

DATASET = "few_phrases"
SHARED = ("dataset", "recipe", "epochs")


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
    """An ablation's folder, and data set, recipe and epochs of all its runs.

    >>> plan = Plan.of("ablation", epochs=3)
    >>> plan.dataset, [run.folder.as_posix() for run in plan.runs("E", seeds=1)]
    ('few_phrases', ['ablation/base/0', 'ablation/E-positions-learned/0'])
    """

    folder: Path
    dataset: str
    recipe: str
    epochs: int

    @classmethod
    def of(cls, folder: AnyPath, **given) -> "Plan":
        """Return the plan in a folder, or a new one; `given` are of dataset, recipe and epochs, None for not given.

        Raises `InputError` when these differ from the folder's, or cannot be used.
        """
        folder, given = Path(folder), {name: value for name, value in given.items() if value is not None}
        path = folder / "ablation.json"
        if not path.exists():
            if RunFolder(folder).config_path.exists():
                raise InputError(f"{folder} is a run folder, not an ablation: give another folder")
            return cls._resolved(folder, {"dataset": DATASET, **given})
        saved = read_json(path)
        with prefix_errors(f"{path} is damaged"):
            if saved.keys() != {*SHARED}:
                raise InputError(f"expected {', '.join(SHARED)}")
            cls._resolved(folder, saved)
        for name, value in given.items():
            if value != saved[name]:
                other = f"{folder} holds an ablation with {name} = {saved[name]}, not {value}"
                raise InputError(f"{other}: leave --{name} out to continue it, or give another folder")
        return cls(folder, **saved)

    @classmethod
    def _resolved(cls, folder: Path, given: dict) -> "Plan":
        training, _ = resolve(given)
        if (task := training.data_set().task) != "translation":
            raise InputError(f"{training.dataset} is of {task.replace('_', ' ')}: expected a data set to translate")
        return cls(folder, training.dataset, training.recipe, training.epochs)

    def save(self) -> None:
        """Write ablation.json into the folder, which is made."""
        make_folder(self.folder)
        write_json(self.folder / "ablation.json", {name: getattr(self, name) for name in SHARED})

    @property
    def shared(self) -> dict:
        """The settings of every run; one worker each, because the runs are one process per core."""
        return {name: getattr(self, name) for name in SHARED} | {"workers": 1}

    @cached_property
    def base(self) -> dict:
        """All settings of the base model and of its training, d_k and d_v as numbers."""
        training, model = resolve(self.shared)
        config = vars(TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **model))
        width = config["d_model"] // config["n_heads"]
        return {**vars(training), **config, "d_k": config["d_k"] or width, "d_v": config["d_v"] or width}

    @cached_property
    def variants(self) -> list[Variant]:
        """The base model and its variants."""
        return variants(self.base)

    def run(self, variant: Variant, seed: int) -> PlannedRun:
        """Return the run of a variant from a seed."""
        settings = {**self.shared, **variant.changes, "seed": seed}
        return PlannedRun(variant, seed, self.folder / variant.name / str(seed), settings)

    def runs(self, rows: str = "".join(ROW_NAMES), *, seeds: int = 3) -> list[PlannedRun]:
        """Return the runs of the base model and of some rows: all of seed 0, then all of seed 1, ...

        So an ablation that is stopped early has rows with fewer seeds, not fewer rows.

        Raises `InputError` for an unknown row.
        """
        if unknown := [row for row in rows if row not in ROW_NAMES]:
            raise InputError(f"row {unknown[0]!r} is unknown: expected some of {', '.join(ROW_NAMES)}")
        chosen = [variant for variant in self.variants if not variant.row or variant.row in rows]
        return [self.run(variant, seed) for seed in range(seeds) for variant in chosen]


def check_same(run: PlannedRun) -> None:
    """Raise `InputError` where the run's folder has other settings, as after an edit of the recipe."""
    folder = RunFolder(run.folder)
    if not folder.config_path.exists():
        return
    training, model = resolve(run.settings)
    expected, saved = {**vars(training), **model}, {**vars(folder.config()), **vars(folder.training())}
    for name, value in expected.items():
        if saved[name] != value:
            came = f"{run.folder} was trained with {name} = {saved[name]}, and the plan has {value}"
            raise InputError(f"{came}: give another folder, or delete this one")
