"""Every name that npformer takes from `xp` exists in CuPy, by CuPy's own list of what it has."""

import ast
from pathlib import Path

import pytest
from stand_in import CUPY_NAMES

import npformer

PACKAGE = Path(npformer.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
OWN_NAMES = {"library", "library_name", "replaced", "use"}


def dotted_name(node: ast.expr) -> list[str]:
    """Return ["xp", "add", "at"] for the expression `xp.add.at`, and [] where a call or an index stands first."""
    if isinstance(node, ast.Name):
        return [node.id]
    inner = dotted_name(node.value) if isinstance(node, ast.Attribute) else []
    return [*inner, node.attr] if inner else []


def names_from_xp(source: str) -> set[str]:
    """Return the longest dotted names that follow `xp.` in a source."""
    tree = ast.walk(ast.parse(source))
    found = {".".join(parts[1:]) for node in tree if (parts := dotted_name(node))[:1] == ["xp"] and len(parts) > 1}
    return {name for name in found if not any(longer.startswith(f"{name}.") for longer in found)} - OWN_NAMES


def names_missing_in_cupy(source: str) -> set[str]:
    return names_from_xp(source) - CUPY_NAMES


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_cupy_has_every_name(path):
    missing = names_missing_in_cupy(path.read_text(encoding="utf-8"))
    assert not missing, f"{path} takes names from xp that CuPy lacks: {sorted(missing)}"


def test_xp_is_always_called_xp():
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                renamed = [name for name in node.names if name.name == "xp" and name.asname not in (None, "xp")]
                assert not renamed, f"{path} gives xp another name, which hides what it takes from xp"


def test_only_the_backend_knows_which_library_it_is():
    for path in FILES:
        if path.name == "backend.py":
            continue
        tree = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imported = {alias.name for node in tree if isinstance(node, ast.Import) for alias in node.names}
        asked = {".".join(dotted_name(node)) for node in tree if isinstance(node, (ast.Attribute, ast.Name))}
        telltale = asked & {"on_gpu", "xp.library", "xp.library_name"} | {name for name in imported if name == "cupy"}
        assert not telltale, f"{path} asks which library is in use ({sorted(telltale)}): that belongs in backend.py"
