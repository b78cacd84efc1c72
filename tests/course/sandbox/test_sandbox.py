"""Answers that misbehave: other parts keep their points, and nothing is left behind."""

import io
import os
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from threading import Timer

import numpy as np
import pytest

from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.definition import module_of
from npformer_course.execution import Answer
from npformer_course.sandbox import in_process, runner
from npformer_course.sandbox.protocol import LONGEST_TEXT, pack_answer, read_answers
from npformer_course.sandbox.runner import Sandbox, SandboxError
from npformer_course.sandbox.worker import (
    CPU_SECONDS,
    FILE_BYTES,
    MEMORY_BYTES,
    PRINTED_CHARACTERS,
    Printed,
)

SECONDS = 0.3  # where time is to run out
PATIENCE = 30.0  # where it is not, on a busy machine
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits are Linux's")
RIGHT = """
import numpy as np


def layer_norm_backward(dy, xhat, rstd, gain):
    dxhat = dy * gain
    projection = (dxhat * xhat).mean(-1, keepdims=True)
    dx = rstd * (dxhat - dxhat.mean(-1, keepdims=True) - xhat * projection)
    return dx, (dy * xhat).sum((0, 1)), dy.sum((0, 1))
"""


FORGED = """from npformer_course.sandbox.protocol import pack_answer
    from npformer_course.execution import Answer
    import os
    os.write(3, pack_answer(1, Answer("done", (np.ones(1),)), ""))"""


@pytest.fixture(scope="module")
def short_timeout_sandbox():
    return Sandbox(SECONDS)


@pytest.fixture(scope="module")
def sandbox():
    return Sandbox(PATIENCE)


@pytest.fixture(scope="module")
def case():
    return Case(course.load("layer_norm_backward"), 0)


def outcomes(case, text, sandbox):
    return [part.outcome for part in check(case, text, sandbox.run).parts]


def answer_with_line(line, setup=""):
    """Return an answer whose function begins with a line."""
    return setup + RIGHT.replace("    dxhat = dy * gain\n", f"    {line}\n    dxhat = dy * gain\n")


def test_correct_answer_passes_in_child_process(case, sandbox):
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
        "return 'dx', 'dgain', 'dbias'": "wrong",
        "return np.zeros(10**7), None, [[1], [1, 2]]": "wrong",
    }.items(),
    ids=str,
)
def test_misbehaving_answer_fails_its_parts(case, sandbox, short_timeout_sandbox, line, outcome):
    box, start = short_timeout_sandbox if outcome == "timeout" else sandbox, time.monotonic()
    assert outcomes(case, answer_with_line(line), box)[:3] == [outcome] * 3
    assert time.monotonic() - start < PATIENCE


@LINUX
def test_unbounded_memory_use_is_an_error(case, sandbox):
    text = answer_with_line("hoard = [bytearray(1 << 24) for _ in range(1 << 20)]")
    answer = sandbox.run(case.exercise, text, case.jobs()[:1])[0][0]
    assert answer.error.startswith("MemoryError") or answer.state == "timeout"


def test_harmless_statements_lose_no_points(case, sandbox):
    lines = [
        "import os, sys, threading, time",
        "print('x' * 2 * 10**7)",
        "os.write(1, b'x' * 10**6)",
        "open('junk', 'w').write('x')",
        "threading.Thread(target=time.sleep, args=(60,)).start()",
        "sys.stdout.close()",
    ]
    assert outcomes(case, answer_with_line("; ".join(lines)), sandbox) == ["right"] * 4


def test_endless_loop_at_load_times_out(case, short_timeout_sandbox):
    start = time.monotonic()
    assert outcomes(case, "while True: pass", short_timeout_sandbox)[:3] == ["timeout"] * 3
    assert time.monotonic() - start < PATIENCE


def test_child_has_empty_folder_and_clean_environment(case, sandbox, monkeypatch):
    monkeypatch.setenv("TOKEN_OF_THE_TEACHER", "secret")
    setup = "import os\n"
    setup += "print(os.listdir(), sorted(os.environ), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    printed = sandbox.run(case.exercise, setup + RIGHT, case.jobs())[1]
    assert printed.startswith("[] [") and printed.rstrip().endswith(" 1") and "TOKEN" not in printed


