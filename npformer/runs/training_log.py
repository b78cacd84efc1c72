"""The log of a run: one row per update, as CSV."""

from ..training import StepRecord
from ..utils import AnyPath, InputError, prefix_errors, read_text

COLUMNS = {
    "step": int,
    "epoch": int,
    "loss": float,
    "learning_rate": float,
    "tokens": int,
    "seconds": float,
}
COLUMNS |= {"validation_loss": float}  # of the last update of an epoch


class TrainingLog:
    """Rows of step, epoch, loss, learning rate, target tokens, seconds so far and, if measured, validation loss.

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
        row = {
            name: getattr(record, name)
            for name in ("step", "epoch", "loss", "learning_rate", "tokens")
        }
        self.rows.append({**row, "seconds": round(seconds, 3), "validation_loss": None})

    def column(self, name: str) -> tuple[list[int], list]:
        """Return the steps at which a column has a value, and the values."""
        rows = [row for row in self.rows if row[name] is not None]
        return [row["step"] for row in rows], [row[name] for row in rows]

    def training_loss(self, epoch: int) -> float:
        """Return the mean loss per target token of an epoch's updates."""
        rows = [row for row in self.rows if row["epoch"] == epoch]
        return sum(row["tokens"] * row["loss"] for row in rows) / sum(row["tokens"] for row in rows)

    def held_out_losses(self) -> list[float]:
        """Return the held-out loss of each epoch that is done."""
        return self.column("validation_loss")[1]

    def csv(self) -> str:
        """Return the log as CSV text; floats are written so that they read back exactly."""
        rows = (
            [str(value) if value is not None else "" for value in row.values()] for row in self.rows
        )
        return "".join(",".join(row) + "\n" for row in [COLUMNS, *rows])

    @classmethod
    def parse(cls, text: str) -> "TrainingLog":
        """Return the log that `csv` wrote. Raises `InputError` when a row is not of that form."""
        header, *lines = text.removesuffix("\n").split("\n")
        rows = []
        try:
            for line in lines:
                cells = dict(zip(header.split(","), line.split(","), strict=True))
                measured = [name for name in COLUMNS if cells[name] or name != "validation_loss"]
                rows.append(
                    dict.fromkeys(COLUMNS) | {name: COLUMNS[name](cells[name]) for name in measured}
                )
        except (KeyError, ValueError):
            raise InputError(f"line {len(rows) + 2} is not a row of a training log") from None
        return cls(rows)

    @classmethod
    def load(cls, path: AnyPath, *, until_step: int) -> "TrainingLog":
        """Read a log up to the row of `until_step`, which is where a checkpoint was taken.

        Raises `InputError` when the file is missing, is not a log, or lacks a row.
        """
        text = read_text(path)
        with prefix_errors(f"{path} is damaged"):
            rows = cls.parse(text).rows[:until_step]
            if len(rows) < until_step or [row["step"] for row in rows] != list(
                range(1, until_step + 1)
            ):
                raise InputError(f"expected a row for each update from 1 to {until_step}")
        return cls(rows)
