"""`npformer class` in a terminal of its own: what is saved is checked, keys are obeyed."""

import contextlib
import os
import select
import sys
import time

import pytest

pty = pytest.importorskip("pty")

from npformer.classroom import index as course  # noqa: E402
from npformer.classroom.render import key_text  # noqa: E402
from npformer.classroom.student import folder  # noqa: E402

ID = "layer_norm_backward"
PATIENCE = 30  # seconds


class Terminal:
    """A terminal in which npformer class runs."""

    def __init__(self, place, **environment):
        self.seen = ""
        pid, self.handle = pty.fork()
        if pid == 0:
            os.chdir(place)
            os.environ.update(environment)
            os.execv(sys.executable, [sys.executable, "-m", "npformer", "class"])
        self.pid = pid

    def until(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} never came: {self.seen}"
            if select.select([self.handle], [], [], 0.1)[0]:
                self.seen += os.read(self.handle, 4096).decode()
        before, self.seen = self.seen.split(text, 1)
        return before

    def press(self, key):
        os.write(self.handle, key.encode())

    def ended(self):
        end = time.monotonic() + PATIENCE
        while not (found := os.waitpid(self.pid, os.WNOHANG))[0]:
            assert time.monotonic() < end, f"it never ended: {self.seen}"
            if select.select([self.handle], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):  # Linux's way to say that the other side is closed
                    self.seen += os.read(self.handle, 4096).decode()
        os.close(self.handle)
        return os.waitstatus_to_exitcode(found[1])


def save(place, right="", wrong=""):
    text = key_text(course.load(ID)).replace(right, wrong, 1)
    (place / "15_layer_norm_backward.py").write_text(text, encoding="utf-8")


def test_a_save_is_checked_keys_are_obeyed_and_a_pass_goes_on(tmp_path):
    folder.start(tmp_path / "course", [ID])
    terminal = Terminal(tmp_path / "course", TERM="xterm", NO_COLOR="")
    terminal.until("It is checked when you save")
    save(tmp_path / "course", "- along_ones", "")
    assert "\033[31m" in terminal.until("dx: wrong")
    terminal.press("h")
    terminal.until("Hint 1 of 3")
    terminal.press("w")
    terminal.until("must dx add")
    save(tmp_path / "course")
    terminal.until("8 of 8 points")
    terminal.until("in every exercise")
    assert terminal.ended() == 0


@pytest.mark.parametrize(("term", "no_color"), [("dumb", ""), ("xterm", "1")])
def test_without_colors_and_quit(tmp_path, term, no_color):
    folder.start(tmp_path / "course", [ID])
    terminal = Terminal(tmp_path / "course", TERM=term, NO_COLOR=no_color, COLUMNS="30")
    assert "\033" not in terminal.until("q quit")
    terminal.press("x")
    terminal.until("(y/n)")
    terminal.press("n")
    terminal.press("q")
    assert terminal.ended() == 0


def test_an_arrow_is_one_key_and_a_file_that_is_away_ends_nothing(tmp_path):
    folder.start(tmp_path / "course", [ID])
    terminal = Terminal(tmp_path / "course", TERM="dumb")
    terminal.until("q quit")
    terminal.press("\033[A")
    terminal.until("q quit")
    (tmp_path / "course" / "15_layer_norm_backward.py").unlink()
    terminal.press("w")
    assert "n next" not in terminal.until("does not exist")
    terminal.press("x")
    terminal.until("(y/n)")
    terminal.press("y")
    terminal.until("is as it was.")
    terminal.press("q")
    assert terminal.ended() == 0


@pytest.mark.long
def test_a_reset_is_no_save(tmp_path):
    folder.start(tmp_path / "course", [ID])
    terminal = Terminal(tmp_path / "course", TERM="dumb")
    terminal.until("q quit")
    save(tmp_path / "course", "- along_ones", "")
    terminal.until("dx: wrong")
    terminal.press("x")
    terminal.until("(y/n)")
    terminal.press("n")
    terminal.until("It stays as it is.")
    terminal.press("x")
    terminal.until("(y/n)")
    terminal.press("y")
    terminal.until(".old now.")
    time.sleep(1)
    terminal.press("?")
    assert "not written yet" not in terminal.until("q quit")
    terminal.press("q")
    assert terminal.ended() == 0
