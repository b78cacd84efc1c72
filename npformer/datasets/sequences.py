"""Three toy tasks on short sequences of symbols, learned within a minute: copy, reverse, sort.

In each task the target has the symbols of the source in another order, so it is known which source
position every target position must attend to. `SentencePair.alignment` has it, and the attention of
a model can be compared with it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..utils.errors import InputError
from .data_set import SentencePair

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
TASKS = ("copy", "reverse", "sort")


def solve(task: str, source: str) -> SentencePair:
    """Return the `SentencePair` of a source, symbols with spaces between, and its target.

    Raises `InputError` for another task, and for what is not in `SYMBOLS`.

    >>> solve("sort", "c a c b")
    SentencePair(source='c a c b', target='a b c c', alignment=((0, 2), (1, 0), (2, 3), (3, 1)))
    """
    _check_task(task)
    symbols = source.split()
    for symbol in symbols:
        if len(symbol) != 1 or symbol not in SYMBOLS:
            raise InputError(f"{symbol!r} is no symbol: expected some of {SYMBOLS}, spaces between")
    order = _source_positions(task, symbols)
    target = " ".join(symbols[i] for i in order)
    alignment = sorted((i, j) for j, i in enumerate(order))
    return SentencePair(source, target, tuple(alignment))


def split(
    task: str,
    n_train: int = 10_000,
    n_held_out: int = 500,
    *,
    n_symbols: int = 10,
    min_length: int = 4,
    max_length: int = 10,
    seed: int = 0,
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return two lists of `SentencePair`, to train on and held out, without one source twice.

    The lengths are equally likely, as long as there are new sequences of each.

    Arguments:
        task: "copy", "reverse" or "sort"
        n_train: how many pairs to train on
        n_held_out: how many pairs are held out
        n_symbols: how many of `SYMBOLS` are used, digits before letters; "sort" has this order
        min_length, max_length: of a sequence
        seed: of the random numbers that draw the sequences

    Raises `InputError` for another task, and where there are not so many sequences.

    >>> train, held_out = split("reverse", n_train=2, n_held_out=1)
    >>> for pair in train:
    ...     print(pair.source, "->", pair.target)
    9 5 6 9 7 6 5 5 -> 5 5 6 7 9 6 5 9
    2 8 6 0 3 8 5 0 7 7 -> 7 7 0 5 8 3 0 6 8 2
    """
    _check_task(task)
    if not (1 <= n_symbols <= len(SYMBOLS) and 1 <= min_length <= max_length):
        raise InputError(
            f"n_symbols = {n_symbols}, min_length = {min_length}, max_length = {max_length}: "
            f"expected 1 to {len(SYMBOLS)} symbols and 1 <= min_length <= max_length"
        )
    n_new = {length: n_symbols**length for length in range(min_length, max_length + 1)}
    if min(n_train, n_held_out) < 0 or n_train + n_held_out > sum(n_new.values()):
        raise InputError(
            f"n_train = {n_train}, n_held_out = {n_held_out}: expected at most "
            f"{sum(n_new.values())} together, the sequences of length {min_length} to "
            f"{max_length} over {n_symbols} symbols"
        )

    rng = np.random.default_rng(seed)
    sources = _distinct_sources(n_train + n_held_out, n_new, n_symbols, rng)
    # short lengths run out first: without a permutation the last pairs would be long ones
    pairs = [solve(task, sources[i]) for i in rng.permutation(len(sources))]
    return pairs[n_held_out:], pairs[:n_held_out]


def _check_task(task: str) -> None:
    if task not in TASKS:
        raise InputError(f"sequences got the task {task!r}: choose one of {', '.join(TASKS)}.")


def _source_positions(task: str, symbols: Sequence[str]) -> list[int]:
    """Return which source position is at each position of the target."""
    positions = list(range(len(symbols)))
    if task == "reverse":
        positions.reverse()
    elif task == "sort":
        positions.sort(key=symbols.__getitem__)  # equal symbols keep their order
    return positions


def _distinct_sources(
    n_sources: int, n_new: dict[int, int], n_symbols: int, rng: np.random.Generator
) -> list[str]:
    """Draw different sources; `n_new` has how many there are of each length."""
    # keys of a dictionary, because a set has no order
    sources: dict[str, None] = {}
    lengths = list(n_new)
    while len(sources) < n_sources:
        length = lengths[rng.integers(len(lengths))]
        symbols = rng.integers(n_symbols, size=length)
        source = " ".join(SYMBOLS[symbol] for symbol in symbols)
        if source in sources:
            continue
        sources[source] = None
        n_new[length] -= 1
        # all sequences of this length have been drawn
        if n_new[length] == 0:
            lengths.remove(length)
    return list(sources)
