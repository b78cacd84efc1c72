"""One's own parallel lines from the command line: they are compared place by place; characters of no font are told."""

import pytest


@pytest.fixture
def lines(tmp_path):
    """Two files of 20 pairs of the same length."""
    for name, text in {"first": "天地天\n天天地\n", "second": "地天地\n地地天\n"}.items():
        (tmp_path / name).write_text(text * 10, encoding="utf-8")
    return tmp_path / "first", tmp_path / "second"


@pytest.mark.filterwarnings("ignore:Glyph")  # where no font has Chinese characters
def test_lines_of_equal_length_are_compared_by_place(command, lines, small, tmp_path):
    files = ["--src", lines[0], "--tgt", lines[1], "--unit", "characters"]
    how = [*small, "--warmup-steps", 1, "--epochs", 1, "--max-len", 12, "--run", tmp_path / "run"]
    status, out, _ = command("train", *files, *how)
    assert status == 0
    status, evaluated, err = command("evaluate", tmp_path / "run")
    assert (status, err) == (0, "")
    names = ["position", "unigrams", "equal length", "no repeat"]
    for printed in (out, evaluated):
        assert [name for name in names if f"\n{name} " in printed] == names
        assert "each at its place; copying 0.0 %" in printed and "reference's; copying 66.7 %" in printed


def test_one_line_of_another_length_and_there_is_no_comparison_by_place(command, lines, small, tmp_path):
    with open(lines[1], "a", encoding="utf-8") as file, open(lines[0], "a", encoding="utf-8") as other:
        file.write("\ue000\n")
        other.write("\ue001\ue001\n")
    files = ["--src", lines[0], "--tgt", lines[1]]
    how = [*files, "--unit", "characters", *small, "--epochs", 1, "--max-len", 12, "--run", tmp_path / "run"]
    command("train", *how)
    assert "equal length" not in command("evaluate", tmp_path / "run", *files).out
