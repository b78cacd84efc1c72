"""Which files were saved: their times of change are asked for, which works on every disk, one of a network too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class Watch:
    """The files of some exercises, as they were when they were last asked for."""

    def __init__(self, files: Mapping[str, Path]):
        self.files = files
        self.seen = {id: stamp(path) for id, path in files.items()}
        self.moving: dict[str, tuple] = {}

    def saved(self) -> list[str]:
        """Return the exercises whose files have changed, and then stayed the same from one question to the next."""
        still = []
        for id, path in self.files.items():
            now = stamp(path)
            if now is None or now == self.seen[id]:
                self.moving.pop(id, None)
            elif self.moving.get(id) == now:
                self.seen[id] = self.moving.pop(id)
                still.append(id)
            else:
                self.moving[id] = now
        return still

    def look_again(self, id: str) -> None:
        """Take the file of an exercise as it is now for seen: it was we who wrote it."""
        self.seen[id] = stamp(self.files[id])


def stamp(path: Path) -> tuple | None:
    """Return what changes when a file is written, or None while it is not there."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
