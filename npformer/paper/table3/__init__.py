"""Table 3 of the paper in miniature: a base model and variants that differ in one thing.

Each is trained from several seeds. The folder of an ablation has ablation.json, the settings that
all runs share; an ordinary run folder VARIANT/SEED per run, with a result.json once the run is
finished; and table.md.

    plan = Plan.of("runs/ablation")
    for run, error in train_all(plan.runs("AE", seeds=3), jobs=2):
        print(run.folder, error or "finished")
    print(report(plan))
"""

from .ablation import (
    DATASET,
    ROW_NAMES,
    Plan,
    PlannedRun,
    Variant,
    make_variants,
    train_all,
    train_one,
)
from .report import report

__all__ = [
    "DATASET",
    "ROW_NAMES",
    "Plan",
    "PlannedRun",
    "Variant",
    "make_variants",
    "report",
    "train_all",
    "train_one",
]
