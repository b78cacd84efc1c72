"""Answers that misbehave: the other parts keep their points, the checker ends in time, and nothing is left behind."""

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from npformer.classroom import index as course
from npformer.classroom.execution import Answer
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.grade import check
from npformer.classroom.sandbox.protocol import pack_answer, pack_job, unpack, unpack_answer
from npformer.classroom.sandbox.runner import Sandbox
from npformer.classroom.sandbox.worker import CPU_SECONDS, FILE_BYTES, MEMORY_BYTES

SECONDS, PATIENCE = 1.0, 30.0  # where time is to run out, and where it is not, though the machine be busy
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")
RIGHT = """
import numpy as np


def layer_norm_backward(dy, xhat, rstd, gain):
    dxhat = dy * gain
    dx = rstd * (dxhat - dxhat.mean(-1, keepdims=True) - xhat * (dxhat * xhat).mean(-1, keepdims=True))
    return dx, (dy * xhat).sum((0, 1)), dy.sum((0, 1))
"""


@pytest.fixture(scope="module")
def hasty_sandbox():
    with Sandbox(SECONDS) as box:
        yield box


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(PATIENCE) as box:
        yield box


@pytest.fixture(scope="module")
def case():
    return Case(course.load("layer_norm_backward"), 0)


def outcomes(case, text, sandbox):
    return [part.outcome for part in check(case, text, sandbox.run).parts]


def with_line(line, setup=""):
    """Return an answer whose function begins with a line."""
    return setup + RIGHT.replace("    dxhat = dy * gain\n", f"    {line}\n    dxhat = dy * gain\n")


def test_a_right_answer_is_right_in_the_child_as_here(case, sandbox):
    report = check(case, RIGHT, sandbox.run)
    assert (report.points, report.out_of, report.passed) == (8, 8, True)


@pytest.mark.parametrize(
    ("line", "outcome"),
    {
        "while True: pass": "timeout",
        "import time; time.sleep(60)": "timeout",
        "import sys; sys.exit(0)": "error",
        "import os; os._exit(0)": "error",
        "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)": "error",
        "raise KeyboardInterrupt": "error",
        "input()": "error",
        "layer_norm_backward(dy, xhat, rstd, gain)": "error",
        "return object()": "wrong",
        "return (i for i in range(3))": "wrong",
        "return 'dx', 'dgain', 'dbias'": "wrong",
        "return np.zeros(10**7), None, [[1], [1, 2]]": "wrong",
    }.items(),
    ids=str,
)
def test_an_answer_that_misbehaves_costs_its_own_parts(case, sandbox, hasty_sandbox, line, outcome):
    box, start = hasty_sandbox if outcome == "timeout" else sandbox, time.monotonic()
    assert outcomes(case, with_line(line), box)[:3] == [outcome] * 3
    assert time.monotonic() - start < PATIENCE
    assert outcomes(case, RIGHT, sandbox) == ["right"] * 4


@LINUX
def test_memory_without_end_is_an_error(case, sandbox):
    text = with_line("hoard = [bytearray(1 << 24) for _ in range(1 << 20)]")
    report = check(case, text, sandbox.run, explained=False)
    assert {part.outcome for part in report.parts[:3]} <= {"error", "timeout"}
    answer = sandbox.run(case.exercise, text, case.jobs[:1])[0][0]
    assert answer.error.startswith("MemoryError") or answer.state == "timeout"


@pytest.mark.parametrize(
    "line",
    [
        "print('x' * 2 * 10**7)",
        "import os; os.write(1, b'x' * 10**6)",
        "open('junk', 'w').write('x')",
        "import threading, time; threading.Thread(target=time.sleep, args=(60,)).start()",
        "import sys; sys.stdout.close()",
    ],
)
def test_what_does_no_harm_costs_nothing(case, sandbox, line):
    assert outcomes(case, with_line(line), sandbox) == ["right"] * 4


def test_a_loop_while_loading_ends(case, hasty_sandbox):
    start = time.monotonic()
    assert outcomes(case, "while True: pass", hasty_sandbox)[:3] == ["timeout"] * 3
    assert time.monotonic() - start < PATIENCE


