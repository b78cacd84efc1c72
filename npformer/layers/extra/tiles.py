"""The scores of an attention over a long text in tiles: of some heads, a block of queries, a block of keys."""

import math
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from ...backend import cache_chunks, xp

Place = tuple[slice, slice]  # in an array (N, T, d): which heads, which positions


class Tile(NamedTuple):
    """A tile's number among all, where its keys are, and which of its scores (n, queries, keys) are hidden."""

    number: int
    keys: Place
    hidden: Any = None  # booleans, or None where all are seen


class Tiles:
    """Which tiles of the scores (..., T, S) are computed, in which order, and who sees whom in each.

    The leading axes count as N heads. A tile has `block` queries and keys, fewer at the ends, and of heads as many as
    let it fit into a core's cache. With `causal` tiles that lie wholly in the future are left out; the queries are the
    last T of the S positions. Of a mask no more is read than the tile at hand needs, and no array is (T, S).

    >>> tiles = Tiles((8, 4, 4), None, causal=True, block=2)
    >>> [(queries[1].start, [tile.keys[1].start for tile in row]) for queries, row in tiles]
    [(0, [0]), (2, [0, 2])]
    """

    def __init__(self, shape: tuple[int, ...], mask, *, causal: bool, block: int):
        *leading, self.n_queries, self.n_keys = shape
        self.causal, self.block = causal, block
        self.n_heads = math.prod(leading)
        self.head_at = [axis.reshape(-1) for axis in xp.indices(leading)]  # (N,) each: the place of a head there
        if mask is not None:
            mask = xp.atleast_2d(mask)
            mask = xp.broadcast_to(mask, (*leading, *mask.shape[-2:]))  # a view: nothing is made
        self.mask = mask

    def __iter__(self) -> Iterator[tuple[Place, Iterator[Tile]]]:
        """Yield where each block of queries is, with the tiles of the keys that it sees, to be gone through at once."""
        numbers, (height, width) = count(), (min(self.block, max(n, 1)) for n in (self.n_queries, self.n_keys))
        for heads in cache_chunks(self.n_heads, height * width):
            for rows in self.blocks(self.n_queries):
                yield (heads, rows), self.row(heads, rows, numbers)

    def row(self, heads: slice, rows: slice, numbers: Iterator[int]) -> Iterator[Tile]:
        """Yield the tiles of a block of queries."""
        n_seen = self.n_keys - self.n_queries + rows.stop if self.causal else self.n_keys
        for columns in self.blocks(n_seen):
            yield Tile(next(numbers), (heads, columns), self.hidden(heads, rows, columns))

    def blocks(self, length: int) -> list[slice]:
        """Cut so many positions into blocks."""
        return [slice(start, min(start + self.block, length)) for start in range(0, length, self.block)]

    def hidden(self, heads: slice, rows: slice, columns: slice):
        """Return which scores of a tile are hidden, in a shape that broadcasts to (n, queries, keys), or None."""
        hidden, newest = None, rows.start + self.n_keys - self.n_queries  # the last key that the first query sees
        if self.causal and columns.stop - 1 > newest:
            hidden = (
                xp.arange(columns.start, columns.stop) > xp.arange(newest, newest + rows.stop - rows.start)[:, None]
            )
        if self.mask is not None:
            axes = [s if n > 1 else slice(None) for s, n in zip((rows, columns), self.mask.shape[-2:], strict=True)]
            unseen = ~self.mask[(*(places[heads] for places in self.head_at), *axes)]
            hidden = unseen if hidden is None else hidden | unseen
        return hidden
