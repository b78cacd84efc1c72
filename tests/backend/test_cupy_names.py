"""Every name that npformer takes from `xp` exists in CuPy, by CuPy's own list of what it has."""

import ast
from pathlib import Path

import pytest

import npformer
from tests.backend.stand_in import CUPY_NAMES

PACKAGE = Path(npformer.__file__).parent
OWN_NAMES = {"library", "library_name", "use"}


@pytest.fixture(scope="module")
def nodes_of():
    """The syntax of each file of the package, as a list of nodes."""
    return {
        path: list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        for path in PACKAGE.rglob("*.py")
    }


def dotted_name(node: ast.expr) -> list[str]:
    """Return ["xp", "add", "at"] for the expression `xp.add.at`, and [] if it starts with a call
    or an index.
    """
    if isinstance(node, ast.Name):
        return [node.id]
    inner = dotted_name(node.value) if isinstance(node, ast.Attribute) else []
    return [*inner, node.attr] if inner else []


def names_from_xp(nodes: list[ast.AST]) -> set[str]:
    """Return the longest dotted names that follow `xp.`."""
    found = {
        ".".join(parts[1:])
        for node in nodes
        if (parts := dotted_name(node))[:1] == ["xp"] and len(parts) > 1
    }
    return {
        name for name in found if not any(longer.startswith(f"{name}.") for longer in found)
    } - OWN_NAMES


def test_cupy_has_every_name(nodes_of):
    missing = {
        path: names
        for path, nodes in nodes_of.items()
        if (names := names_from_xp(nodes) - CUPY_NAMES)
    }
    assert not missing


def test_xp_is_always_called_xp(nodes_of):
    imports = (
        node for nodes in nodes_of.values() for node in nodes if isinstance(node, ast.ImportFrom)
    )
    assert not [
        name for node in imports for name in node.names if name.name == "xp" and name.asname
    ]


def test_only_backend_module_depends_on_the_array_library(nodes_of):
    for path, nodes in nodes_of.items():
        imported = {
            alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
        }
        used = {
            ".".join(dotted_name(node))
            for node in nodes
            if isinstance(node, (ast.Attribute, ast.Name))
        }
        found = used & {"on_gpu", "xp.library", "xp.library_name"} | imported & {"cupy"}
        assert path.name == "backend.py" or not found, (
            f"{path} uses {sorted(found)}: that belongs in backend.py"
        )