def test_the_child_has_an_empty_folder_no_input_and_a_scrubbed_environment(case, sandbox, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    setup = "import os\nprint(os.listdir(), sorted(os.environ), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    fresh = Sandbox(PATIENCE)
    with fresh:
        printed = fresh.run(case.exercise, setup + RIGHT, case.jobs)[1]
    assert printed.startswith("[] [") and printed.rstrip().endswith(" 1") and "TOKEN" not in printed


def loops(*names):
    return "".join(f"def {name}(*inputs):\n    while True: pass\n\n\n" for name in names)


def test_after_an_endless_loop_the_other_calls_get_a_sixth_of_the_time_and_the_loop_is_not_run_again():
    exercise = course.load("heads")
    jobs = Case(exercise, 0).jobs
    with Sandbox(1.2) as box:
        answers, _ = box.run(exercise, loops("split_heads", "merge_heads", "mask_of_heads"), jobs)
        start = time.monotonic()
        again, _ = box.run(exercise, loops("split_heads", "merge_heads", "mask_of_heads"), jobs)
        assert again == answers and time.monotonic() - start < 1
    assert [answer.error for answer in answers[::3]] == ["no end after 1.2 s", *["no end after 0.2 s"] * 2]


def test_a_call_that_does_not_end_costs_only_its_own_parts():
    exercise = course.load("heads")
    text = exercise.key.replace("def merge_heads", f"{loops('split_heads')}def merge_heads")
    with Sandbox(PATIENCE / 10) as box:
        answers, _ = box.run(exercise, text, Case(exercise, 0).jobs)
    assert [answer.state for answer in answers] == ["timeout"] * 3 + ["done"] * 6


def test_each_submission_has_a_new_process_and_a_dead_one_is_replaced(case, sandbox):
    tell = "import os\nprint(os.getpid())"
    said = [sandbox.run(case.exercise, f"{tell}{extra}\n{RIGHT}", case.jobs)[1] for extra in " #"]
    assert said[0] != said[1]
    sandbox._process.popen.kill()
    sandbox._process.popen.wait()
    assert "right" not in outcomes(case, f"{tell}#\n{RIGHT}", sandbox)
    assert outcomes(case, RIGHT, sandbox) == ["right"] * 4


def test_closing_ends_the_process_what_it_started_and_its_folder(case):
    box = Sandbox(PATIENCE)
    text = f"import os, subprocess\nprint(os.getcwd(), subprocess.Popen(['sleep', '4711']).pid)\n{RIGHT}"
    folder, child = box.run(case.exercise, text, case.jobs)[1].split()
    process = box._process.popen
    box.close()
    assert process.poll() is not None and not Path(folder).exists()
    assert sys.platform != "linux" or b"4711" not in command_of(child)
    box.close()


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@LINUX
def test_memory_files_and_time_of_the_processor_are_limited(case, sandbox):
    text = (
        "import os, resource as r\nprint(*(r.getrlimit(w)[0] for w in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CPU)))\n"
    )
    memory, size, seconds = map(int, sandbox.run(case.exercise, text + RIGHT, case.jobs)[1].split())
    assert MEMORY_BYTES < memory < MEMORY_BYTES + (4 << 30)
    assert (size, seconds) == (FILE_BYTES, CPU_SECONDS)


def test_answers_are_never_unpickled(case, sandbox):
    text = with_line("return np.array([print], dtype=object), dy, gain")
    assert sandbox.run(case.exercise, text, case.jobs[:1])[0][0].values[0] == "an array of object"


def test_messages_keep_every_kind_of_value():
    job = "call", {"x": np.arange(3.0), "n": 2, "names": ["a"], "mask": np.array([True])}
    header, arrays = unpack(pack_job(job)[8:])
    assert (header["call"], header["inputs"]) == ("call", {"n": 2, "names": ["a"]})
    assert arrays["x"].tolist() == [0, 1, 2] and arrays["mask"].dtype == bool
    answer = Answer("done", (np.ones(2), "None"), False, ("x",), False, frames=(("f", 3),))
    back, printed = unpack_answer(pack_answer(answer, "hi")[8:])
    assert printed == "hi" and back.values[0].tolist() == [1, 1]
    assert replace(back, values=()) == replace(answer, values=())
