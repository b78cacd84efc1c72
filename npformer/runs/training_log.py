"""The log of a run: one row per update, as CSV."""

from collections.abc import Sequence
from typing import Any

from ..training import StepRecord
from ..utils import AnyPath, InputError, prefix_errors, read_text

__all__ = ["TrainingLog"]

COLUMNS: dict[str, type] = {
    "step": int,
    "epoch": int,
    "loss": float,
    "learning_rate": float,
    "tokens": int,
    "seconds": float,
    "held_out_loss": float,  # of the last update of an epoch; empty in other rows
}


class TrainingLog:
    """Rows of step, epoch, loss, learning rate, target tokens, seconds and held-out loss.

    The seconds are those since the run began. The held-out loss is None where it was not measured.

    >>> log = TrainingLog()
    >>> log.add(StepRecord(1, 1, 2.5, 0.001, 640, True), seconds=0.25)
    >>> log.rows[-1]["held_out_loss"] = 2.25
    >>> TrainingLog.parse(log.csv()).rows == log.rows
    True
    """

    def __init__(self, rows: Sequence[dict[str, Any]] = ()):
        self.rows = list(rows)

    def add(self, record: StepRecord, *, seconds: float) -> None:
        """Append the row of an update."""
        row = {
            "step": record.step,
            "epoch": record.epoch,
            "loss": record.loss,
            "learning_rate": record.learning_rate,
            "tokens": record.tokens,
            "seconds": round(seconds, 3),
            "held_out_loss": None,
        }
        self.rows.append(row)

    def column(self, name: str) -> tuple[list[int], list]:
        """Return the steps at which a column has a value, and the values."""
        steps = []
        values = []
        for row in self.rows:
            if row[name] is not None:
                steps.append(row["step"])
                values.append(row[name])
        return steps, values

    def tokens(self, epoch: int) -> int:
        """Return the number of target tokens of an epoch."""
        return sum(row["tokens"] for row in self.rows if row["epoch"] == epoch)

    def training_loss(self, epoch: int) -> float:
        """Return the mean loss per target token of an epoch's updates."""
        rows = [row for row in self.rows if row["epoch"] == epoch]
        total = sum(row["tokens"] * row["loss"] for row in rows)
        return total / self.tokens(epoch)

    def held_out_losses(self) -> list[float]:
        """Return the held-out loss of each epoch that is done."""
        return self.column("held_out_loss")[1]

    def csv(self) -> str:
        """Return the log as CSV text; floats are written so that they read back exactly."""
        lines = [",".join(COLUMNS)]
        for row in self.rows:
            cells = [str(value) if value is not None else "" for value in row.values()]
            lines.append(",".join(cells))
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> "TrainingLog":
        """Return the log that `csv` wrote. Raises `InputError` when a row is not of that form."""
        # not by "\n", because a spreadsheet may have written "\r\n"
        header, *lines = text.splitlines() or [""]
        rows: list[dict] = []
        for number, line in enumerate(lines, start=2):
            try:
                cells = dict(zip(header.split(","), line.split(","), strict=True))
                row: dict[str, Any] = {}
                for name, value_type in COLUMNS.items():
                    row[name] = value_type(cells[name]) if _has_value(name, cells) else None
            except (KeyError, ValueError):
                raise InputError(f"line {number} is not a row of a training log") from None
            rows.append(row)
        return cls(rows)

    @classmethod
    def load(cls, path: AnyPath, *, until_step: int) -> "TrainingLog":
        """Read a log up to the row of `until_step`, which is where a checkpoint was taken.

        Raises `InputError` when the file is missing, is not a log, or lacks a row.
        """
        text = read_text(path)
        with prefix_errors(f"{path} is damaged"):
            # a run that was killed may have logged updates after its last checkpoint
            rows = cls.parse(text).rows[:until_step]
            steps = [row["step"] for row in rows]
            if len(rows) < until_step or steps != list(range(1, until_step + 1)):
                raise InputError(f"expected a row for each update from 1 to {until_step}")
        return cls(rows)


def _has_value(name: str, cells: dict[str, str]) -> bool:
    return name != "held_out_loss" or cells[name] != ""
