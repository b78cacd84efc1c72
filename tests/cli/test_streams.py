"""A standard error that is closed or full, and a backend that Matplotlib refuses: no work is
lost.
"""

import os
import subprocess
import sys

import pytest

import npformer as npf

if not os.path.exists("/dev/full"):
    pytest.skip("needs Linux's /dev/full", allow_module_level=True)


def npformer(redirect, *arguments, **environment):
    command = [
        "sh",
        "-c",
        f'"$@" {redirect}',
        "sh",
        sys.executable,
        "-m",
        "npformer",
        *map(str, arguments),
    ]
    return subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full"])
def test_translate_works_without_stderr(trained_run, redirect):
    sentences = ["the zebra sleeps .", "the dog sleeps ."]
    done = npformer(redirect, "translate", trained_run, *sentences)
    expected = npf.load(trained_run).translate(sentences)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, expected, "")


def test_full_stdout_is_reported(trained_run):
    done = npformer(">/dev/full", "translate", trained_run, "the dog sleeps .")
    assert (done.returncode, done.stderr) == (2, "npformer: No space left on device\n")


@pytest.mark.long
@pytest.mark.parametrize("redirect", ["2>&-", "2>/dev/full"])
def test_train_works_without_stderr(small, tmp_path, redirect):
    done = npformer(
        redirect,
        "train",
        "copy",
        *small,
        "--batch-tokens",
        20000,
        "--epochs",
        1,
        "--run",
        tmp_path / "run",
    )
    assert done.returncode == 0 and "translate with" in done.stdout


def test_matplotlib_backend_error_is_one_line(trained_run, tmp_path):
    done = npformer(
        "", "attend", trained_run, "the dog", "--out", tmp_path / "a.png", MPLBACKEND="nonsense"
    )
    assert (
        done.returncode == 2
        and done.stderr.count("\n") == 1
        and "'nonsense' is not a valid value" in done.stderr
    )