def test_answer_cannot_import_files_of_the_current_folder(case, sandbox, tmp_path, monkeypatch):
    """Which `python -m npformer` has in sys.path, unlike the program npformer."""
    (tmp_path / "helper_of_the_answer.py").write_text("")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    runner.end_idle_processes()
    text = "import helper_of_the_answer\n" + RIGHT
    answer = sandbox.run(case.exercise, text, case.jobs()[:1])[0][0]
    assert answer.error == "ModuleNotFoundError: No module named 'helper_of_the_answer'"


def loops(*names):
    return "".join(f"def {name}(*inputs):\n    while True: pass\n\n\n" for name in names)


def test_calls_after_an_endless_loop_get_a_sixth_of_the_time_and_none_again(monkeypatch):
    exercise = course.load("numpy")
    jobs = Case(exercise, 0).jobs()
    box = Sandbox(0.6)
    text = f"print('hello')\n{loops('center', 'scale', 'pick')}"
    answers, printed = box.run(exercise, text, jobs)
    errors = [answer.error for answer in answers[::3]]
    assert errors == ["no end after 0.6 s", "no end after 0.1 s", "no end after 0.1 s"]

    assert printed == "hello\n"  # though each of three processes has loaded the file

    monkeypatch.setattr(runner, "_run", None)  # nothing runs the second time
    assert box.run(exercise, text, jobs)[0] == answers


def states(exercise, text, seconds):
    """The state and the error of the last answer of each call."""
    jobs = Case(exercise, 0).jobs()
    answers, _ = Sandbox(seconds).run(exercise, text, jobs)
    return {
        call: (answer.state, answer.error) for (call, _), answer in zip(jobs, answers, strict=True)
    }


def test_loading_has_the_whole_time_after_an_endless_loop_too():
    others = "def scale(*inputs):\n    return 1\n\n\ndef pick(*inputs):\n    return 1\n"
    text = f"import time\ntime.sleep(0.5)\n{loops('center')}{others}"
    assert states(course.load("numpy"), text, 2.4) == {
        "on_center": ("timeout", "no end after 2.4 s"),
        "on_scale": ("done", ""),
        "on_pick": ("done", ""),
    }


def test_call_keeps_its_error_where_the_file_cannot_be_loaded_again(tmp_path):
    folder = str(tmp_path / "made by loading")
    text = f"from pathlib import Path\nPath({folder!r}).mkdir()\n{loops('center')}"
    found = states(course.load("numpy"), text, 0.9)
    assert found["on_center"] == ("timeout", "no end after 0.9 s")
    assert found["on_scale"][1].startswith("FileExistsError")


def test_calls_in_a_notebook_have_as_much_time(monkeypatch):
    monkeypatch.setattr(in_process, "SECONDS", 0.12)
    exercise = course.load("numpy")
    student = module_of(loops("center", "scale", "pick"))
    answers, _ = in_process.answers_here(exercise, student, Case(exercise, 0).jobs())
    errors = [answer.error for answer in answers]
    assert errors == [*["no end after 0.12 s"] * 3, *["no end after 0.02 s"] * 6]


def test_beginning_of_what_is_printed_is_kept():
    printed = Printed()
    assert printed.write("a" * (PRINTED_CHARACTERS - 1)) == PRINTED_CHARACTERS - 1
    assert printed.write("bc") == 2
    printed.write("d")
    assert printed.take() == "a" * (PRINTED_CHARACTERS - 1) + "b"
    printed.write("e")  # no room comes back
    assert printed.take() == ""


def test_each_call_has_the_whole_time():
    exercise = course.load("heads")
    text = "import time\n\n\ndef split_heads(x, n_heads):\n    time.sleep(0.15)\n    return x\n"
    answers, _ = Sandbox(1.2).run(exercise, text, 5 * Case(exercise, 0).jobs()[:1])
    assert [answer.state for answer in answers] == ["done"] * 5


