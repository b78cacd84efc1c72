"""Answers that misbehave: the other parts keep their points, the checker ends in time, and nothing is left behind."""

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from npformer.classroom.cells import Cell
from npformer.classroom.execution import Job, make_call
from npformer.classroom.exercise import Call, Exercise, Prediction, module_of
from npformer.classroom.exercise_at_seed import Case
from npformer.classroom.grade import check
from npformer.classroom.sandbox.forkserver import Started
from npformer.classroom.sandbox.runner import Sandbox

SECONDS, PATIENCE = 1.0, 30.0  # where time is to run out, and where it is not, though the machine be busy
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and orphans are Linux's")
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
    from npformer.classroom import index as course

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
    answer = sandbox.run(case.exercise, text, case.jobs[:1]).answers[0]
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


def test_an_answer_may_lose_its_folder(case, sandbox):
    setup = "import os, shutil\nshutil.rmtree(os.getcwd())\n"
    assert outcomes(case, setup + RIGHT, sandbox) == ["right"] * 4


def test_of_what_is_printed_the_beginning_is_kept(case, sandbox):
    ran = sandbox.run(case.exercise, with_line("print('a' * 10**7)", setup="print('hello')\n"), case.jobs)
    assert ran.printed.startswith("hello\naaa") and len(ran.printed) == 10_000


def test_numpy_in_pieces_costs_only_the_answer_that_broke_it(case, sandbox):
    text = RIGHT + "\nfor name in ('savez', 'load', 'array', 'errstate', 'sum', 'mean'): setattr(np, name, None)\n"
    assert "right" not in outcomes(case, text, sandbox)
    assert outcomes(case, RIGHT, sandbox) == ["right"] * 4


def test_a_loop_while_loading_ends(case, hasty_sandbox):
    start = time.monotonic()
    assert outcomes(case, "while True: pass", hasty_sandbox)[:3] == ["timeout"] * 3
    assert time.monotonic() - start < PATIENCE


def test_the_child_has_an_empty_folder_no_input_and_a_scrubbed_environment(case, sandbox, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    setup = "import os\nprint(os.listdir(), sorted(os.environ), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    fresh = Sandbox(PATIENCE)
    with fresh:
        printed = fresh.run(case.exercise, setup + RIGHT, case.jobs).printed
    assert printed.startswith("[] [") and printed.rstrip().endswith(" 1") and "TOKEN" not in printed


def test_the_child_writes_and_finds_libraries_where_the_checker_does(case, monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path), prepend=os.pathsep)
    setup = "import os\nprint(os.getcwd(), os.environ.get('LD_LIBRARY_PATH'), sep='\\n')\n"
    with Sandbox(PATIENCE) as fresh:
        place, libraries = fresh.run(case.exercise, setup + RIGHT, case.jobs[:1]).printed.splitlines()
    assert tmp_path.resolve() in Path(place).parents and libraries == os.environ["LD_LIBRARY_PATH"]


@LINUX
def test_nothing_is_left_running(case, sandbox):
    setup = "import os, subprocess, time\n"
    leave = "subprocess.Popen(['sleep', '4711'], start_new_session=True); pid = os.fork(); pid or time.sleep(4712)"
    assert outcomes(case, with_line(leave, setup), sandbox) == ["right"] * 4
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if readable(path)]
    assert not any(b"4711" in command for command in commands)


def readable(path):
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


@pytest.mark.long
def test_a_call_that_fails_costs_only_its_own_parts(sandbox, monkeypatch):
    text = "def first(x):\n    while True: pass\ndef second(x):\n    return 2 * x\n"
    jobs = [Job(name, {"x": np.arange(3.0)}) for name in ("first", "first", "second", "second")]
    exercise = two_calls()
    from npformer.classroom import index as course
    from npformer.classroom.sandbox import worker as child

    monkeypatch.setattr(course, "load", lambda id: exercise)
    from npformer.classroom.sandbox.forkserver import serve
    from npformer.classroom.sandbox.protocol import pack

    header = {"exercise": "two", "text": text, "jobs": [(job.call, {}) for job in jobs], "seconds": 0.3}
    request = pack(header, {f"{i} x": job.inputs["x"] for i, job in enumerate(jobs)})[8:]
    assert child.course is course
    found = serve(request)
    assert [answer.state for answer, _ in found] == ["timeout", "timeout", "done", "done"]
    assert found[3][0].values[0].tolist() == [0, 2, 4]


def two_calls():
    """Return an exercise of two functions."""

    def first(student, x):
        return student.first(x)

    def second(student, x):
        return student.second(x)

    calls = Call(first, {"a": 1}), Call(second, {"b": 1})
    prediction = Prediction("?", {"a": ""}, "a", "")
    cells = (Cell("# # Two", markdown=True), Cell(""))
    return Exercise("two", 1, 3, 1, 1, (), "00", cells, lambda draw: {}, calls, prediction, (), (), ())


def test_a_nursery_that_dies_is_replaced(case):
    with Sandbox(PATIENCE) as box:
        assert outcomes(case, RIGHT, box) == ["right"] * 4
        box.process.kill()
        box.process.wait()
        assert outcomes(case, RIGHT, box) == ["right"] * 4


def test_closing_ends_the_process(case):
    box = Sandbox(PATIENCE)
    box.run(case.exercise, RIGHT, case.jobs)
    process = box.process
    box.close()
    assert process.poll() is not None
    box.close()


def test_without_fork_a_fresh_python_answers(case, monkeypatch):
    from npformer.classroom.sandbox import forkserver as nursery
    from npformer.classroom.sandbox.protocol import pack, split

    monkeypatch.setattr(nursery, "start", lambda request, folder, results, seconds: Started(request, folder, results))
    values, arrays = split(case.jobs[0].inputs)
    header = {"exercise": case.exercise.id, "text": RIGHT, "jobs": [("backward", values)], "seconds": 20}
    ((answer, _),) = nursery.serve(pack(header, {f"0 {name}": x for name, x in arrays.items()})[8:])
    here = make_call(module_of(RIGHT), case.exercise.calls[0], case.jobs[0].inputs)
    assert [a.tobytes() for a in answer.values] == [b.tobytes() for b in here.values]


def test_what_is_read_from_the_child_is_never_unpickled(case, sandbox):
    text = with_line("return np.array([print], dtype=object), dy, gain")
    answer = sandbox.run(case.exercise, text, case.jobs[:1]).answers[0]
    assert answer.values[0] == "an array of object"


def test_the_rights_of_the_folder_go_with_it(case, sandbox):
    text = with_line("import os; os.makedirs('a/b', exist_ok=True); os.chmod('a', 0)")
    before = {*os.listdir(Path(os.environ.get("TMPDIR", "/tmp")))}
    outcomes(case, text, sandbox)
    after = {*os.listdir(Path(os.environ.get("TMPDIR", "/tmp")))}
    assert not {name for name in after - before if name.startswith("answer")}
