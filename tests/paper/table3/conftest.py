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
    """Write results of variants: `make_results({"base": [(perplexity, bleu), ...]})`, a pair for each seed."""

    def make(scores):
        for variant in plan.variants:
            for seed, (perplexity, bleu) in enumerate(scores.get(variant.name, [])):
                parameters = 6_789 if variant.row == "F" else 12_345
                result = {"perplexity": perplexity, "bleu": bleu, "parameters": parameters}
                path = plan.run(variant, seed).result_path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(json.dumps({**result, "seconds": 1.5}))

    return make
