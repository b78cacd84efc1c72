"""Table 3: the variants, the runs of an ablation and their training, and the table that is made
of them.
"""

import json
import math
import shutil
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import fields
from pathlib import Path

import pytest

from helpers.multiply_adds import forward_multiply_adds
from npformer import InputError, Transformer, TransformerConfig, runs
from npformer.paper.table3 import Plan, ablation, make_variants, report, train_all, train_one
from npformer.paper.table3.report import HEAD, LEGEND
from npformer.runs.folder import RunFolder
from npformer.utils import read_json

PAPER = {
    "base": ({}, (4.92, 25.8)),
    "A-heads-1": ({"n_heads": 1, "d_k": 512, "d_v": 512}, (5.29, 24.9)),
    "A-heads-2": ({"n_heads": 2, "d_k": 256, "d_v": 256}, None),
    "A-heads-4": ({"n_heads": 4, "d_k": 128, "d_v": 128}, (5.00, 25.5)),
    "A-heads-16": ({"n_heads": 16, "d_k": 32, "d_v": 32}, (4.91, 25.8)),
    "B-d_k-16": ({"d_k": 16}, (5.16, 25.1)),
    "B-d_k-32": ({"d_k": 32}, (5.01, 25.4)),
    "C-layers-2+2": ({"n_encoder_layers": 2, "n_decoder_layers": 2}, (6.11, 23.7)),
    "C-layers-4+4": ({"n_encoder_layers": 4, "n_decoder_layers": 4}, (5.19, 25.3)),
    "C-layers-8+8": ({"n_encoder_layers": 8, "n_decoder_layers": 8}, (4.88, 25.5)),
    "C-d_model-256": ({"d_model": 256, "d_k": 32, "d_v": 32}, (5.75, 24.5)),
    "C-d_model-1024": ({"d_model": 1024, "d_k": 128, "d_v": 128}, (4.66, 26.0)),
    "C-d_ff-1024": ({"d_ff": 1024}, (5.12, 25.4)),
    "C-d_ff-4096": ({"d_ff": 4096}, (4.75, 26.2)),
    "D-dropout-0.0": ({"dropout": 0.0}, (5.77, 24.6)),
    "D-dropout-0.2": ({"dropout": 0.2}, (4.95, 25.5)),
    "D-label_smoothing-0.0": ({"label_smoothing": 0.0}, (4.67, 25.3)),
    "D-label_smoothing-0.2": ({"label_smoothing": 0.2}, (5.47, 25.7)),
    "E-positions-learned": ({"positions": "learned"}, (4.92, 25.7)),
    "F-init-glorot_normal": ({"init": "glorot_normal"}, None),
    "F-init-per_head": ({"init": "per_head"}, None),
}
MODEL = {field.name for field in fields(TransformerConfig)} - {"src_vocab_size", "tgt_vocab_size"}

BASE = [(1.50, 70.0), (1.60, 71.0), (1.55, 70.5)]
SCORES = {
    "base": BASE,
    "A-heads-1": [(1.60, 70.1), (1.70, 70.9), (1.66, 70.4)],
    "A-heads-4": [(1.51, 70.1), (1.59, 70.9), (1.56, 70.4)],
    "D-label_smoothing-0.0": [(1.30, 73.0), (1.40, 74.0), (1.36, 73.5)],
    "E-positions-learned": [(1.80, 71.0)],  # one seed has no deviation
    "F-init-per_head": [(1.70, 69.0), (1.80, 70.0), (1.75, 69.5)],
}


def base_with(**settings):
    config = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9)
    return {**vars(config), "d_k": 64, "d_v": 64, "label_smoothing": 0.1, **settings}


def changes(base):
    return {variant.name: variant.changes for variant in make_variants(base)}


def test_variants_of_base_model_are_rows_of_table_3():
    variants = make_variants(base_with())
    assert {variant.name: (variant.changes, variant.paper) for variant in variants} == PAPER
    assert all(variant.row == variant.name[: len(variant.row)] for variant in variants)
    assert "".join(dict.fromkeys(variant.row for variant in variants)) == "ABCDEF"


