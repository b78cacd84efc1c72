"""The stored run of notebook 12b."""

from pathlib import Path

import npformer as npf
from npformer import datasets
from npformer.tasks import evaluate

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def test_stored_run_has_the_loss_that_the_notebook_says():
    [held_out] = datasets.find("german").load("held_out")
    loss = evaluate(npf.runs.load(NOTEBOOKS / "trained/german_letters"), held_out).loss
    assert f"held-out loss {loss:.2f} nats" in (NOTEBOOKS / "12b_generating_text.ipynb").read_text(encoding="utf-8")
