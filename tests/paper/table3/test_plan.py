"""Which runs there are to be, and that a folder keeps to what it was begun with."""

import json
import os
from pathlib import Path

import pytest

from npformer import InputError, runs
from npformer.paper.table3 import Plan
from npformer.paper.table3.plan import check_same


def refusal(do):
    with pytest.raises(InputError) as caught:
        do()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_runs_of_some_rows_are_those_of_base_and_these_seed_by_seed(plan):
    found = plan.runs("FE", seeds=2)
    names = ["base", "E-positions-learned", "F-d_word_vec-8"]
    assert [(run.variant.name, run.seed) for run in found] == [(name, seed) for seed in (0, 1) for name in names]
    assert [run.folder for run in found] == [plan.folder / name / str(seed) for seed in (0, 1) for name in names]
    shared = {"dataset": "few_phrases", "recipe": plan.recipe, "epochs": 2, "workers": 1}
    assert found[1].settings == {**shared, "positions": "learned", "seed": 0}
    assert found[4].settings == {**shared, "positions": "learned", "seed": 1}


def test_all_rows_and_three_seeds_are_the_default(plan):
    assert len(plan.runs()) == 3 * len(plan.variants) > 50


def test_a_row_that_there_is_not_is_refused(plan):
    assert refusal(lambda: plan.runs("AX")) == "row 'X' is unknown: expected some of A, B, C, D, E, F, G"


def test_what_is_not_given_comes_from_the_data_set_and_its_recipe(tmp_path):
    plan = Plan.of(tmp_path)
    assert (plan.dataset, plan.recipe, plan.epochs) == ("few_phrases", "ablation", plan.base["epochs"])
    other = Plan.of(tmp_path, dataset="reverse", epochs=3)
    assert (other.dataset, other.recipe, other.epochs) == ("reverse", "tiny", 3)


def test_the_folder_knows_what_was_given(plan):
    again = Plan.of(plan.folder)
    assert again == plan and again.epochs == 2
    assert Plan.of(plan.folder, epochs=2, dataset="few_phrases", recipe=plan.recipe) == plan


@pytest.mark.parametrize(("name", "value"), [("epochs", 3), ("dataset", "copy"), ("recipe", "tiny")])
def test_other_settings_than_the_folders_are_refused(plan, name, value):
    message = refusal(lambda: Plan.of(plan.folder, **{name: value}))
    assert (
        f"{plan.folder} holds an ablation with {name} = {getattr(plan, name)}, not {value}: leave --{name}" in message
    )


@pytest.mark.parametrize(
    "content",
    ["{", "{}", '{"dataset": "copy", "recipe": "tiny", "epochs": 0}', '{"dataset": 1, "recipe": 2, "epochs": 3}'],
)
def test_a_damaged_plan_is_named(plan, content):
    (plan.folder / "ablation.json").write_text(content)
    assert f"{plan.folder / 'ablation.json'} is damaged" in refusal(lambda: Plan.of(plan.folder))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dataset": "mistakes"}, "mistakes is of classification: expected a data set to translate"),
        ({"dataset": "latin"}, "data set 'latin' is unknown"),
        ({"recipe": "huge"}, "recipe 'huge' is unknown"),
        ({"epochs": 0}, "epochs = 0: expected an integer >= 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path, given, expected):
    assert expected in refusal(lambda: Plan.of(tmp_path, **given))
    assert not list(tmp_path.iterdir())


def test_the_folder_of_a_run_is_none_of_an_ablation(trained_run):
    assert f"{trained_run} is a run folder, not an ablation" in refusal(lambda: Plan.of(trained_run))


def test_a_run_with_other_settings_is_not_gone_on_with(plan):
    """As after an edit of the recipe."""
    [base, learned] = plan.runs("E", seeds=1)
    for run in (base, learned):
        check_same(run)  # there is none yet
    runs.begin(folder=base.folder, **base.settings)
    check_same(base)
    recipe = json.loads(Path(plan.recipe).read_text())
    edited = plan.folder / "edited.json"
    for part, name, value in (("model", "d_ff", 24), ("training", "label_smoothing", 0.3)):
        edited.write_text(json.dumps({**recipe, part: {**recipe[part], name: value}}))
        message = refusal(lambda: check_same(base._replace(settings={**base.settings, "recipe": os.fspath(edited)})))
        assert message.startswith(f"{base.folder} was trained with ") and "give another folder" in message
