"""repr(model) is a tree: a line per layer, indented, with the parameters in it counted; others
are one line.
"""

import re

import numpy as np
import pytest

from npformer import Parameter, layers
from npformer.training import Adam, CosineSchedule, WarmupSchedule


def lines_of(layer):
    """Yield (depth, text, count) of each line."""
    for line in repr(layer).splitlines():
        number = re.search(r", ([\d,]+) parameters?$", line)
        yield (
            (len(line) - len(line.lstrip())) // 2,
            line.strip(),
            int(number[1].replace(",", "")) if number else 0,
        )


@pytest.mark.parametrize("tie_embeddings", ["none", "all"])
def test_model_repr_is_a_tree_with_one_line_per_layer(make_model, tie_embeddings):
    model = make_model(tie_embeddings=tie_embeddings, n_decoder_layers=2, n_encoder_layers=12)
    found, modules = list(lines_of(model)), list(model.named_modules())
    for (depth, text, count), (name, module) in zip(found, modules, strict=True):
        around = [other for other, _ in modules if name.startswith(f"{other}.")]
        own = name.removeprefix(f"{max(around, key=len)}.") if around else name
        assert depth == len(around) + bool(name)
        assert text.startswith(f"{own}: {module.display_name}" if name else "Transformer()")
        assert count == sum(p.data.size for p in module.parameters()), name
    assert found[0][2] == sum(p.data.size for p in model.parameters()) > 1000


def test_layer_repr_and_singular_parameter():
    assert repr(layers.Linear(2, 3)) == "Linear(2, 3)" and repr(layers.ReLU()) == "ReLU()"
    assert repr(layers.Dropout(0.1)) == "Dropout(0.1)"  # p is 6554 / 65536
    assert repr(layers.FeedForward(40, 30)).startswith("FeedForward(40, 30), 2,470 parameters\n")
    assert repr(layers.FeedForward(1, 2)).splitlines() == [
        "FeedForward(1, 2), 7 parameters",
        "  linear_1: Linear(1, 2), 4 parameters",
        "  activation: ReLU()",
        "  linear_2: Linear(2, 1), 3 parameters",
    ]
    chain = layers.PostNorm(layers.Linear(1, 1, bias=False), 1, dropout=0.25)
    assert repr(chain).splitlines()[1:3] == [
        "  sublayer: Linear(1, 1), 1 parameter",
        "  dropout: Dropout(0.25)",
    ]


def test_errors_name_a_layer_only_by_its_label():
    layer = layers.FeedForward(2, 3)
    with pytest.raises(RuntimeError, match=r"^Linear\(3, 2\)\.backward has no cached forward"):
        layer.backward(None)


def test_optimizer_and_schedule_repr_show_settings():
    adam = Adam([Parameter(np.ones(1200))], learning_rate=WarmupSchedule(64, 20))
    rate = "WarmupSchedule(d_model=64, warmup_steps=20, factor=1.0)"
    assert (
        repr(adam)
        == f"Adam(1,200 parameters, learning_rate={rate}, beta1=0.9, beta2=0.98, eps=1e-09, "
        "weight_decay=0.0, steps=0)"
    )
    cosine = CosineSchedule(0.1, warmup_steps=1, decay_steps=9)
    assert repr(cosine) == "CosineSchedule(peak=0.1, warmup_steps=1, decay_steps=9, final=0.0)"
