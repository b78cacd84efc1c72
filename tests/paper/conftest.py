"""An ablation of a tiny model, and results made up for its variants."""

import json

import pytest

from npformer.paper.table3 import Plan


@pytest.fixture
def plan(tmp_path, tiny_recipe):
    plan = Plan.of(tmp_path / "ablation", recipe=tiny_recipe)
    plan.save()
    return plan


@pytest.fixture
def make_results(plan):
    """Write results of variants:

    `make_results({"base": [(perplexity, bleu), ...]})`, a pair for each seed.
    """

    def make(scores):
        for run in plan.runs(seeds=3):
            for perplexity, bleu in scores.get(run.variant.name, [])[run.seed : run.seed + 1]:
                parameters = 6_789 if run.variant.row == "F" else 12_345_678
                run.folder.mkdir(parents=True)
                result = dict(perplexity=perplexity, bleu=bleu, parameters=parameters, seconds=1.5)
                run.result_path.write_text(json.dumps(result))

    return make
