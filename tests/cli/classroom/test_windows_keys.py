"""Single keys on Windows, where a special key comes as two."""

import sys
from types import SimpleNamespace

import pytest

from npformer.cli.classroom.keypress import windows_keys


@pytest.mark.parametrize(
    ("typed", "expected"),
    [("hq", ["h", "q", ""]), ("\xe0Hw", ["\x1b", "w", ""]), ("\0Q", ["\x1b", ""]), ("\xe0\xe0n", ["\x1b", "n", ""])],
)
def test_an_arrow_or_the_like_is_one_key_and_no_letter(monkeypatch, typed, expected):
    waiting = list(typed)
    fake = SimpleNamespace(kbhit=lambda: bool(waiting), getwch=lambda: waiting.pop(0))
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    key = next(windows_keys())
    assert [key(0.01) for _ in expected] == expected
