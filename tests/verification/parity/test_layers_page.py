"""The page of the layers in three notations: its PyTorch gives what its npformer gives."""

import re
from pathlib import Path

import numpy as np
import pytest

from npformer import layers

torch = pytest.importorskip("torch", reason='needs pip install "npformer[torch]"')

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reference" / "layers.md").read_text(encoding="utf-8")
START, *SECTIONS = PAGE.split("\n## ")


def python_of(text):
    return "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_pytorch_gives_the_same(section):
    names = {}
    exec(python_of(START), names)
    exec(python_of(section), names)
    layer = section.partition("\n")[0].partition(":")[0]
    assert isinstance(names["layer"], getattr(layers, layer))
    np.testing.assert_allclose(names["y"], names["y_torch"].numpy(), rtol=1e-10, atol=1e-12)
