"""What `npformer evaluate` says about alignments, and that it says nothing where there are none."""

import json

import numpy as np
import pytest

from npformer import datasets
from npformer.cli.evaluating import translation as verb
from npformer.cli.evaluating.translation import alignment_table
from npformer.datasets import SentencePair
from npformer.decoding import Translator
from npformer.evaluation import alignment_baselines
from npformer.visualization import attention_error_rates

RATES = {
    "writes": np.array([[0.593, 0.712, 0.489], [0.181, 1.0, 0.161]]),
    "reads": np.array([[0.907, 0.807, 0.834], [0.981, 0.99, 0.992]]),
}
TABLE = """\
alignment     error rate in % of cross-attention, by head and for the mean of a layer's heads; * the best
              head 1  head 2    mean
layer 1         59.3    71.2    48.9
layer 2         18.1   100.0    16.1*
to compare    words in order 0.0, at random 50.0, one right link a word 0.0
where read    80.7 at best (layer 1, head 2); the table is of the positions that write a word"""


@pytest.fixture(scope="module")
def translator(trained_run):
    return Translator.load(trained_run)


@pytest.fixture
def rates_by_hand(monkeypatch):
    monkeypatch.setattr(verb, "attention_error_rates", lambda *given, row, batch_tokens: RATES[row])


def test_the_table(translator, rates_by_hand):
    pairs = [SentencePair("the dog", "der Hund", ((0, 0), (1, 1))), SentencePair("the", "der")]
    assert alignment_table(translator, pairs, batch_tokens=10) == TABLE


def test_pairs_that_do_not_fit_the_model_are_not_counted(translator, rates_by_hand):
    fits = SentencePair("the dog", "der Hund", ((0, 0), (1, 1)))
    others = [SentencePair("the dog", "der " * 40, ((1, 0),)), SentencePair("the", "", ((0, 0),))]
    assert alignment_table(translator, [*others, fits], batch_tokens=10) == TABLE


def test_evaluate_prints_it_where_the_data_has_gold_links(command, run_copy):
    config = json.loads((run_copy / "config.json").read_text())
    config["training"].update(dataset="reverse", src=None, tgt=None)
    (run_copy / "config.json").write_text(json.dumps(config))
    status, out, err = command("evaluate", run_copy, "--beam", "1")
    assert (status, err) == (0, "")
    scores, table = out.split("\n\n")
    assert scores.startswith("sentences     500\n")
    pairs = datasets.find("reverse").load("held_out")[0]
    [[*row]] = 100 * attention_error_rates(Translator.load(run_copy), pairs)
    lines = table.splitlines()
    assert [float(cell.rstrip("*")) for cell in lines[2].split()[2:]] == pytest.approx(row, abs=0.05)
    assert lines[2].count("*") >= 1
    diagonal, random, ideal = (100 * rate for rate in alignment_baselines(pairs))
    assert f"words in order {diagonal:.1f}, at random {random:.1f}, one right link a word {ideal:.1f}" in lines[3]
    assert len(lines) == 5


def test_evaluate_says_nothing_where_there_are_none(command, trained_run, text_files):
    for files in ([], ["--src", text_files[0], "--tgt", text_files[1]]):
        status, out, err = command("evaluate", trained_run, *files)
        assert (status, err) == (0, "")
        assert out.startswith("sentences") and "alignment" not in out and "\n\n" not in out
