"""The table of alignment error rates of `npformer evaluate --alignment`, which is not printed
without it.
"""

import json

import pytest

import npformer as npf
from npformer import datasets
from npformer.evaluation import alignment_baselines, attention_error_rates


def test_evaluate_prints_alignment_table_with_gold_links(command, run_copy, replace_examples):
    config = json.loads((run_copy / "config.json").read_text())
    config["training"].update(dataset="reverse", src=None, tgt=None)
    del config["held_out"]
    (run_copy / "config.json").write_text(json.dumps(config))
    pairs = datasets.get("reverse").load("held_out")[0][:50]
    too_long = [pairs[0]._replace(source="1 " * 20), pairs[0]._replace(target="1 " * 20)]
    replace_examples("reverse", [], [*pairs, *too_long])
    status, out, err = command("evaluate", run_copy, "--beam", "1", "--alignment")
    assert (status, err) == (0, "")
    scores, table = out.split("\n\n")
    assert scores.startswith("sentences     51, 1 left out (no source, or too long)\n")
    [[*row]] = 100 * attention_error_rates(npf.load(run_copy), pairs)
    lines = table.splitlines()
    assert [float(cell.rstrip("*")) for cell in lines[2].split()[2:]] == pytest.approx(
        row, abs=0.05
    )
    assert lines[2].count("*") >= 1
    diagonal, random, ideal = (100 * rate for rate in alignment_baselines(pairs))
    assert (
        f"words in order {diagonal:.1f}, at random {random:.1f}, one true link per word {ideal:.1f}"
        in lines[3]
    )
    assert len(lines) == 4
    assert command("evaluate", run_copy, "--beam", "1") == (0, scores + "\n", "")


def test_evaluate_refuses_alignment_without_gold_links(command, trained_run, text_files):
    status, out, err = command(
        "evaluate", trained_run, "--src", text_files[0], "--tgt", text_files[1], "--alignment"
    )
    assert (
        (status, out) == (2, "") and err.count("\n") == 1 and "no pair has a word alignment" in err
    )
