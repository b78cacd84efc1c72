"""What Windows and macOS lack, or do otherwise, taken away from this system: all still works."""

import json
import os
import subprocess
import sys

import pytest

import npformer as npf
from npformer import InputError
from npformer.cli import standard_streams
from npformer.training import data_parallel
from npformer.utils import n_cores, write_atomic

# Windows has none of these names; a default encoding, which is not UTF-8 there, is an error
LIKE_WINDOWS = """
import os, signal, sys, warnings
import sacrebleu  # whose locks are of another library on Windows
for name in ("fork", "forkpty", "killpg", "setsid", "getpgid", "sched_getaffinity", "mkfifo"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGCONT", "SIGSTOP", "SIGXCPU", "SIGQUIT", "SIGALRM"):
    if hasattr(signal, name):
        delattr(signal, name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
warnings.filterwarnings("error", category=EncodingWarning, module="npformer")
"""
IMPORT_ALL = """
from importlib import import_module
from pkgutil import walk_packages
import npformer, npformer_course
for package in (npformer, npformer_course):
    for module in walk_packages(package.__path__, package.__name__ + "."):
        if ".exercises." not in module.name and not module.name.endswith("__main__"):
            try:
                import_module(module.name)
            except npformer.MissingExtraError:
                pass
"""
RUN_VERBS = """
import json
from npformer.cli import main
from npformer.training import data_parallel
data_parallel._can_fork = lambda communicator: False
for verb in json.loads(sys.argv[1]):
    if main(verb) != 0:
        sys.exit(f"{verb} failed")
"""


def run_like_windows(program, *arguments):
    command = [sys.executable, "-X", "warn_default_encoding", "-c", LIKE_WINDOWS + program]
    done = subprocess.run([*command, *arguments], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_module_is_imported_without_what_windows_lacks():
    run_like_windows(IMPORT_ALL)


def test_a_run_is_trained_resumed_and_used_without_what_windows_lacks(tmp_path):
    run = str(tmp_path / "ü")
    for name, words in {"source": "der grüne Hund", "target": "the green dog"}.items():
        lines = [f"{words} {i}\n" for i in range(20)]
        (tmp_path / name).write_text("".join(lines), encoding="utf-8")
    sizes = "--d-model 8 --d-ff 8 --n-heads 2 --n-encoder-layers 1 --n-decoder-layers 1".split()
    files = ["--src", str(tmp_path / "source"), "--tgt", str(tmp_path / "target")]
    settings = [*sizes, *files, "--epochs", "1", "--workers", "2", "--min-count", "1"]
    verbs = [
        ["train", "--run", run, *settings],
        ["train", "--resume", run, "--epochs", "2"],
        ["translate", run, "der grüne Hund 3"],
        ["attend", run, "der grüne Hund 3", "--out", str(tmp_path / "attention.png")],
        ["step", run, "der Hund 1", "the dog 1", "--html", str(tmp_path / "step.html")],
    ]
    output = run_like_windows(RUN_VERBS, json.dumps(verbs))
    assert "epoch   2" in output


def test_workers_are_processes_on_linux_alone(monkeypatch):
    alone = npf.training.Communicator()
    for system in ("darwin", "win32"):
        monkeypatch.setattr(sys, "platform", system)
        assert not data_parallel._can_fork(alone)


@pytest.mark.parametrize(("counted", "expected"), [(3, 3), (None, 1)])
def test_cores_are_counted_where_no_process_has_its_own(monkeypatch, counted, expected):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)
    assert n_cores() == expected


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {4, 7, 9}, raising=False)
    assert n_cores() == 3


def test_file_that_another_program_has_open_is_named(tmp_path, monkeypatch):
    write_atomic(tmp_path / "log.csv", "old")

    def refuse(source, target):
        raise PermissionError(13, "Access is denied")

    monkeypatch.setattr(os, "replace", refuse)
    expected = r"cannot write .*log.csv: Access is denied: close it in other programs, or check"
    with pytest.raises(InputError, match=expected):
        write_atomic(tmp_path / "log.csv", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["log.csv"]
    assert (tmp_path / "log.csv").read_text(encoding="utf-8") == "old"
    # which no program can have open
    with pytest.raises(InputError, match=r"cannot write .*new\.csv: Access is denied$"):
        write_atomic(tmp_path / "new.csv", "new")


def test_commands_are_printed_for_the_shell_of_the_system(monkeypatch):
    words = ["npformer", "train", "--resume", "my runs/it's"]
    monkeypatch.setattr(sys, "platform", "linux")
    assert standard_streams.shell_command(words).endswith("""'my runs/it'"'"'s'""")
    monkeypatch.setattr(sys, "platform", "win32")
    assert standard_streams.shell_command(words) == """npformer train --resume "my runs/it's\""""
