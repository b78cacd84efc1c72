"""A sequence cut into blocks of positions, each seen with what stands around it."""

from typing import NamedTuple

from ...backend import xp


class Blocks(NamedTuple):
    """How a sequence of `length` positions is cut: blocks of `size` positions, and the window of each.

    Block i is positions i * size and the following, the last one filled up with zeros. Its window begins `before`
    positions in front of it and ends `after` positions behind it; beyond both ends of the sequence it is zeros. What
    belongs to a position and all places of its block's window is (..., T, width).

    >>> import numpy as np
    >>> blocks = Blocks.of(5, before=1, after=0, most=3)
    >>> blocks.windows(np.array([[1], [2], [3], [4], [5]]))[..., 0].tolist()
    [[0, 1, 2, 3], [3, 4, 5, 0]]
    """

    length: int
    before: int
    after: int
    size: int

    @classmethod
    def of(cls, length: int, before: int, after: int, most: int) -> "Blocks":
        """Cut into blocks of equal size, at most `most`; a window need not reach further than the sequence."""
        length_or_1 = max(length, 1)
        n = -(-length_or_1 // most)
        return cls(length, min(before, length_or_1 - 1), min(after, length_or_1 - 1), -(-length_or_1 // n))

    @property
    def n(self) -> int:
        """How many blocks there are."""
        return -(-max(self.length, 1) // self.size)

    @property
    def width(self) -> int:
        """How many places a window has."""
        return self.before + self.size + self.after

    def split(self, x):  # (..., T, d)
        """Lay x out in blocks: (..., n, size, d)."""
        return self.room_with(x, 0, self.n)

    def join(self, blocks):  # (..., n, size, d)
        """Lay blocks one after the other, without what the last was filled up with: (..., T, d)."""
        x = blocks.reshape(*blocks.shape[:-3], self.n * self.size, blocks.shape[-1])
        return x[..., : self.length, :]

    def windows(self, x):  # (..., T, d)
        """Copy what each window shows of x: (..., n, width, d)."""
        blocks = self.room_with(x, self.before, self.n + len(self.pieces) - 1)
        return xp.concatenate([blocks[..., i : i + self.n, : p.stop - p.start, :] for i, p in self.pieces], -2)

    def sum_windows(self, dwindows):  # (..., n, width, d)
        """Add up what came to each position in all windows that show it, the gradient of `windows`: (..., T, d)."""
        n_rooms = self.n + len(self.pieces) - 1
        room = xp.zeros((*dwindows.shape[:-3], n_rooms, self.size, dwindows.shape[-1]), dwindows.dtype)
        for i, p in self.pieces:
            room[..., i : i + self.n, : p.stop - p.start, :] += dwindows[..., p, :]
        x = room.reshape(*room.shape[:-3], n_rooms * self.size, room.shape[-1])
        return x[..., self.before : self.before + self.length, :]

    @property
    def pieces(self) -> list[tuple[int, slice]]:
        """A window as pieces of block size: how many blocks each is from the window's first, and its places."""
        starts = range(0, self.width, self.size)
        return [(i, slice(start, min(start + self.size, self.width))) for i, start in enumerate(starts)]

    def room_with(self, x, start: int, n: int):  # (..., T, d)
        """Return n blocks (..., n, size, d) of zeros, with x from position `start` on."""
        room = x
        if start or self.length != n * self.size:
            room = xp.zeros((*x.shape[:-2], n * self.size, x.shape[-1]), x.dtype)
            room[..., start : start + self.length, :] = x
        return room.reshape(*x.shape[:-2], n, self.size, x.shape[-1])

    def positions(self):
        """Return each position (T, 1), and which positions the places of its window show, (T, width)."""
        query = xp.arange(self.length)[:, None]
        return query, query // self.size * self.size - self.before + xp.arange(self.width)
