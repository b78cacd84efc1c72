"""The text of one's own in notebook 23: a path, the text itself, or nothing."""

import pytest

from helpers import language_model
from npformer import InputError

TEXT = "The dog sleeps.\n" * 500


def test_path_and_pasted_text_give_the_same_parts(tmp_path):
    (tmp_path / "own.txt").write_text(TEXT, encoding="utf-8")
    pasted = language_model.own(TEXT)
    assert language_model.own(str(tmp_path / "own.txt")) == pasted
    assert "".join(pasted) == TEXT and len(pasted[1]) == len(TEXT) // 10


def test_nothing_gives_plays_or_the_phrasebook(monkeypatch):
    monkeypatch.setattr(language_model, "shakespeare", lambda: None)
    assert language_model.own(" ") == language_model.english()
    monkeypatch.setattr(language_model, "shakespeare", lambda: ("a", "b"))
    assert language_model.own("\n") == ("a", "b")


@pytest.mark.parametrize("given", ["no_such_file.txt", "The dog sleeps.\n"])
def test_missing_file_and_short_text_are_refused(given):
    with pytest.raises(
        InputError, match="expected the path of a text file, or a text, of at least"
    ):
        language_model.own(given)
