import os
import shlex
import signal
import subprocess
import sys
from functools import partial

import pytest

from npformer.runs.folder import RunFolder
from npformer.utils.safetensors_io import load_tensors
from tests.cli.test_kill import assert_same_end, rows_but_for_seconds

if sys.platform == "win32":
    pytest.skip("Windows sends Ctrl-C to all processes of a console", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("without_pictures")
PROGRAM = [sys.executable, "-m", "npformer"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": ""}


def start(arguments, **how):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # which nohup and & may have ignored
    notice = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    return subprocess.Popen(
        [*PROGRAM, *map(str, arguments)], env=ENVIRONMENT, preexec_fn=notice, **pipes, **how
    )


@pytest.fixture
def begin(text_files, small, tmp_path):
    """Give the command that begins a run of two epochs in a folder of this name, and that folder."""

    def arguments(name, *options):
        options = [*small, "--dropout", "0.1", "--epochs", "2", *options]
        files = ["--src", text_files[0], "--tgt", text_files[1]]
        return ["train", *files, *options, "--run", tmp_path / name], RunFolder(tmp_path / name)

    return arguments


def resume_command(out):
    program, *arguments = shlex.split(out.splitlines()[-1])
    assert program == "npformer"
    return arguments


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_to_process_group_saves_once_and_ends_workers(small, tmp_path, number, status):
    """As Ctrl-C in a terminal, and the end of a job on a cluster: worker processes wait for what
    the first one does.
    """
    sizes = small[: small.index("--batch-tokens")]
    options = [
        "copy",
        *sizes,
        "--batch-tokens",
        "256",
        "--warmup-steps",
        "9",
        "--dropout",
        "0.1",
        "--workers",
        "3",
    ]
    stopped, unbroken = (RunFolder(tmp_path / name) for name in ("stopped", "unbroken"))
    process = start(
        ["train", *options, "--epochs", "50", "--run", stopped.path], start_new_session=True
    )
    while not (line := process.stdout.readline()).startswith("epoch   1"):
        assert line, process.stderr.read()
    os.killpg(process.pid, number)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err, out.count("stopped and saved after update")) == (status, "", 1)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    epochs = str(load_tensors(stopped.checkpoint_path)[1]["place"]["epoch"])
    for command in (["--resume", stopped.path], [*options, "--run", unbroken.path]):
        again = start(["train", *command, "--epochs", epochs])
        assert again.communicate(timeout=60)[1] == "" and again.returncode == 0
    assert_same_end(stopped, unbroken)


@pytest.mark.parametrize("update", [1, 4])
def test_run_stopped_after_any_update_equals_uninterrupted_run(
    command, begin, press_ctrl_c, update
):
    arguments, unbroken = begin("unbroken")
    assert command(*arguments).status == 0
    press_ctrl_c(update)
    arguments, stopped = begin("a stopped run")
    status, out, err = command(*arguments)
    assert (status, err) == (130, "")
    assert f"stopped and saved after update {update};" in out
    assert len(rows_but_for_seconds(stopped)) == update
    press_ctrl_c(0)
    assert command(*resume_command(out)).status == 0
    assert_same_end(stopped, unbroken)


def test_ctrl_c_after_last_update_prints_resume_command(command, begin, monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    arguments, _ = begin("run")
    with monkeypatch.context() as patch:
        patch.setattr("npformer.runs.training_run.Run.evaluate", interrupted)
        status, out, _ = command(*arguments)
    assert status == 130
    status, out, _ = command(*resume_command(out))
    assert status == 0
    assert "translate with" in out
