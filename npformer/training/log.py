"""The log of a run: a row an update, as CSV."""

from __future__ import annotations

import csv
import io
import os

from ..errors import InputError
from ..files import read_text, write_whole
from .trainer import StepRecord

COLUMNS = {
    "step": int,
    "epoch": int,
    "loss": float,
    "learning_rate": float,
    "tokens": int,
    "seconds": float,
    "validation_loss": float,
}


class TrainingLog:
    """Rows of step, epoch, loss, learning rate, target tokens, seconds so far and, where measured, validation loss.

    >>> log = TrainingLog()
    >>> log.add(StepRecord(1, 1, 2.5, 0.001, 640, True), seconds=0.25)
    >>> log.rows[-1]["validation_loss"] = 2.25
    >>> TrainingLog.parse(log.csv()).rows == log.rows
    True
    """

    def __init__(self, rows: list[dict] | None = None):
        self.rows = rows or []

    def add(self, record: StepRecord, *, seconds: float) -> None:
        """Append the row of an update."""
        row = {name: getattr(record, name) for name in ("step", "epoch", "loss", "learning_rate", "tokens")}
        self.rows.append({**row, "seconds": round(seconds, 3), "validation_loss": None})

    def column(self, name: str) -> tuple[list[int], list]:
        """Return the steps at which a column has a value, and the values."""
        rows = [row for row in self.rows if row[name] is not None]
        return [row["step"] for row in rows], [row[name] for row in rows]

    def csv(self) -> str:
        """Return the log as CSV text; floats are written so that they read back exactly."""
        text = io.StringIO()
        writer = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    @classmethod
    def parse(cls, text: str) -> TrainingLog:
        """Return the log that `csv` wrote. Raises `InputError` when a row is not of that form."""
        rows = []
        for number, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
            try:
                rows.append({name: kind(row[name]) if row[name] else None for name, kind in COLUMNS.items()})
            except (KeyError, TypeError, ValueError):
                raise InputError(f"line {number} is no row of a training log") from None
        return cls(rows)

    def save(self, path: str | os.PathLike) -> None:
        """Write the log, whole or not at all."""
        write_whole(path, self.csv())

    @classmethod
    def load(cls, path: str | os.PathLike, *, until_step: int) -> TrainingLog:
        """Read a log up to the row of `until_step`, which is where a checkpoint was taken."""
        try:
            log = cls.parse(read_text(path))
        except InputError as error:
            raise InputError(f"{path} is damaged: {error}") from None
        log.rows = [row for row in log.rows if (row["step"] or 0) <= until_step]
        return log
