import pytest

from npformer.cli import table1 as verb
from npformer.paper.table1 import KINDS, LENGTHS, WIDTHS, Cost, Table1


@pytest.fixture
def asked(monkeypatch):
    """Measure nothing: note what is asked for, and give as many seconds as n d."""
    calls = []

    def measure_costs(lengths, widths, **settings):
        calls.append((lengths, widths, settings))
        return [
            Cost(kind.name, n, d, n * d, float(n * d))
            for n in lengths
            for d in widths
            for kind in KINDS
        ]

    monkeypatch.setattr(verb, "measure_costs", measure_costs)
    monkeypatch.setattr(verb, "keep_freed_memory", lambda: calls.append("memory is kept"))
    return calls


def test_tables_are_printed(command, asked):
    status, text, err = command("table1")
    assert (status, err) == (0, "")
    assert asked == ["memory is kept", (LENGTHS, WIDTHS, {"k": 3, "r": 32})]
    table = Table1(verb.measure_costs(LENGTHS, WIDTHS), k=3, r=32)
    head, _, tables = text.partition("\n\n")
    assert "at twice the length n it grows by a factor 2^a" in head
    assert tables == f"{table.operations()}\n\n{table.path_lengths()}\n"


def test_quick_measures_fewer_sizes(command, asked):
    text = command("table1", "--quick").out
    assert text.startswith("k = 3, r = 32, batch 1, ")
    assert asked[1:] == [(verb.QUICK_LENGTHS, verb.QUICK_WIDTHS, {"k": 3, "r": 32})]
