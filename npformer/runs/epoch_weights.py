"""The weights after each epoch: which are kept, and which are averaged for use."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..training import average_weights, select_epochs
from ..utils import InputError
from .folder import RunFolder
from .settings import TrainingSettings


class KeptEpochs:
    """The weights of the last N and the best N epochs of a run, N of which are averaged.

    `losses` are the held-out losses of the finished epochs.
    """

    def __init__(self, folder: RunFolder, settings: TrainingSettings):
        self.folder = folder
        self.average, self.average_of = settings.average, settings.average_of

    def tidy(self, losses: Sequence[float]) -> None:
        """Delete the weights that are no longer needed, after a checkpoint with these epochs was written."""
        wanted = {epoch for which in ("last", "best") for epoch in select_epochs(losses, self.average, which)}
        for epoch in range(1, len(losses) + 1):
            if epoch not in wanted:
                self.folder.epoch_path(epoch).unlink(missing_ok=True)

    def averaged(self, losses: Sequence[float]) -> dict[str, np.ndarray]:
        """Return the averaged weights. Raises `InputError` when the file of an epoch is missing or damaged."""
        chosen = select_epochs(losses, self.average, self.average_of)
        self._check_kept(chosen)
        return average_weights(self.folder.load_epoch(epoch) for epoch in chosen)

    def check_enough(self, losses: Sequence[float], n_epochs: int) -> None:
        """Raise `InputError` when the file of an epoch that will be averaged after epoch `n_epochs` is missing."""
        first = max(n_epochs, len(losses)) - self.average + 1
        last, best = range(max(first, 1), len(losses) + 1), select_epochs(losses, self.average, "best")
        self._check_kept(last if self.average_of == "last" else best)

    def _check_kept(self, epochs: Iterable[int]) -> None:
        gone = [path for path in map(self.folder.epoch_path, epochs) if not path.exists()]
        if gone:
            needs = f"--average {self.average} of the {self.average_of} needs it"
            why = f"{needs}: a run keeps no more epochs than it averages"
            raise InputError(f"{gone[0]} does not exist, but {why}. Bring the file back, or give a smaller --average")