@pytest.mark.parametrize("widths", [{"d_k": None, "d_v": None}, {"d_k": 12, "d_v": 4}])
def test_row_a_keeps_parameters_and_multiply_adds(widths):
    sizes = {"d_model": 64, "d_ff": 32, "n_heads": 8, "n_encoder_layers": 1, "n_decoder_layers": 1}
    config = {**sizes, **widths, "src_vocab_size": 9, "tgt_vocab_size": 9}
    base = base_with(**sizes, **{name: width or 8 for name, width in widths.items()})
    rows = [variant for variant in make_variants(base) if variant.row == "A"]
    assert {row.changes["n_heads"] for row in rows} == {1, 2, 4, 16}

    def cost(changed):
        changed = TransformerConfig(**{**config, **changed})
        shapes = {name: p.data.shape for name, p in Transformer(changed, rng=0).named_parameters()}
        return forward_multiply_adds(changed, 7, 5), shapes

    assert all(cost(row.changes) == cost({}) for row in rows)


def test_head_counts_that_do_not_divide_are_skipped():
    names = changes(base_with(d_model=48, n_heads=2, d_k=6, d_v=18))
    assert [name for name in names if name.startswith("A")] == ["A-heads-1", "A-heads-4"]


def test_values_of_base_model_are_skipped():
    given = dict(n_heads=4, dropout=0.2, label_smoothing=0.0, positions="learned", init="per_head")
    found = {variant.name: variant for variant in make_variants(base_with(**given))}
    assert "A-heads-8" in found and "A-heads-4" not in found and found["A-heads-8"].paper is None
    assert [name for name in found if name[0] == "D"] == ["D-dropout-0.0", "D-label_smoothing-0.2"]
    assert found["E-positions-sinusoidal"].paper is None
    assert [name for name in found if name[0] == "F"] == ["F-init-glorot", "F-init-glorot_normal"]


def test_depths_of_shallow_model_are_unique():
    names = changes(base_with(n_encoder_layers=2, n_decoder_layers=1))
    assert [name for name in names if "layers" in name] == ["C-layers-1+1", "C-layers-3+1"]


def test_variants_of_the_default_can_be_built(tmp_path):
    plan = Plan.of(tmp_path)
    own = {name: value for name, value in plan.base.items() if name in MODEL}
    for variant in plan.variants:
        model = {name: value for name, value in variant.changes.items() if name in own}
        assert model or variant.changes.keys() <= {"label_smoothing"}
        Transformer(TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **own | model), rng=0)


def test_runs_are_base_and_chosen_rows_per_seed(plan):
    found = plan.runs("FE", seeds=2)
    names = ["base", "E-positions-learned", "F-init-glorot_normal", "F-init-per_head"]
    assert [run.folder for run in found] == [
        plan.folder / name / str(seed) for seed in (0, 1) for name in names
    ]
    shared = {"dataset": "few_phrases", "recipe": plan.recipe, "epochs": 2, "workers": 1}
    assert found[5].settings == {**shared, "positions": "learned", "seed": 1}
    assert len(plan.runs()) == 3 * len(plan.variants) > 50


def test_missing_settings_come_from_data_set(tmp_path):
    plan = Plan.of(tmp_path)
    assert (plan.dataset, plan.recipe, plan.epochs) == (
        "few_phrases",
        "ablation",
        plan.base["epochs"],
    )
    other = Plan.of(tmp_path, dataset="reverse", epochs=3)
    assert (other.dataset, other.recipe, other.epochs) == ("reverse", "tiny", 3)


def test_recipe_that_was_edited_is_rejected(plan, tmp_path):
    """Else its new settings would stand next to old scores."""
    recipe = tmp_path / "edited.json"
    shutil.copy(plan.recipe, recipe)
    Plan.of(tmp_path / "other", recipe=str(recipe)).save()
    assert Plan.of(tmp_path / "other").recipe == str(recipe)
    edited = json.loads(recipe.read_text())
    edited["model"]["d_ff"] = 12
    edited["training"]["warmup_steps"] = 5
    recipe.write_text(json.dumps(edited))
    with pytest.raises(InputError, match=r"with another .*warmup_steps, .*d_ff: bring that recipe"):
        Plan.of(tmp_path / "other")


