"""Recipes: settings to start from, each a JSON file of what differs from the defaults."""

from importlib.resources import files
from pathlib import Path

from ..tasks import TASKS
from ..utils import InputError, Setting, prefix_errors, read_json
from .settings import DataSettings, TrainingSettings

__all__ = ["merge_settings", "model_options", "read_recipe", "recipes", "training_options"]

SHIPPED = Path(str(files("npformer.runs") / "recipes"))


def model_options() -> dict[str, Setting]:
    """Return the settings of the models of all tasks.

    If several tasks have one name, it is the setting with the most choices. The config of a task
    refuses those that it does not have.
    """
    options: dict[str, Setting] = {}
    for task in TASKS.values():
        for name, known in task.predictor.config_class.options().items():
            n_choices = len(known.choices or ())
            if name not in options or n_choices > len(options[name].choices or ()):
                options[name] = known
    return options


def training_options() -> dict[str, Setting]:
    """Return the settings of a training that a recipe can have."""
    options = TrainingSettings.options()
    for name in DataSettings.options():
        del options[name]
    return options


def recipes() -> list[str]:
    """Return the names of the shipped recipes.

    >>> "base" in recipes()
    True
    """
    return sorted(path.stem for path in SHIPPED.iterdir())


def read_recipe(name: str) -> dict:
    """Return the settings of one of `recipes()`, or of a JSON file like them.

    Raises `InputError` when there is no such recipe, or it has other settings.
    """
    path = SHIPPED / f"{name}.json" if name in recipes() else Path(name)
    if path.suffix != ".json":
        raise InputError(
            f"recipe {name!r} is unknown: expected one of {', '.join(recipes())}, or a .json file"
        )

    settings = {}
    options = {"model": model_options(), "training": training_options()}
    content = read_json(path)
    with prefix_errors(f"{path} is not a recipe"):
        for part, values in content.items():
            if part not in options or not isinstance(values, dict):
                raise InputError("expected a 'model' and a 'training', each with settings by name")
            unknown = values.keys() - options[part].keys()
            if unknown:
                raise InputError(f"its {part!r} has unknown {', '.join(sorted(unknown))}")
            for setting, value in values.items():
                settings[setting] = options[part][setting].checked(value)
    return settings


def merge_settings(arguments: dict) -> tuple[TrainingSettings, dict]:
    """Return the settings of a training and those of its model.

    The recipe's come first, then what the data set prescribes, then the arguments: the later ones
    replace the earlier. Settings of a recipe's model that the data set's task does not have are
    ignored.

    >>> training, model = merge_settings({"dataset": "phrasebook", "epochs": 3})
    >>> training.recipe, training.epochs, training.lowercase, model["d_model"]
    ('tiny', 3, 'source', 64)
    """
    about_data = {name: arguments[name] for name in DataSettings.options() if name in arguments}
    data = DataSettings(**about_data).data_set()
    of_model = TASKS[data.task].predictor.config_class.options()
    _check_names(arguments, data.task)

    recipe = arguments.get("recipe") or data.recipe
    settings = read_recipe(recipe)
    prescribed = {
        "tokenizer": data.tokenizer,
        "lowercase": data.lowercase,
        "direction": data.checked_direction(None),
    }
    for name, value in prescribed.items():
        if value is not None:
            settings[name] = value
    settings |= arguments
    settings["recipe"] = recipe

    # what the recipe or the data set says about lowercase is meant for words
    if settings.get("tokenizer") == "bpe" and "lowercase" not in arguments:
        settings.pop("lowercase", None)

    model = {}
    training = {}
    for name, value in settings.items():
        if name in of_model:
            model[name] = of_model[name].checked(value)
        elif name in TrainingSettings.options():
            training[name] = value
    return TrainingSettings(**training), model


def _check_names(arguments: dict, task: str) -> None:
    """Raise `InputError` for an argument that is no setting, or that of another task's model."""
    of_any_model = model_options()
    unknown = arguments.keys() - of_any_model.keys() - TrainingSettings.options().keys()
    if unknown:
        raise InputError(
            f"unknown settings {', '.join(sorted(unknown))}: "
            "expected those of TrainingSettings or of the model's config"
        )

    of_model = TASKS[task].predictor.config_class.options()
    foreign = (arguments.keys() & of_any_model.keys()) - of_model.keys()
    if foreign:
        raise InputError(
            f"a model of the task {task} has no {', '.join(sorted(foreign))}: "
            f"its settings are {', '.join(of_model)}"
        )
