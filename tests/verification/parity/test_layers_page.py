"""The page of the layers in three notations: its PyTorch gives what npformer gives, and the same gradients."""

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
    arrays = [names["y"], *names["gradients"]]
    tensors = [names["y_torch"], *names["gradients_torch"]]
    assert len(arrays) == len(tensors) > 1
    for array, tensor in zip(arrays, tensors, strict=True):
        assert np.shape(array) == tuple(tensor.shape)
        np.testing.assert_allclose(array, tensor.detach().numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.partition("\n")[0])
def test_page_itself_finds_a_wrong_gradient(section):
    code = python_of(START) + python_of(section)
    before, compared, after = code.rpartition("gradients_torch = ")
    names = {}
    exec(before, names)
    names["gradients"] = [names["gradients"][0] + 1e-9, *names["gradients"][1:]]
    with pytest.raises(AssertionError):
        exec(compared + after, names)
