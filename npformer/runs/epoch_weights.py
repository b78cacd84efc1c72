"""The weights after each epoch: which are kept, and which are averaged for translating."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..training import average_weights, select_epochs
from ..utils import InputError
from .folder import RunFolder
from .settings import TrainingSettings


class KeptEpochs:
    """Of all epochs of a run the last N and the best N are kept, and N of one kind are averaged.

    `losses` are the held-out losses of the epochs that are done.
    """

    def __init__(self, folder: RunFolder, settings: TrainingSettings):
        self.folder = folder
        self.average, self.average_of = settings.average, settings.average_of

    def tidy(self, losses: Sequence[float]) -> None:
        """Delete the weights that can no longer be wanted.

        Only when a checkpoint at these very epochs is on the disk: an older one may want what is deleted here.
        """
        wanted = {epoch for which in ("last", "best") for epoch in select_epochs(losses, self.average, which)}
        for epoch in range(1, len(losses) + 1):
            if epoch not in wanted:
                self.folder.epoch_path(epoch).unlink(missing_ok=True)

    def averaged(self, losses: Sequence[float]) -> dict[str, np.ndarray]:
        """Return the averaged weights. Raises `InputError` when the file of an epoch is missing or damaged."""
        chosen = select_epochs(losses, self.average, self.average_of)
        self.check_kept(chosen)
        return average_weights(self.folder.load_epoch(epoch) for epoch in chosen)

    def check_enough(self, losses: Sequence[float], n_epochs: int) -> None:
        """Raise `InputError` when an epoch that is done is gone, and will be averaged after epoch `n_epochs`."""
        first = max(n_epochs, len(losses)) - self.average + 1
        last, best = range(max(first, 1), len(losses) + 1), select_epochs(losses, self.average, "best")
        self.check_kept(last if self.average_of == "last" else best)

    def check_kept(self, epochs: Iterable[int]) -> None:
        """Raise `InputError` when the file of an epoch is missing."""
        gone = [path for path in map(self.folder.epoch_path, epochs) if not path.exists()]
        if gone:
            needs = f"--average {self.average} of the {self.average_of} needs it"
            why = f"{needs}: a run keeps no more epochs than it averages"
            raise InputError(f"{gone[0]} does not exist, but {why}. Bring the file back, or give a smaller --average")
