"""Looking into lists, tuples and dicts, however deep."""

from collections.abc import Iterator

from .errors import InputError
from .parameter import Parameter

CONTAINERS = (list, tuple, dict, set, frozenset)


def found_in(name: str, container, kind: type) -> Iterator[tuple[str, object]]:
    """Yield what is of a kind in a list, tuple or dict, with dotted names.

    Raises `InputError` for a set of such things, which has no order to name them by.

    >>> list(found_in("rates", [0.1, {"last": 0.2}, "none"], float))
    [('rates.0', 0.1), ('rates.1.last', 0.2)]
    """
    if isinstance(container, (set, frozenset)):
        if any(isinstance(item, (kind, Parameter)) for item in container):
            raise InputError(f"{name} is a set of layers or parameters, which have no order there: make it a list")
        return
    for key, item in container.items() if isinstance(container, dict) else enumerate(container):
        if isinstance(item, kind):
            yield f"{name}.{key}", item
        elif isinstance(item, CONTAINERS):
            yield from found_in(f"{name}.{key}", item, kind)


def held(container) -> list:
    """Return what is in a container, and in the containers there."""
    found = []
    for value in container.values() if isinstance(container, dict) else container:
        found += [value, *held(value)] if isinstance(value, CONTAINERS) else [value]
    return found