def test_sizes_of_heads_are_numbers(plan, tmp_path):
    assert (plan.base["d_k"], plan.base["d_v"]) == (8, 8)
    recipe = json.loads(Path(plan.recipe).read_text())
    recipe["model"]["d_k"] = 4
    (tmp_path / "narrow.json").write_text(json.dumps(recipe))
    base = Plan.of(tmp_path / "other", recipe=str(tmp_path / "narrow.json")).base
    assert (base["d_k"], base["d_v"]) == (4, 8)


def test_folder_keeps_its_settings(plan):
    assert (
        Plan.of(plan.folder)
        == plan
        == Plan.of(plan.folder, epochs=2, dataset="few_phrases", recipe=plan.recipe)
    )
    for name, value in [("epochs", 3), ("dataset", "copy"), ("recipe", "tiny")]:
        kept = f"holds an ablation with {name} = {getattr(plan, name)}, not {value}: leave --{name}"
        with pytest.raises(InputError, match=kept):
            Plan.of(plan.folder, **{name: value})


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dataset": "latin"}, "data set 'latin' is unknown"),
        ({"recipe": "huge"}, "recipe 'huge' is unknown"),
        ({"epochs": 0}, "epochs = 0: expected an integer >= 1"),
    ],
)
def test_unusable_settings_are_rejected(tmp_path, given, expected):
    with pytest.raises(InputError, match=expected):
        Plan.of(tmp_path, **given)
    assert not list(tmp_path.iterdir())


def test_stopped_run_continues_to_the_same_result(plan, fewer_phrases, without_pictures):
    [base] = plan.runs("", seeds=1)
    stopped = base._replace(folder=plan.folder / "stopped")
    train_one(base)
    for update in runs.begin(folder=stopped.folder, **stopped.settings).updates():
        if update.step == 3:
            break
    assert update.step == 3
    train_one(stopped)
    found, expected = read_json(stopped.result_path), read_json(base.result_path)
    assert {**found, "seconds": 0} == {**expected, "seconds": 0}
    scores, model = runs.resume(base.folder).evaluate(), RunFolder(base.folder).load_model()
    assert found["parameters"] == sum(p.data.size for p in model.parameters())
    assert expected["seconds"] == runs.resume(base.folder).log.rows[-1]["seconds"] > 0
    assert (found["perplexity"], found["bleu"]) == (math.exp(scores.loss), scores.text.bleu)


@pytest.mark.long
def test_each_run_is_trained_once_despite_failed_runs(plan):
    chosen = plan.runs("E", seeds=1)
    (plan.folder / "E-positions-learned").touch()  # in the place of its folder
    ended = {run.folder: error for run, error in train_all(chosen, jobs=2)}
    failed = f"cannot make the folder {chosen[1].folder}: Not a directory"
    assert ended == {chosen[0].folder: None, chosen[1].folder: failed}
    assert read_json(chosen[0].result_path)["parameters"] > 1000
    assert [run for run, _ in train_all(chosen[:1])] == []


@pytest.fixture
def without_processes(monkeypatch):
    """Train nothing; return the runs that began, and the errors of the first ones, to be set."""
    begun, errors = [], []

    class WithoutProcesses(Executor):
        def __init__(self, n, *, mp_context, initializer):
            assert (n, mp_context.get_start_method()) == (1, "spawn")

        def submit(self, train, run):
            future = Future()
            begun.append(run)
            if errors:
                future.set_exception(errors.pop(0))
            else:
                future.set_result(None)
            return future

    monkeypatch.setattr(ablation, "ProcessPoolExecutor", WithoutProcesses)
    return begun, errors


def test_no_run_begins_after_the_loop_is_left(plan, without_processes):
    begun, _ = without_processes
    chosen = plan.runs(seeds=1)
    next(train_all(chosen, jobs=2))
    assert begun == chosen[:2]


@pytest.mark.parametrize("jobs", [0, -1])
def test_at_least_one_run_is_trained_at_once(jobs):
    with pytest.raises(InputError, match=f"^jobs = {jobs}: expected an integer >= 1$"):
        next(train_all([], jobs=jobs))


