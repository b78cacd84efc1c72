"""What `import npformer` loads, its public names, and that no files import each other in a
circle.
"""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import npformer as npf


def loaded_by(statement):
    code = f"{statement}; import sys; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True
        ).stdout.split()
    )


def test_import_and_model_require_only_numpy():
    loaded = loaded_by(
        "import npformer as npf; npf.Transformer(npf.TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9))"
    )
    assert not loaded & {"matplotlib", "tqdm", "safetensors", "sacrebleu", "threadpoolctl", "pooch"}


@pytest.mark.parametrize("name", npf.__all__)
def test_every_public_name_exists(name):
    assert getattr(npf, name) is not None


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="module 'npformer' has no attribute 'gradchek'"):
        _ = npf.gradchek


def test_function_name_cannot_be_imported_as_module():
    with pytest.raises(ModuleNotFoundError):
        import_module("npformer.gradcheck")
    assert "npformer.gradcheck" not in sys.modules


ROOT = Path(npf.__file__).parent
FILES = {
    ".".join(("npformer", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in ROOT.rglob("*.py")
}


def needed_by(name):
    """Return which files of npformer a file imports when it is loaded."""
    package = name if FILES[name].name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.parse(FILES[name].read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1])
            origin = f"{above}.{node.module}" if node.module else above
            found |= {
                f"{origin}.{alias.name}" if f"{origin}.{alias.name}" in FILES else origin
                for alias in node.names
            }
    return found & FILES.keys() - {name}


def test_no_circular_imports():
    needs = {name: needed_by(name) for name in FILES}
    assert needs["npformer.models.encoder"] >= {"npformer.models.config", "npformer.module"}
    while free := [name for name, needed in needs.items() if not needed & needs.keys()]:
        for name in free:
            del needs[name]
    assert sorted(needs) == [], "in a circle, or above one"
