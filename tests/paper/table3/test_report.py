"""The table and the CSV file of an ablation, from results made up for it."""

import csv
import json

import pytest

from npformer import InputError
from npformer.paper.table3 import report, save_report
from npformer.paper.table3.report import HEAD

BASE = [(1.50, 70.0), (1.60, 71.0), (1.55, 70.5)]
SCORES = {
    "base": BASE,
    "A-heads-1": [(1.60, 70.1), (1.70, 70.9), (1.66, 70.4)],  # clearly worse by perplexity, as in the paper
    "A-heads-4": [(1.51, 70.1), (1.59, 70.9), (1.56, 70.4)],
    "D-dropout-0.0": [(1.70, 69.0), (1.80, 70.0), (1.75, 69.5)],
    "D-label_smoothing-0.0": [(1.30, 73.0), (1.40, 74.0), (1.36, 73.5)],  # better by both; in the paper by one
    "E-positions-learned": [(1.80, 71.0)],  # one seed says nothing
    "F-d_word_vec-8": [(1.70, 69.0), (1.80, 70.0), (1.75, 69.5)],
}


@pytest.fixture
def rows(plan, make_results):
    """The cells of the table by the names of its variants."""
    make_results(SCORES)
    lines = report(plan).split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == HEAD and len({len(line) for line in lines}) == 1
    return dict(zip(SCORES, cells[2:], strict=True))


def scored(rows, name):
    return rows[name][HEAD.index("seeds") :]


def test_base_has_all_its_settings_and_a_variant_what_differs(rows):
    assert rows["base"][:11] == ["base", "1+1", "16", "8", "2", "8", "8", "0.1", "0.1", "", "12"]
    assert rows["A-heads-1"][:10] == ["A", "", "", "", "1", "16", "16", "", "", ""]
    assert rows["D-label_smoothing-0.0"][:10] == ["D", *[""] * 7, "0.0", ""]
    assert rows["E-positions-learned"][:10] == ["E", *[""] * 8, "positions learned"]
    assert rows["F-d_word_vec-8"][:11] == ["F", *[""] * 8, "d_word_vec 8", "7"]


def test_mean_spread_marks_and_the_papers_scores(rows):
    assert scored(rows, "base") == ["3", "1.550 ± 0.050", "70.5 ± 0.5", "4.92", "25.8", "", ""]
    assert scored(rows, "A-heads-1") == ["3", "1.653 ± 0.050 *", "70.5 ± 0.4", "5.29", "24.9", "yes", ""]
    assert scored(rows, "A-heads-4") == ["3", "1.553 ± 0.040", "70.5 ± 0.4", "5.00", "25.5", "", ""]
    dropout = scored(rows, "D-dropout-0.0")
    assert dropout == ["3", "1.750 ± 0.050 *", "69.5 ± 0.5 *", "5.77", "24.6", "yes", "yes"]
    smoothing = scored(rows, "D-label_smoothing-0.0")
    assert smoothing == ["3", "1.353 ± 0.050 *", "73.5 ± 0.5 *", "4.67", "25.3", "yes", "no"]
    assert scored(rows, "E-positions-learned") == ["1", "1.800", "71.0", "4.92", "25.7", "", ""]
    assert scored(rows, "F-d_word_vec-8") == ["3", "1.750 ± 0.050 *", "69.5 ± 0.5 *", "", "", "", ""]


def test_without_the_base_model_nothing_is_marked(plan, make_results):
    make_results({name: scores for name, scores in SCORES.items() if name != "base"})
    assert "*" not in report(plan).split("\n\n")[0] and "yes" not in report(plan)


def test_both_files_are_written_and_the_csv_has_each_run_exactly(plan, make_results):
    make_results(SCORES)
    save_report(plan)
    assert (plan.folder / "table.md").read_text(encoding="utf-8") == report(plan)
    with (plan.folder / "results.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    names = [(name, seed) for name, scores in SCORES.items() for seed in range(len(scores))]
    assert [(row["variant"], int(row["seed"])) for row in found] == names
    expected = [score for scores in SCORES.values() for score in scores]
    assert [(float(row["perplexity"]), float(row["bleu"])) for row in found] == expected
    assert found[3]["row"] == "A" and found[3]["parameters"] == "12345"


def test_a_result_that_is_damaged_is_named(plan, make_results):
    make_results(SCORES)
    path = plan.folder / "A-heads-1" / "1" / "result.json"
    for content in ("{", json.dumps({"perplexity": 1.0}), path.read_text().replace("12345", '"many"')):
        path.write_text(content)
        with pytest.raises(InputError, match=r"result\.json is damaged"):
            report(plan)


def test_where_no_run_is_finished_there_is_no_table(plan):
    with pytest.raises(InputError, match="holds no finished run yet"):
        report(plan)
