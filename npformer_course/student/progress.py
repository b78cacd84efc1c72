"""A student's progress as a plain file; grading does not use it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from npformer.utils.errors import InputError
from npformer.utils.files import read_json, write_json

from .. import course
from ..report import Report

NAME = "progress.json"


@dataclass(frozen=True)
class Entry:
    """One exercise: the number of checks and of open hints, and when it passed first."""

    attempts: int = 0
    hints: int = 0
    passed: str = ""

    def __post_init__(self):
        for name, value in vars(self).items():
            expected = str if name == "passed" else int
            if not isinstance(value, expected):  # the file may have been changed by hand
                raise TypeError(f"{name} is {value!r}")


class Progress:
    """The progress in a folder.

    Every change is made to what the file says at that moment, and written at once.
    """

    def __init__(self, folder: Path):
        self.path = folder / NAME
        self.entries = self._read()

    def _read(self) -> dict[str, Entry]:
        """Return what the file says. Raises `InputError` for a file that is not one of these."""
        if not self.path.exists():
            return {}
        try:
            return {id: Entry(**entry) for id, entry in read_json(self.path).items()}
        except (InputError, TypeError) as error:
            raise InputError(
                f"{self.path} is not a progress file ({error}): delete it and check again"
            ) from None

    def __getitem__(self, id: str) -> Entry:
        return self.entries.get(id, Entry())

    def write(self, **changed: Entry) -> None:
        """Write the file with these entries changed."""
        self.entries = self._read() | changed
        in_order = [*course.EXERCISES, *sorted(self.entries)]  # an unknown id comes last
        content = {id: asdict(self.entries[id]) for id in in_order if id in self.entries}
        write_json(self.path, content)

    def note(self, report: Report) -> None:
        """Count a check."""
        self.entries = self._read()
        entry = self[report.exercise]
        passed = entry.passed
        if report.passed and not passed:
            passed = datetime.now(UTC).isoformat(timespec="seconds")
        attempts = entry.attempts + report.attempted
        self.write(**{report.exercise: replace(entry, attempts=attempts, passed=passed)})

    def note_hint(self, id: str) -> int:
        """Count a hint, and return its number from 0; the last stays the last."""
        self.entries = self._read()
        entry = self[id]
        last = len(course.load(id).hints) - 1
        number = min(max(entry.hints, 0), last)  # the file may say anything
        self.write(**{id: replace(entry, hints=number + 1)})
        return number
