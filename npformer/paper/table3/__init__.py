"""Table 3 of the paper in miniature: a base model, variants that differ in one thing, each trained from several seeds.

An ablation is a folder with ablation.json, which says what all its runs share; for each run an ordinary run folder
VARIANT/SEED, without pictures, with a result.json once it is finished; and then table.md and results.csv.

    plan = Plan.of("runs/ablation")
    for run, error in train_all(plan.runs("AE", seeds=3), jobs=2):
        print(run.folder, error or "finished")
    print(report(plan))
"""

from .plan import Plan, PlannedRun
from .pool import Ended, train_all
from .report import read_result, report, save_report

__all__ = ["Ended", "Plan", "PlannedRun", "read_result", "report", "save_report", "train_all"]
