import csv
import io
import math

import pytest

from npformer.paper.table1 import ATTENTION, KINDS

LSTM, CONVOLUTION, DILATED, RESTRICTED = KINDS[1:]


def test_columns_are_in_order(table):
    assert (table.lengths, table.widths) == ([16, 64, 256], [8, 32, 128])
    assert table.column("seconds", RESTRICTED, d=32) == pytest.approx([1e-9 * 32 * n for n in table.lengths])
    assert table.column("seconds", LSTM, n=64) == pytest.approx([4e-9 * 64 * d * d for d in table.widths])


def test_exponents_of_seconds_are_those_of_their_formulas(table):
    for kind, n, d in zip(KINDS, (2, 1, 1, 1, 1), (1, 2, 2, 2, 1), strict=True):
        assert table.exponent_n("seconds", kind, 32) == pytest.approx(n)
        assert table.exponent_d("seconds", kind, 64) == pytest.approx(d)
    assert 1 < table.exponent_n("multiply_adds", ATTENTION, 128) < table.exponent_n("multiply_adds", ATTENTION, 8) < 2


def test_the_operations_stand_beside_the_papers(table):
    head, attention, lstm, *_, last = table.operations().splitlines()
    assert head.split() == ["operations", "paper", "counted", "seconds"]
    assert attention.split("  ")[0] == "self-attention" and "O(n^2 d)" in attention
    by_n, by_d = table.exponent_n("multiply_adds", ATTENTION, 8), table.exponent_d("multiply_adds", ATTENTION, 256)
    assert f" n^{by_n:.2f} d^{by_d:.2f} " in attention
    assert attention.endswith("n^2.00 d^1.00") and lstm.endswith("n^1.00 d^2.00   n^1.00 d^2.00")
    assert last == "exponents fitted over n from 64 to 256 at d = 8, d from 32 to 128 at n = 256"


def test_the_ways_stand_beside_the_papers(table):
    head, *rows = table.ways().splitlines()
    assert head.split() == "waiting products in a layer n=3 n=5 n=9 end to end n=3 n=5 n=9".split()
    assert [row.split() for row in rows] == [
        "self-attention O(1) 4 4 4 O(1) 4 in 1 4 in 1 4 in 1".split(),
        "recurrent (LSTM) O(n) 3 5 9 O(n) 3 in 1 5 in 1 9 in 1".split(),
        "convolution O(1) 1 1 1 O(n/k) 2 in 2 4 in 4 8 in 8".split(),
        "dilated O(1) 1 1 1 O(log_k n) 2 in 2 2 in 2 4 in 4".split(),
        "restricted O(1) 4 4 4 O(n/r) 4 in 1 8 in 2 16 in 4".split(),
    ]


def test_crossings_by_the_papers_formula_by_count_and_by_seconds(table):
    assert [table.cheaper_below(kind, 32) for kind in (LSTM, CONVOLUTION, DILATED, RESTRICTED)] == [
        pytest.approx(64),
        0,
        math.inf,
        0,
    ]
    *_, row = table.crossings().splitlines()
    assert row.split() == "128 128 / 256 / 256 384 / - / - 384 / - / >256 4 / 26 / -".split()


def test_every_time_is_shown(table):
    lines = table.milliseconds().splitlines()
    assert len(lines) == 1 + 9
    assert lines[1].split() == ["8", "16", "0.00", "0.00", "0.00", "1024.00", "0.00"]


def test_what_is_printed_fits_a_page(table):
    for text in (table.operations(), table.ways(), table.crossings()):
        assert max(map(len, text.splitlines())) <= 88
        assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_the_files_hold_what_was_measured(table):
    files = table.files()
    assert set(files) == {"costs.csv", "paths.csv"}
    for name, rows in (("costs.csv", table.costs), ("paths.csv", table.paths)):
        head, *lines = csv.reader(io.StringIO(files[name]))
        assert tuple(head) == rows[0]._fields
        assert [tuple(line) for line in lines] == [tuple(map(str, row)) for row in rows]