def test_failed_run_is_yielded_and_a_finished_one_left_out(plan, make_results, without_processes):
    _, errors = without_processes
    make_results({"base": [(1.5, 70.0)]})
    _, *unfinished = plan.runs(seeds=1)
    errors += [InputError("wrong"), OSError("full"), MemoryError(), BrokenProcessPool("killed")]
    found = list(train_all(plan.runs(seeds=1)))
    assert [run for run, _ in found] == unfinished
    expected = ["wrong", "full", "out of memory", "killed"]
    assert [error for _, error in found] == [*expected, *[None] * (len(unfinished) - 4)]

    errors.append(ZeroDivisionError())
    with pytest.raises(ZeroDivisionError):
        next(train_all(plan.runs(seeds=1)))


@pytest.fixture
def rows(plan, make_results):
    """The cells of the table by the names of its variants."""
    make_results(SCORES)
    table, _, legend = report(plan).partition("\n\n")
    assert legend == f"{LEGEND}\n"
    lines = table.splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == HEAD and len({len(line) for line in lines}) == 1
    return dict(zip(SCORES, cells[2:], strict=True))


def test_report_has_base_settings_and_variant_differences(rows):
    assert rows["base"][:12] == [
        *"base,1+1,16,8,2,8,8,0.1,0.1,sinusoidal,glorot".split(","),
        "12,346",
    ]
    assert rows["A-heads-1"][:11] == ["A", "", "", "", "1", "16", "16", *[""] * 4]
    assert rows["D-label_smoothing-0.0"][:11] == ["D", *[""] * 7, "0.0", "", ""]
    assert rows["E-positions-learned"][:11] == ["E", *[""] * 8, "learned", ""]
    assert rows["F-init-per_head"][:12] == ["F", *[""] * 9, "per_head", "7"]


def test_report_has_means_deviations_and_the_papers_scores(rows):
    scores = {name: row[HEAD.index("seeds") :] for name, row in rows.items()}
    assert scores["base"] == ["3", "1.550 ± 0.050", "70.5 ± 0.5", "4.92", "25.8"]
    assert scores["A-heads-1"] == ["3", "1.653 ± 0.050", "70.5 ± 0.4", "5.29", "24.9"]
    assert scores["A-heads-4"] == ["3", "1.553 ± 0.040", "70.5 ± 0.4", "5.00", "25.5"]
    assert scores["D-label_smoothing-0.0"] == ["3", "1.353 ± 0.050", "73.5 ± 0.5", "4.67", "25.3"]
    assert scores["E-positions-learned"] == ["1", "1.800", "71.0", "4.92", "25.7"]
    assert scores["F-init-per_head"] == ["3", "1.750 ± 0.050", "69.5 ± 0.5", "", ""]


def test_damaged_result_is_named(plan, make_results):
    make_results(SCORES)
    (plan.folder / "A-heads-1" / "1" / "result.json").write_text("{")
    with pytest.raises(InputError, match=r"result\.json"):
        report(plan)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda result: result.pop("perplexity"), "its perplexity is None, expected a number"),
        (lambda result: result.update(bleu="1"), "its bleu is '1', expected a number"),
        (lambda result: result.pop("parameters"), "its parameters is None, expected a number"),
    ],
)
def test_number_that_a_result_lacks_is_named(plan, make_results, change, said):
    make_results(SCORES)
    path = plan.folder / "A-heads-1" / "1" / "result.json"
    result = json.loads(path.read_text())
    change(result)
    path.write_text(json.dumps(result))
    with pytest.raises(InputError) as caught:
        report(plan)
    assert str(caught.value) == f"{path} is damaged: {said}. Delete it to score the run again"


def test_results_of_an_unknown_ablation_are_not_taken(plan, make_results):
    make_results(SCORES)
    path = plan.folder / "ablation.json"
    saved = json.loads(path.read_text())
    for damage in ({}, {**saved, "base": 5}, {"base": saved["base"]}):
        path.write_text(json.dumps(damage))
        with pytest.raises(InputError, match=r"ablation.json is damaged: bring it back"):
            Plan.of(plan.folder)
    path.unlink()
    with pytest.raises(InputError, match=r"has runs, but no ablation.json, which says of what"):
        Plan.of(plan.folder, recipe=plan.recipe)


def test_report_needs_a_finished_run(plan):
    with pytest.raises(InputError, match="holds no finished run yet"):
        report(plan)
