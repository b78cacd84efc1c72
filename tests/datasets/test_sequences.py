"""The tasks, their alignments, and what may be asked for."""

import pytest

from npformer.datasets import sequences
from npformer.utils.errors import InputError

TASKS = ["copy", "reverse", "sort"]
EXPECTED = {
    "copy": lambda symbols: symbols,
    "reverse": lambda symbols: symbols[::-1],
    "sort": sorted,
}


@pytest.mark.parametrize(
    ("task", "source", "target", "alignment"),
    [
        ("copy", "b a b", "b a b", ((0, 0), (1, 1), (2, 2))),
        ("reverse", "b a c", "c a b", ((0, 2), (1, 1), (2, 0))),
        ("sort", "b a b", "a b b", ((0, 1), (1, 0), (2, 2))),
        ("sort", "c 2 a c 1", "1 2 a c c", ((0, 3), (1, 1), (2, 2), (3, 4), (4, 0))),
    ],
)
def test_solve(task, source, target, alignment):
    """Small cases, solved by hand."""
    assert sequences.solve(task, source) == (source, target, alignment)


@pytest.mark.parametrize("task", TASKS)
def test_default_split(task):
    """Distinct sources of all lengths, right targets, alignments of equal symbols."""
    train, held_out = sequences.split(task)
    assert (len(train), len(held_out)) == (10_000, 500)
    assert len({pair.source for pair in train + held_out}) == 10_500
    lengths = [len(pair.source.split()) for pair in train]
    assert all(1200 < lengths.count(length) < 1660 for length in range(4, 11))
    assert min(lengths) == 4 and max(lengths) == 10
    for source, target, alignment in held_out:
        symbols, solved = source.split(), target.split()
        assert solved == EXPECTED[task](symbols)
        assert [symbols[i] for i, _ in alignment] == symbols == [solved[j] for _, j in alignment]
        assert sorted(j for _, j in alignment) == list(range(len(symbols)))


def test_rare_lengths():
    """Short sequences, of which there are few, come to train and to the held-out pairs alike."""
    for pairs in sequences.split("copy", 500, 500, min_length=1, max_length=5):
        assert any(len(pair.source) == 1 for pair in pairs)


def test_stable_sort():
    """Equal symbols keep their order."""
    _, held_out = sequences.split("sort", n_train=0, n_held_out=50, n_symbols=3)
    for source, _, alignment in held_out:
        for symbol in "012":
            places = [j for i, j in alignment if source.split()[i] == symbol]
            assert places == sorted(places)


def test_seed():
    """The seed decides everything."""
    assert sequences.split("sort", 50, 5, seed=1) == sequences.split("sort", 50, 5, seed=1)
    assert sequences.split("sort", 50, 5, seed=1) != sequences.split("sort", 50, 5, seed=2)


def test_counts():
    """All sequences that exist can be asked for, and not one more."""
    few = {"n_symbols": 2, "min_length": 1, "max_length": 3}
    train, held_out = sequences.split("copy", 10, 4, **few)
    assert len({pair.source for pair in train + held_out}) == 14
    with pytest.raises(
        InputError,
        match="expected at most 14 together, the sequences of length 1 to 3 over 2 symbols",
    ):
        sequences.split("copy", 11, 4, **few)


def test_all_symbols():
    """Long sequences over all 36 symbols, far more than could be counted in 64 bits."""
    train, _ = sequences.split("reverse", 20, 0, n_symbols=36, min_length=30, max_length=30)
    assert set("".join(pair.source for pair in train)) == set(sequences.SYMBOLS + " ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "shuffle"}, "task 'shuffle': choose one of copy, reverse, sort"),
        ({"task": "shuffle", "n_train": 0, "n_held_out": 0}, "task 'shuffle'"),
        ({"task": "copy", "n_symbols": 37}, "n_symbols = 37.*expected 1 to 36 symbols"),
        ({"task": "copy", "min_length": 0}, "min_length = 0"),
        ({"task": "copy", "min_length": 5, "max_length": 4}, "max_length = 4"),
        ({"task": "copy", "n_held_out": -1}, "n_held_out = -1"),
    ],
)
def test_errors(arguments, message):
    """Each error is one line that names the argument at fault."""
    with pytest.raises(InputError, match=message) as error:
        sequences.split(**arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("source", "symbol"), [("10 9 2", "10"), ("b A", "A"), ("abc", "abc")])
def test_what_is_no_symbol_is_refused(source, symbol):
    with pytest.raises(InputError, match=f"^'{symbol}' is no symbol: expected some of 0123456789a"):
        sequences.solve("sort", source)
