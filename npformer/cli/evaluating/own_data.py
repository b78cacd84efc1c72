"""The data that a run is evaluated on when nobody gives other."""

from ...runs.folder import RunFolder


def own_data(folder: RunFolder, instead: str) -> list:
    """Return the test examples of what a run was trained on, or where there are none the held-out ones.

    Raises `InputError`, which says the options to give `instead`, when the run has no training.
    """
    settings = folder.training(f" and its data: say {instead}")
    data = settings.data_set()
    [part] = data.load("test" if "test" in data.parts else "held_out", direction=settings.direction, seed=settings.seed)
    return part
