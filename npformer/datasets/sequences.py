"""Three toy tasks on short sequences of symbols, to see a model learn within a minute: copy, reverse and sort.

In each task the target has the symbols of the source in another order, so it is known which source position every
target position must attend to. `SentencePair.alignment` says it, and a plot of the attention can be held against it.
"""

import numpy as np

from ..utils.errors import InputError
from .data_set import SentencePair

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"

# Which source position is at each position of the target; equal symbols keep their order, for sorted is stable.
ORDERS = {
    "copy": lambda symbols: range(len(symbols)),
    "reverse": lambda symbols: reversed(range(len(symbols))),
    "sort": lambda symbols: sorted(range(len(symbols)), key=symbols.__getitem__),
}


def solve(task: str, source: str) -> SentencePair:
    """Return the `SentencePair` of a source, symbols with spaces between, and what the task makes of it.

    >>> solve("sort", "c a c b")
    SentencePair(source='c a c b', target='a b c c', alignment=((0, 2), (1, 0), (2, 3), (3, 1)))
    """
    _check_task(task)
    symbols = source.split()
    order = list(ORDERS[task](symbols))
    alignment = sorted(
        (source_position, target_position) for target_position, source_position in enumerate(order)
    )
    return SentencePair(source, " ".join(symbols[position] for position in order), tuple(alignment))


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

    The lengths are equally likely, as long as there are new sequences of each. The first `n_symbols` of `SYMBOLS`
    are used, digits before letters, and this is also the order in which "sort" puts them.

    >>> train, held_out = split("reverse", n_train=2, n_held_out=1)
    >>> for pair in train:
    ...     print(pair.source, "->", pair.target)
    9 5 6 9 7 6 5 5 -> 5 5 6 7 9 6 5 9
    2 8 6 0 3 8 5 0 7 7 -> 7 7 0 5 8 3 0 6 8 2
    """
    _check_task(task)
    if not (1 <= n_symbols <= len(SYMBOLS) and 1 <= min_length <= max_length):
        got = f"n_symbols = {n_symbols}, min_length = {min_length}, max_length = {max_length}"
        raise InputError(
            f"{got}: expected 1 to {len(SYMBOLS)} symbols and 1 <= min_length <= max_length"
        )
    n_new = {length: n_symbols**length for length in range(min_length, max_length + 1)}
    if min(n_train, n_held_out) < 0 or n_train + n_held_out > sum(n_new.values()):
        raise InputError(
            f"n_train = {n_train}, n_held_out = {n_held_out}: expected at most {sum(n_new.values())} together, the "
            f"sequences of length {min_length} to {max_length} over {n_symbols} symbols"
        )
    rng = np.random.default_rng(seed)
    sources = _distinct_sources(n_train + n_held_out, n_new, n_symbols, rng)
    pairs = [solve(task, sources[index]) for index in rng.permutation(len(sources))]
    return pairs[n_held_out:], pairs[:n_held_out]


def _check_task(task: str) -> None:
    if task not in ORDERS:
        raise InputError(f"sequences got the task {task!r}: choose one of {', '.join(ORDERS)}.")


def _distinct_sources(
    n_sources: int, n_new: dict[int, int], n_symbols: int, rng: np.random.Generator
) -> list[str]:
    sources = {}
    lengths = list(n_new)
    while len(sources) < n_sources:
        length = lengths[rng.integers(len(lengths))]
        source = " ".join(SYMBOLS[symbol] for symbol in rng.integers(n_symbols, size=length))
        if source in sources:
            continue
        sources[source] = None
        n_new[length] -= 1
        if n_new[length] == 0:
            lengths.remove(length)
    return list(sources)
