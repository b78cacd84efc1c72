"""Runs of the tasks that read one text: options that train in a blink, and a run of each, not to
be changed; Ctrl-C.
"""

import io
import signal

import pytest

from npformer.cli import main
from npformer.runs.training_run import Run
from tests.small_models import QUICK_TRAINING

TEXT = "".join(
    f"the {noun} {verb}.\n"
    for noun in ("dog", "cat", "boy", "fox")
    for verb in ("sleeps", "sings", "runs")
)


@pytest.fixture(scope="session")
def single_stack_options():
    """The options of a small model of one column, except for its depth."""
    sizes = ["--d-model", "16", "--d-ff", "24", "--n-heads", "2", "--max-len", "16"]
    return [*sizes, *QUICK_TRAINING]


@pytest.fixture(scope="session")
def running_text(tmp_path_factory):
    path = tmp_path_factory.mktemp("running") / "text.txt"
    path.write_text(TEXT * 4, encoding="utf-8")
    return path


def train(folder, *options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("npformer.runs.training_run.Run.plot_curves", lambda run: None)
        assert main(["train", *map(str, options), "--run", str(folder)]) == 0
    return folder


@pytest.fixture(scope="session")
def text_run(tmp_path_factory, running_text, single_stack_options):
    folder = tmp_path_factory.mktemp("runs") / "text"
    return train(
        folder,
        "--text",
        running_text,
        *single_stack_options,
        "--n-decoder-layers",
        "2",
        "--epochs",
        "3",
    )


@pytest.fixture
def watch_output(monkeypatch):
    """Take standard output, and return what tells whether all that was printed was flushed."""

    def watch():
        stream = io.StringIO()
        shown = [""]
        stream.flush = lambda: shown.append(stream.getvalue())
        monkeypatch.setattr("sys.stdout", stream)
        return lambda: shown[-1] == stream.getvalue() != ""

    return watch


@pytest.fixture
def usual_signals():
    """Handle signals as in a terminal, also where all tests were started by nohup or &, which
    ignore some.
    """
    usual = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def press_ctrl_c(monkeypatch, usual_signals):
    """Press Ctrl-C in the n-th update of a training; 0 is never."""
    usual = Run.updates

    def press(n):
        def updates(run):
            for number, update in enumerate(usual(run), start=1):
                if number == n:
                    signal.raise_signal(signal.SIGINT)
                yield update

        monkeypatch.setattr(Run, "updates", updates)

    return press
