"""Recipes: settings to start from, each a JSON file of what differs from the defaults."""

from importlib.resources import files
from pathlib import Path

from ..tasks import TASKS, Task
from ..utils import InputError, Setting, prefix_errors, read_json, settings_of
from .settings import SOURCES, TrainingSettings

SHIPPED = files("npformer.runs") / "recipes"
TRAINING = {
    name: known
    for name, known in settings_of(TrainingSettings).items()
    if name not in (*SOURCES, "recipe")
}


def task_settings(task: Task) -> dict[str, Setting]:
    """Return the settings of a task's model that a user can choose."""
    return {
        name: known
        for name, known in settings_of(task.predictor.config_class).items()
        if known.help
    }


def model_settings() -> dict[str, Setting]:
    """Return the settings of the models of all tasks; the first task's if several have one name."""
    return {
        name: known
        for task in reversed(TASKS.values())
        for name, known in task_settings(task).items()
    }


def recipes() -> list[str]:
    """Return the names of the shipped recipes.

    >>> "base" in recipes()
    True
    """
    return sorted(path.name.removesuffix(".json") for path in SHIPPED.iterdir())


def read_recipe(name: str) -> dict:
    """Return the settings of one of `recipes()`, or of a JSON file like them. Raises `InputError` for unknown ones."""
    path = SHIPPED / f"{name}.json" if name in recipes() else Path(name)
    if not path.name.endswith(".json"):
        raise InputError(
            f"recipe {name!r} is unknown: expected one of {', '.join(recipes())}, or a .json file"
        )
    recipe, settings, parts = read_json(path), {}, {"model": model_settings(), "training": TRAINING}
    with prefix_errors(f"{path} is not a recipe"):
        for part, values in recipe.items():
            if part not in parts or not isinstance(values, dict):
                raise InputError("expected a 'model' and a 'training', each with settings by name")
            known = parts[part]
            if unknown := values.keys() - known.keys():
                raise InputError(f"its {part!r} has unknown {', '.join(sorted(unknown))}")
            settings |= {name: known[name].checked(value) for name, value in values.items()}
    return settings


def resolve(overrides: dict) -> tuple[TrainingSettings, dict]:
    """Return the settings of a training and those of its model: the recipe's, the data set's, then those overrides.

    Settings of a recipe's model that the data set's task does not have are ignored.

    >>> training, model = resolve({"dataset": "phrasebook", "epochs": 3})
    >>> training.recipe, training.epochs, training.lowercase, model["d_model"]
    ('tiny', 3, 'source', 64)
    """
    of_models = model_settings()
    if unknown := overrides.keys() - {*of_models, *TRAINING, *SOURCES, "recipe"}:
        raise InputError(
            f"unknown settings {', '.join(sorted(unknown))}: `npformer train --help-all` lists all"
        )
    data = TrainingSettings(
        **{name: overrides[name] for name in SOURCES if name in overrides}
    ).data_set()
    known = task_settings(TASKS[data.task])
    if foreign := (overrides.keys() & of_models.keys()) - known.keys():
        problem = f"a model of the task {data.task} has no {', '.join(sorted(foreign))}"
        raise InputError(f"{problem}: its settings are {', '.join(known)}")
    recipe = overrides.get("recipe") or data.recipe
    of_data = {
        "unit": data.unit,
        "lowercase": data.lowercase,
        "direction": data.checked_direction(None),
    }
    of_data = {name: value for name, value in of_data.items() if value is not None}
    settings = {**read_recipe(recipe), **of_data, **overrides, "recipe": recipe}
    if settings.get("unit") == "subwords" and "lowercase" not in overrides:
        settings.pop("lowercase", None)  # the recipe or the data set set it for words
    model = {name: known[name].checked(settings[name]) for name in known if name in settings}
    return TrainingSettings(
        **{name: value for name, value in settings.items() if name not in of_models}
    ), model
