"""Whether a model is still the one that its config describes; a layer can be changed by hand."""

import hashlib
from typing import Any

import numpy as np

from ..backend import dtype_kind, to_host
from ..module import Module
from ..utils import InputError


def check_is_of_its_config(model: Any) -> None:
    """Raise `InputError` for a model with layers or settings that its config does not say.

    Rates of dropout count too: a training that continues would use those of the config.
    """
    got = _layers_and_settings(model)
    expected = _layers_and_settings(type(model)(model.config, rng=0))
    for name in expected | got:
        if got.get(name) != expected.get(name):
            raise InputError(
                f"the model has {name} = {got.get(name)}, but load makes what its config says, "
                f"{expected.get(name)}: make the model of a config that says so, or save the "
                "weights, model.state_dict(), in a file of your own"
            )


def _layers_and_settings(model: Module) -> dict[str, Any]:
    """Return the classes of the layers, their weights and their settings, by name."""
    found: dict[str, Any] = {}
    for name, module in model.named_modules():
        found[name] = type(module).__name__
        for key, value in vars(module).items():
            is_setting = value is None or np.isscalar(value)
            if key in ("forward", "backward"):
                raise InputError(
                    f"{name or type(module).__name__}.{key} was replaced, by hand or in a block "
                    "such as npf.trace: save the model as it was before"
                )
            if is_setting and key not in ("training", "_cache"):
                found[f"{name}.{key}"] = value
            elif dtype_kind(value) == "f":  # an array, such as the table of positions
                # astype may have made a float64 of a float32
                numbers = to_host(value).astype("float32")
                digest = hashlib.sha256(numbers.tobytes()).hexdigest()
                found[f"{name}.{key}"] = f"an array with SHA-256 {digest}"

    # a table that several layers share has one name
    for name, parameter in model.named_parameters():
        found[name] = f"a weight of shape {parameter.data.shape}"
    return found