def test_each_submission_runs_in_a_new_process(case, sandbox):
    tell = "import os\nprint(os.getpid())"
    said = [sandbox.run(case.exercise, f"{tell}{extra}\n{RIGHT}", case.jobs())[1] for extra in " #"]
    assert said[0] != said[1]


def test_process_its_children_and_its_folder_are_removed(case, sandbox):
    told = "print(os.getcwd(), subprocess.Popen(['sleep', '4711']).pid)"
    text = f"import os, subprocess\n{told}\n{RIGHT}"
    folder, child = sandbox.run(case.exercise, text, case.jobs())[1].split()
    assert not Path(folder).exists()
    wait_until(lambda: b"4711" not in command_of(child))


FILES = "[int(n) for n in os.listdir('/proc/self/fd')]"


EACH = f"import os\n    for n in {FILES}: os.path.exists(f'/proc/self/fd/{{n}}')"
WRITING = [
    f"{EACH} and os.write(n, b'\\xff' * 64)",
    f"{EACH} and os.write(n, bytes(8))",
    "import os\n    os.pwrite(3, bytes(9), 0)",
    "import os\n    os.ftruncate(3, 0)",
    FORGED,
]


@LINUX
def test_writing_to_open_files_affects_only_that_submission(case, sandbox):
    for line in WRITING:
        report = check(case, answer_with_line(line), sandbox.run)
        assert {part.outcome for part in report.parts[:3]} == {"error"} and report.points == 0, line
    assert outcomes(case, RIGHT, sandbox) == ["right"] * 4


@LINUX
def test_process_has_only_its_results_file_open(case, sandbox, tmp_path):
    setup = "import os\nfor n in range(99):\n"
    setup += "    if os.path.exists(f'/dev/fd/{n}'): print(n, os.readlink(f'/dev/fd/{n}'))\n"
    with open(tmp_path / "another answer", "w") as file:
        os.set_inheritable(file.fileno(), True)
        files = sandbox.run(case.exercise, setup + RIGHT, case.jobs())[1].splitlines()
    assert (
        files[:3] == [f"{n} /dev/null" for n in range(3)]
        and len(files) == 4
        and files[3].endswith("/results")
    )


@LINUX
@pytest.mark.parametrize(
    ("line", "found"),
    {
        "os.fork() or (os.setsid(), time.sleep(50), os._exit(0))": ("right",),
        "os.kill(os.getppid(), signal.SIGKILL)": ("error", "right"),
        "os.kill(os.getpid(), signal.SIGSTOP)": ("timeout",),
        "faulthandler.cancel_dump_traceback_later(); time.sleep(60)": ("timeout",),
    }.items(),
    ids=str,
)
def test_answer_cannot_block_the_checker(case, monkeypatch, line, found):
    ends = "right" in found
    monkeypatch.setattr(runner, "START_SECONDS", 5 if ends else 1)
    start = time.monotonic()
    text = answer_with_line(line, "import faulthandler, os, signal, time\n")
    assert {*outcomes(case, text, Sandbox(1 if ends else SECONDS))[:3]} <= {*found}
    assert time.monotonic() - start < 2 * PATIENCE


@LINUX
def test_stopped_parent_process_does_not_stop_the_check(case):
    start = time.monotonic()
    text = answer_with_line("os.kill(os.getppid(), signal.SIGSTOP)", "import os, signal\n")
    assert (
        outcomes(case, text, Sandbox(PATIENCE)) == ["right"] * 4
        and time.monotonic() - start < PATIENCE
    )


@LINUX
def test_killed_checker_leaves_no_folder(tmp_path):
    answer = f"import time\nopen({str(tmp_path / 'begun')!r}, 'w')\ntime.sleep(60)"
    lines = (
        "from npformer_course import course",
        "from npformer_course.sandbox.runner import Sandbox",
        f"Sandbox(2).run(course.load('softmax'), {answer!r}, [('softmax', {{}})])",
    )
    place = tmp_path / "temporary"
    place.mkdir()
    checker = subprocess.Popen(
        [sys.executable, "-c", "\n".join(lines)], env=os.environ | {"TMPDIR": str(place)}
    )
    wait_until((tmp_path / "begun").exists)
    assert [*place.iterdir()]
    checker.kill()
    checker.wait()
    wait_until(lambda: not [*place.iterdir()])


