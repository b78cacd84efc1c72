"""What a training has learnt: a model with the vocabularies of what it reads and writes."""

from ..models.model_folder import ModelFolder
from ..module import Module
from ..tasks import task_of
from ..utils import AnyPath, InputError


class Predictor:
    """A trained model with a vocabulary for each side of its task, as a folder holds them.

    A kind of it has `task`, that task's name, and an attribute for each of the task's sides.

    Raises `InputError` unless there is something for each side, of the size that the model's config says.
    """

    task: str

    def __init__(self, model: Module, *vocabularies):
        self.model = model
        sides = task_of(model.config).sides
        if len(vocabularies) != len(sides):
            came = f"{type(self).__name__} got {len(vocabularies)} besides the model"
            raise InputError(f"{came}: expected the vocabularies, or names, of {' and '.join(sides)}")
        for (side, size), vocabulary in zip(sides.items(), vocabularies, strict=True):
            if len(vocabulary) != getattr(model.config, size):
                came = f"the model has {size} = {getattr(model.config, size)}, and {side} has {len(vocabulary)}"
                raise InputError(f"{came}: give what the model was trained with")
            setattr(self, side, vocabulary)

    @classmethod
    def load(cls, run: AnyPath):
        """Return what a run folder holds. Raises `InputError` when it is missing, damaged, or of another task."""
        folder = ModelFolder(run)
        folder.check_task(cls.task)
        vocabularies = folder.vocabularies()
        return cls(folder.load_model(), *vocabularies)

    def save(self, folder: AnyPath) -> None:
        """Make a run folder of a model that was trained without one, for `load` and the command line.

        Raises `InputError` when the folder holds a run already, or cannot be made.
        """
        new = ModelFolder(folder)
        vocabularies = (getattr(self, side) for side in task_of(self.model.config).sides)
        new.create(self.model.config, *vocabularies, **self.parts())
        new.save_weights(self.model.state_dict())
        new.complete()

    def parts(self) -> dict[str, dict]:
        """Return what config.json is to say besides the model."""
        return {}
