"""Recipes: settings to start from, each a JSON file of what differs from the defaults."""

from importlib.resources import files
from pathlib import Path

from ..tasks import TASKS
from ..utils import InputError, prefix_errors, read_json, settings_of
from .settings import SOURCES, TrainingSettings

SHIPPED = files("npformer.runs") / "recipes"
OF_TASK = {
    task.name: {name: known for name, known in settings_of(task.config).items() if known.help}
    for task in reversed(TASKS.values())  # of settings with one name translation's has the most choices
}
MODEL = {name: known for known_of in OF_TASK.values() for name, known in known_of.items()}
TRAINING = {name: known for name, known in settings_of(TrainingSettings).items() if name not in (*SOURCES, "recipe")}


def recipes() -> list[str]:
    """Return the names of the shipped recipes.

    >>> "base" in recipes()
    True
    """
    return sorted(path.name.removesuffix(".json") for path in SHIPPED.iterdir())


def read_recipe(name: str) -> dict:
    """Return what one of `recipes()` sets, or a JSON file like them. Raises `InputError` where that cannot be set."""
    shipped = name in recipes()
    if not shipped and Path(name).suffix != ".json":
        raise InputError(f"recipe {name!r} is unknown: expected one of {', '.join(recipes())}, or a .json file")
    path = SHIPPED / f"{name}.json" if shipped else Path(name)
    recipe, settings = read_json(path), {}
    with prefix_errors(f"{path} is no recipe"):
        for part, values in recipe.items():
            known = {"model": MODEL, "training": TRAINING}.get(part)
            if known is None or not isinstance(values, dict):
                raise InputError("expected a 'model' and a 'training', each with settings by name")
            if unknown := values.keys() - known.keys():
                raise InputError(f"its {part!r} has unknown {', '.join(sorted(unknown))}")
            settings |= {name: known[name].checked(value) for name, value in values.items()}
    return settings


def resolve(given: dict) -> tuple[TrainingSettings, dict]:
    """Return the settings of a training and those of its model: recipe, then data set, then what was given.

    Of a recipe's model only what a model of the data set's task has is taken.

    >>> training, model = resolve({"dataset": "phrasebook", "epochs": 3})
    >>> training.recipe, training.epochs, training.lowercase, model["d_model"]
    ('tiny', 3, 'source', 64)
    """
    if unknown := given.keys() - {*MODEL, *TRAINING, *SOURCES, "recipe"}:
        raise InputError(f"unknown settings {', '.join(sorted(unknown))}: `npformer train --help` lists all there are")
    sources = {name: given[name] for name in SOURCES if name in given}
    data = TrainingSettings(**sources).data_set()
    known = OF_TASK[data.task]
    if foreign := (given.keys() & MODEL.keys()) - known.keys():
        what = f"a model of {TASKS[data.task].words} has no {', '.join(sorted(foreign))}"
        raise InputError(f"{what}: its settings are {', '.join(known)}")
    recipe = given.get("recipe") or data.recipe
    by_data = {"unit": data.unit, "lowercase": data.lowercase, "direction": data.checked_direction(None)}
    by_data = {name: value for name, value in by_data.items() if value is not None}
    settings = {**read_recipe(recipe), **by_data, **given, "recipe": recipe}
    if settings.get("unit") == "subwords" and "lowercase" not in given:
        settings.pop("lowercase", None)  # which was meant for the words of the recipe or the data set
    model = {name: known[name].checked(settings[name]) for name in known if name in settings}
    return TrainingSettings(**{name: value for name, value in settings.items() if name not in MODEL}), model
