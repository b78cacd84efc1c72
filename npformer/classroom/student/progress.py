"""How far a student has come, as a plain file; the grader never believes it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime, timezone
from pathlib import Path

from ...utils.errors import InputError
from ...utils.files import read_json, write_json
from .. import index as course
from ..report import Report

NAME = "progress.json"


@dataclass(frozen=True)
class Entry:
    """One exercise: how often it was checked, how many hints were opened, and when it was passed first."""

    attempts: int = 0
    hints: int = 0
    passed: str = ""

    def merged(self, other: Entry) -> Entry:
        """Return what both know together: the earlier pass, and the larger counts."""
        passes = sorted(filter(None, (self.passed, other.passed)))
        most = {"attempts": max(self.attempts, other.attempts), "hints": max(self.hints, other.hints)}
        return Entry(**most, passed=passes[0] if passes else "")


class Progress:
    """The progress in a folder; every change is written at once, on top of what stands there by then."""

    def __init__(self, folder: Path):
        self.path = folder / NAME
        self.entries = self.read()

    def read(self) -> dict[str, Entry]:
        """Return what the file says. Raises `InputError` for a file that is not one of these."""
        if not self.path.exists():
            return {}
        entries = {}
        kinds = {field.name: type(field.default) for field in fields(Entry)}
        try:
            found = read_json(self.path)
        except InputError as error:
            raise InputError(f"{error}. Delete it: what passes is found out again") from None
        for id, entry in found.items():
            fits = isinstance(entry, dict) and all(type(entry.get(name)) is kind for name, kind in kinds.items())
            if not fits:
                raise InputError(
                    f"{self.path}: the entry {id!r} is not one of ours. Delete it: what passes is found out again"
                )
            entries[id] = Entry(**{name: entry[name] for name in kinds})
        return entries

    def __getitem__(self, id: str) -> Entry:
        return self.entries.get(id, Entry())

    def take_over(self, other: dict[str, Entry]) -> None:
        """Learn what another copy knows."""
        for id, entry in other.items():
            self.entries[id] = self[id].merged(entry)

    def merge(self, other: dict[str, Entry]) -> None:
        """Learn what another copy knows, and write."""
        self.take_over(other)
        known = [id for id in course.ids() if id in self.entries]
        write_json(self.path, {id: asdict(self.entries[id]) for id in [*known, *sorted({*self.entries} - {*known})]})

    def note(self, report: Report) -> None:
        """Count a check."""
        self.take_over(self.read())
        entry = self[report.exercise]
        passed = entry.passed or (datetime.now(timezone.utc).isoformat(timespec="seconds") if report.passed else "")
        attempts = entry.attempts + report.attempted
        self.merge({report.exercise: replace(entry, attempts=attempts, passed=passed)})

    def note_hint(self, id: str) -> int:
        """Count a hint, and return its number from 0; the last stays the last."""
        self.take_over(self.read())
        number = min(self[id].hints, len(course.load(id).hints) - 1)
        self.merge({id: replace(self[id], hints=number + 1)})
        return number

    def take_back_pass(self, id: str) -> None:
        """Note that an exercise does not pass any more; attempts and hints stay."""
        self.entries = self.read()
        self.entries[id] = replace(self[id], passed="")
        self.merge({})

    def forget(self, id: str) -> None:
        """Forget an exercise."""
        self.entries = self.read()
        self.entries.pop(id, None)
        self.merge({})
