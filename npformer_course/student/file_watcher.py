"""Saved files, found by their times of change: this works on network disks too."""

from collections.abc import Mapping
from pathlib import Path


class Watch:
    """The files of some exercises, as they were at the last call of `saved`."""

    def __init__(self, files: Mapping[str, Path]):
        self.files = files
        self.stamps = {id: _stamp(path) for id, path in files.items()}
        self.before = dict(self.stamps)

    def saved(self) -> list[str]:
        """Return the exercises whose files have changed, and then stayed the same for one call."""
        # an editor may write a file in several steps: it is read once it stays the same
        saved = []
        now = {id: _stamp(path) for id, path in self.files.items()}
        for id, stamp in now.items():
            if stamp and stamp != self.stamps[id] and stamp == self.before[id]:
                saved.append(id)
                self.stamps[id] = stamp
        self.before = now
        return saved


def _stamp(path: Path) -> tuple | None:
    """Return what changes when a file is written, or None while it does not exist."""
    try:
        status = path.stat()
    except OSError:
        return None
    # the time may be coarse; an editor that replaces a file gives it another inode
    return status.st_mtime_ns, status.st_size, status.st_ino
