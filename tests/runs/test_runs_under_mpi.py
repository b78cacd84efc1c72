"""Two ranks of MPI train one model, bit for bit what two workers train, and rank 0 alone writes."""

import importlib.util
import shutil
import subprocess
import sys

import pytest

from npformer import runs

pytestmark = pytest.mark.skipif(
    not (shutil.which("mpiexec") and importlib.util.find_spec("mpi4py")), reason="needs mpiexec and mpi4py"
)
PROGRAM = """
import sys
from npformer import runs
folder, src, tgt, resume = sys.argv[1:]
sizes = {"d_model": 16, "d_ff": 24, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1}
how = {"batch_tokens": 64, "warmup_steps": 5, "learning_rate": 0.01, "min_count": 1, "epochs": 2}
run = runs.resume(folder) if resume == "yes" else runs.begin(src=src, tgt=tgt, folder=folder, **sizes, **how)
for update in run.updates():
    if resume == "no" and update.step == 3:
        run.save()
        break
"""


def in_two_ranks(*arguments):
    return subprocess.run(["mpiexec", "-n", "2", sys.executable, "-c", PROGRAM, *map(str, arguments)], timeout=120)


def test_a_run_of_two_ranks_that_was_stopped_is_that_of_two_workers(begin, text_files, tmp_path):
    whole = begin("whole", workers=2)
    list(whole.updates())
    assert in_two_ranks(tmp_path / "ranks", *text_files, "no").returncode == 0
    assert in_two_ranks(tmp_path / "ranks", *text_files, "yes").returncode == 0
    for name, array in runs.load(tmp_path / "ranks").model.state_dict().items():
        assert (array == runs.load(whole.folder.path).model.state_dict()[name]).all()
