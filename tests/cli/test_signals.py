"""Ctrl-C, SIGTERM and SIGHUP while a model is trained."""

import signal
import subprocess
import sys

import pytest

from npformer.cli.train import _note_signals
from npformer.runs.folder import RunFolder

if sys.platform == "win32":
    pytest.skip("Windows has no SIGHUP, and ends a process for SIGTERM", allow_module_level=True)

NOTED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
TRAIN = [
    sys.executable,
    "-m",
    "npformer",
    "train",
    "copy",
    "--epochs",
    "50",
    "--batch-tokens",
    "2048",
]


pytestmark = pytest.mark.usefixtures("usual_signals")


@pytest.fixture
def stopped(small, tmp_path):
    """Train in a process of its own, send it a signal after the first epoch, and return status,
    output and folder.
    """

    def default_signals():
        for number in NOTED:
            signal.signal(number, signal.SIG_DFL)

    def run(send):
        command = [*TRAIN, *small[: small.index("--batch-tokens")], "--run", str(tmp_path / "run")]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, preexec_fn=default_signals, **streams)
        while not (line := process.stdout.readline()).startswith("epoch   1"):
            assert line, process.stderr.read()
        send(process)
        out, err = process.communicate(timeout=60)
        assert err == ""
        return process.returncode, out, RunFolder(tmp_path / "run")

    return run


@pytest.mark.long
@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_terminated_training_saves_and_prints_resume_command(stopped, number, status):
    ended, out, folder = stopped(lambda process: process.send_signal(getattr(signal, number)))
    assert ended == status
    last = len(folder.log_path.read_text().splitlines()) - 1
    assert (
        f"stopped and saved after update {last}; continue with\n  npformer train --resume {folder.path}\n"
        in out
    )


@pytest.mark.parametrize("number", NOTED)
def test_ctrl_c_after_signal_stops_and_restores_handlers(number):
    before = [signal.getsignal(noted) for noted in NOTED]
    with pytest.raises(KeyboardInterrupt), _note_signals() as received:
        signal.raise_signal(number)
        assert received == [number]
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("Ctrl-C should have stopped this")
    assert [signal.getsignal(noted) for noted in NOTED] == before


def test_signal_that_is_ignored_as_under_nohup_stops_nothing():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with _note_signals() as received:
        signal.raise_signal(signal.SIGHUP)
    assert received == []


def test_handler_that_python_cannot_put_back_stays(monkeypatch):
    # as getsignal says of a handler of C code
    monkeypatch.setattr(signal, "getsignal", lambda number: None)
    set_handlers = []
    monkeypatch.setattr(signal, "signal", lambda *given: set_handlers.append(given))
    with _note_signals():
        pass
    assert set_handlers == []