def wait_until(holds):
    start = time.monotonic()
    while not holds():
        assert time.monotonic() - start < PATIENCE
        time.sleep(0.05)


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@LINUX
def test_memory_file_size_and_cpu_time_are_limited(case, sandbox):
    text = "import os, resource as r\n"
    text += "for w in (r.RLIMIT_AS, r.RLIMIT_FSIZE, r.RLIMIT_CPU): print(r.getrlimit(w)[0])\n"
    memory, size, seconds = map(
        int, sandbox.run(case.exercise, text + RIGHT, case.jobs())[1].split()
    )
    assert MEMORY_BYTES < memory < MEMORY_BYTES + (4 << 30)
    assert (size, seconds) == (FILE_BYTES, CPU_SECONDS)


def test_worker_that_cannot_start_is_an_error_of_the_sandbox(case):
    with pytest.raises(SandboxError, match="no process for an answer could be started"):
        Sandbox(PATIENCE, worker="npformer_course.nowhere").run(case.exercise, RIGHT, case.jobs())


def test_answer_runs_though_its_waiting_processes_were_killed(case, sandbox):
    assert outcomes(case, RIGHT, sandbox) == ["right"] * 4
    # more than the attempts to run an answer
    runner._idle[sandbox.worker] += [runner.start_process(sandbox.worker) for _ in range(3)]
    for process in runner._idle[sandbox.worker]:
        process.kill()
        process.wait()
    assert outcomes(case, f"{RIGHT}\n", sandbox) == ["right"] * 4


def test_results_that_could_not_be_written_fail_or_end_the_check(case, sandbox, monkeypatch):
    text = answer_with_line("import os; os.close(3)")
    report = check(case, text, sandbox.run)
    assert {part.outcome for part in report.parts[:3]} == {"error"}
    assert "the process could not write its results" in report.parts[0].finding.text

    def raise_full_disk():
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(runner, "_check_room", raise_full_disk)
    with pytest.raises(SandboxError, match="No space left on device"):
        check(case, f"{text}\n", sandbox.run)


@LINUX
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("import os; os.close(3)", "the process could not write its results"),
        ("import os; os.kill(os.getpid(), 9)", "the process was ended by signal 9"),
    ],
)
def test_missing_results_are_an_answers_own_only_where_it_runs_alone(case, line, error):
    call, jobs = answer_with_line(line), case.jobs()[:1]
    with pytest.raises(SandboxError, match=f"could not be run next to others: {error}"):
        Sandbox(PATIENCE, alone=False).run(case.exercise, call, jobs)
    [answer], _ = Sandbox(PATIENCE).run(case.exercise, call, jobs)
    assert (answer.state, answer.error) == ("died", error)


FAILING = """
import {module}

def fail(which, *arguments, **settings):
    if which in {for_}:
        raise {error}
    return whole(which, *arguments, **settings)

whole = {module}.{name}
{module}.{name} = fail
"""


@LINUX
@pytest.mark.parametrize(
    ("module", "name", "for_", "error"),
    [
        ("faulthandler", "dump_traceback_later", f"[{PATIENCE}]", "RuntimeError"),  # no thread
        ("resource", "setrlimit", "[resource.RLIMIT_AS]", "ValueError"),  # ulimit -v
        ("os", "mkdir", "[which]", "OSError"),  # a full disk
    ],
)
def test_process_that_cannot_get_ready_is_an_error_of_the_sandbox(
    case, monkeypatch, module, name, for_, error
):
    entry = FAILING.format(module=module, name=name, for_=for_, error=error) + runner.ENTRY
    monkeypatch.setattr(runner, "ENTRY", entry)
    monkeypatch.setattr(runner, "_idle", defaultdict(list))
    with pytest.raises(SandboxError, match=r"no process .* limits of this shell \(ulimit\)"):
        Sandbox(PATIENCE).run(case.exercise, RIGHT, case.jobs()[:1])
    runner.end_idle_processes()


