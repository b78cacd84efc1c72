"""Whatever the library computes, products run on no more threads than the user said in a variable of the system.

In a process of its own, where nothing has changed that yet.
"""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json, sys
from pathlib import Path
from threadpoolctl import threadpool_info

from npformer import runs
from npformer.base import machine
from npformer.tasks import mean_loss
from npformer.models import Encoder
from npformer.visualization import sentence_attention

def counts():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

def noted(self, *given):
    seen.setdefault(what, set()).update(counts())
    return plain(self, *given)

folder, cores = Path(sys.argv[1]), int(sys.argv[2])
machine.cores = lambda: {*range(cores)}
plain, Encoder.forward = Encoder.forward, noted
seen, started = {"before": counts()}, {}
for side, lines in {"src": ["a b c", "b c", "c a", "a"], "tgt": ["x y z", "y z", "z x", "x"]}.items():
    (folder / side).write_text("\\n".join(lines * 4))
how = {"src": folder / "src", "tgt": folder / "tgt", "min_count": 1, "batch_tokens": 16, "epochs": 1}
how |= {"d_ff": 8, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1, "warmup_steps": 1}
for width, d_model in {"narrow": 128, "wide": 130}.items():
    for workers in (1, 2, 0):
        what = f"{width} {workers}"
        run = runs.begin(folder=folder / what, d_model=d_model, workers=workers, **how)
        started[what] = run.settings.workers if run.tried is None else sorted(run.tried.seconds)
        next(run.updates())
    translator = run.predictor()
    what = f"{width} loss"
    mean_loss(run.model, run.validation)
    what = f"{width} one"
    translator.translate("a b")
    what = f"{width} many"
    translator.translate(["a b", "b c a a", "c"] * 3)
    what = f"{width} attention"
    sentence_attention(translator, "a b")
seen["after"] = counts()
print(json.dumps([{name: sorted(found) for name, found in seen.items()}, started]))
"""


def counted(folder, said, cores):
    """Return the threads of products by what was computed, and the numbers of workers by training."""
    env = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")} | said
    command = [sys.executable, "-c", PROGRAM, str(folder), str(cores)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("said", "cores"),
    [
        pytest.param({"OPENBLAS_NUM_THREADS": "1"}, 64, id="one"),
        pytest.param({"OMP_NUM_THREADS": "2"}, 64, id="two", marks=pytest.mark.long),
        pytest.param({}, 1, id="one core", marks=pytest.mark.long),
    ],
)
def test_products_run_on_no_more_threads_than_the_user_or_the_machine_allow(tmp_path, said, cores):
    seen, started = counted(tmp_path, said, cores)
    [before] = seen["before"]
    most = int(next(iter(said.values()), 64))
    assert before <= most and seen["after"] == [before]
    for name, found in seen.items():
        if name.startswith("narrow"):
            assert found == [1], name
    wide, free = [min(before, cores)], min(most, cores)
    assert seen["wide 1"] == seen["wide loss"] == seen["wide one"] == seen["wide attention"] == wide
    assert seen["wide 2"] == [1] and seen["wide many"] == (wide if free == 1 else [1])
    assert seen["wide 0"] == (wide if free == 1 else sorted({1, *wide}))
    for width in ("narrow", "wide"):
        assert (started[f"{width} 1"], started[f"{width} 2"]) == (1, 2)
        tried = started[f"{width} 0"]
        assert tried == 1 if free == 1 else tried in ([1, 2], [1, 2, 4]) and tried[-1] <= free
