"""Bets of a notebook: what is printed, and what is kept from one run to the next."""

import json

import pytest

from npformer_course import Bet, bets_so_far
from npformer_course.student.bets import NAME

QUESTION = "Which word does 'turn' look at most?"
OPTIONS = ["off", "radio", "day"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of the notebook."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def play(said, right="off", question=QUESTION):
    bet = Bet(question, OPTIONS)
    bet.place(said)
    bet.settle(right)


def test_lost_and_won_bets_are_counted(capsys):
    play("radio")
    play("day", "day", "Which word is last?")
    bets_so_far()
    assert (
        capsys.readouterr().out
        == """\
Your bet: radio.
You said radio; it was off.
Bets won: 0 of 1.
Your bet: day.
You said day, and it was.
Bets won: 1 of 2.
Bets placed: 2, won: 1.
What surprised you is what you learned most from. Look at it once more:
  Which word does 'turn' look at most? You said radio; it was off.
"""
    )


def test_without_a_bet_nothing_depends_on_earlier_ones(folder, capsys):
    play(...)
    first = capsys.readouterr().out
    assert first.endswith("\nIt was off.\n") and not list(folder.iterdir())

    play("off", question="Another?")
    capsys.readouterr()
    play(...)
    assert capsys.readouterr().out == first


def test_no_bets_so_far(capsys):
    bets_so_far()
    assert capsys.readouterr().out == "No bets placed so far.\n"


def test_repeated_bet_replaces_the_earlier_one(capsys):
    play("radio")
    play("off")
    play(...)  # as in a fresh copy of the notebook: what was said is kept
    capsys.readouterr()
    bets_so_far()
    assert capsys.readouterr().out == "Bets placed: 1, won: 1.\n"


@pytest.mark.parametrize("said", ["of", None, [["off"]]])
def test_value_that_is_no_option_places_no_bet(said, folder, capsys):
    play(said)
    line, settled = capsys.readouterr().out.splitlines()
    assert line.startswith(
        f"No bet placed: {said!r} is not an option. To bet, write 'off', 'radio'"
    )
    assert settled == "It was off." and not list(folder.iterdir())


@pytest.mark.parametrize("withdrawn_by", [..., "of"])
def test_withdrawn_bet_does_not_count(withdrawn_by, folder, capsys):
    bet = Bet(QUESTION, OPTIONS)
    bet.place("radio")
    bet.place(withdrawn_by)
    bet.settle("off")
    assert capsys.readouterr().out.endswith("\nIt was off.\n")
    assert not list(folder.iterdir())


def test_options_may_be_numbers(capsys):
    bet = Bet("How many heads?", [2, 4])
    bet.place(4)
    bet.settle(4)
    bets_so_far()
    assert capsys.readouterr().out.endswith("Bets won: 1 of 1.\nBets placed: 1, won: 1.\n")


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"a?": 3}', '{"a?": {"said": "b"}}', json.dumps({"a?": []})]
)
def test_damaged_file_is_reported_and_kept(content, folder, capsys):
    (folder / NAME).write_text(content)
    play("radio")
    bets_so_far()
    _, settled, not_recorded, not_counted = capsys.readouterr().out.splitlines()
    assert settled == "You said radio; it was off."
    assert not_recorded.startswith(f"This bet is not recorded: {NAME} is damaged: ")
    assert not_counted.startswith(f"Your bets cannot be counted: {NAME} is damaged: ")
    assert not_counted.endswith("; delete or rename it to begin again")
    assert (folder / NAME).read_text() == content


def test_bet_that_cannot_be_written_is_settled(folder, monkeypatch, capsys):
    def fail(*arguments):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("npformer.utils.files.os.replace", fail)
    play("radio")
    _, settled, not_recorded = capsys.readouterr().out.splitlines()
    assert settled == "You said radio; it was off."
    assert not_recorded == f"This bet is not recorded: cannot write {NAME}: Read-only file system"
    assert not list(folder.iterdir())
