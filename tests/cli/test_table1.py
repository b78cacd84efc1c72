import csv

import pytest

from npformer.cli import table1 as verb
from npformer.paper.table1 import KINDS, LENGTHS, WIDTHS, Cost


@pytest.fixture
def asked(monkeypatch):
    """Measure nothing: note what is asked for, and give as many seconds as n d."""
    calls = []

    def measure_costs(lengths, widths, **settings):
        calls.append((lengths, widths, settings))
        return [Cost(kind.name, n, d, n * d, float(n * d)) for n in lengths for d in widths for kind in KINDS]

    monkeypatch.setattr(verb, "measure_costs", measure_costs)
    monkeypatch.setattr(verb, "keep_freed_memory", lambda: calls.append("memory is kept"))
    return calls


def test_tables_are_printed_and_files_written(command, asked, tmp_path):
    out = tmp_path / "new" / "folder"
    status, text, err = command("table1", "--out", out)
    assert (status, err) == (0, "")
    assert "operations" in text and "sequential" in text
    assert text.splitlines()[-2:] == [str(out / name) for name in ("costs.csv", "seconds.png")]
    with open(out / "costs.csv", encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 5 * 7 * 5
    assert (out / "seconds.png").read_bytes().startswith(b"\x89PNG")
    assert asked == ["memory is kept", (LENGTHS, WIDTHS, {"k": 3, "r": 32})]


def test_quick_measures_fewer_sizes(command, asked, tmp_path):
    text = command("table1", "--quick", "--out", tmp_path).out
    assert text.startswith("k = 3, r = 32, batch 1, ")
    assert asked[1:] == [(verb.QUICK_LENGTHS, verb.QUICK_WIDTHS, {"k": 3, "r": 32})]


def test_figure_has_panels_for_three_widths(command, asked, tmp_path, monkeypatch):
    saved = []
    monkeypatch.setattr(verb.plots, "save_figure", lambda figure, path: saved.append(figure))
    command("table1", "--out", tmp_path)
    assert [ax.get_title() for ax in saved[0].axes] == ["d = 32", "d = 128", "d = 512"]


def test_unusable_folder_is_reported_before_measuring(refused, asked, tmp_path):
    (tmp_path / "file").write_text("")
    assert "cannot make the folder" in refused("table1", "--out", tmp_path / "file" / "below")
    assert not asked