def test_process_is_ended_where_its_timer_cannot_start(case, monkeypatch):
    class NoThread(Timer):
        def start(self):
            raise RuntimeError("can't start new thread")

    monkeypatch.setattr(runner, "_idle", defaultdict(list))
    Sandbox(PATIENCE).run(case.exercise, RIGHT, case.jobs()[:1])
    (processes,) = runner._idle.values()
    (process,) = processes
    monkeypatch.setattr(runner, "Timer", NoThread)
    with pytest.raises(SandboxError, match="can't start new thread"):
        Sandbox(PATIENCE).run(case.exercise, RIGHT, case.jobs()[:1])
    assert not processes and process.returncode is not None


WITHOUT_NAMES_OF_UNIX = f"""
import os, signal
del os.fork, os.setsid, os.killpg, signal.SIGKILL
from npformer_course import course
from npformer_course.case import Case
from npformer_course.check_answer import check
from npformer_course.sandbox import runner

runner.ENTRY = "import os, signal; del os.fork, os.setsid, os.killpg, signal.SIGKILL" + runner.ENTRY
case = Case(course.load("layer_norm_backward"), 0)
right = {RIGHT!r}
wrong = {answer_with_line("gain = gain + 1")!r}
endless = {answer_with_line("while True: pass")!r}
for seconds, text in (({PATIENCE}, right), ({PATIENCE}, wrong), ({SECONDS}, endless)):
    print(*(part.outcome for part in check(case, text, runner.Sandbox(seconds).run).parts[:3]))
"""


@LINUX
def test_answers_are_checked_without_the_names_that_windows_lacks():
    command = [sys.executable, "-c", WITHOUT_NAMES_OF_UNIX]
    result = subprocess.run(command, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == "right right right\nwrong right right\ntimeout timeout timeout\n"


def test_answers_are_never_unpickled(case, sandbox):
    text = answer_with_line("return np.array([print], dtype=object), dy, gain")
    assert sandbox.run(case.exercise, text, case.jobs()[:1])[0][0].values[0] == "an array of object"


@pytest.mark.parametrize(
    "message",
    [
        pack_answer(0, Answer("done"), ""),  # the number of another answer
        pack_answer(1, Answer("timeout"), ""),
        pack_answer(1, Answer("done", changed=3), ""),
        pack_answer(1, Answer("done", frames=(3,)), ""),
        pack_answer(1, Answer("done", frames=((1, 2, 3),)), ""),
        pack_answer(1, Answer("done", (np.ones(9),)), "")[:-1],
        b"\xff" * 64,
    ],
    ids=range(7),
)
def test_invalid_answer_messages_are_not_read(message):
    answers, _, rest = read_answers(io.BytesIO(pack_answer(0, Answer("done"), "") + message))
    assert len(answers) == 1 and rest == message


def test_a_long_error_in_a_message_is_cut():
    answer = Answer("done", error="b" * 10**6)
    [back], _, _ = read_answers(io.BytesIO(pack_answer(0, answer, "")))
    assert back.error == "b" * LONGEST_TEXT


def test_messages_keep_numeric_arrays_and_describe_other_values():
    values = np.ones(2), np.array(["x"]), np.array(["2017-06-12"], "M8[D]"), "None"
    answer = Answer("done", values, False, ("x",), False, frames=(("f", "line 3"),))
    [back, _], printed, rest = read_answers(
        io.BytesIO(pack_answer(0, answer, "h") + pack_answer(1, answer, "i"))
    )
    assert (printed, rest, back.values[0].tolist()) == ("hi", b"", [1, 1])
    assert back.values[1:] == ("an array of <U1", "an array of datetime64[D]", "None")
    assert replace(back, values=()) == replace(answer, values=())
