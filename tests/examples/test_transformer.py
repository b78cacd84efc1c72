"""examples/transformer.py computes what the library computes, and learns."""

import ast
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import npformer as npf
from npformer.decoding import greedy_decode
from tests.small_models import disturb

from .conftest import EXAMPLES

D_MODEL, N_HEADS, D_FF, N_LAYERS, WARMUP = 16, 4, 24, 2, 4
SOURCES = [[5, 3, 4, 10], [3, 6, 10, 9, 5], [4, 5, 6]]
TOLERANCE = {"rtol": 0, "atol": 1e-12}


@pytest.fixture
def example(load_example):
    return load_example("transformer")


@pytest.fixture
def models(example):
    """The example's model and the library's, with the same weights and no dropout."""
    rng = np.random.default_rng(0)
    ours = example.Transformer(13, D_MODEL, N_HEADS, D_FF, N_LAYERS, 0.0, rng)
    config = npf.TransformerConfig(
        src_vocab_size=13,
        tgt_vocab_size=13,
        d_model=D_MODEL,
        d_ff=D_FF,
        n_heads=N_HEADS,
        n_encoder_layers=N_LAYERS,
        n_decoder_layers=N_LAYERS,
        dropout=0.0,
        tie_embeddings="all",
        start_id=example.BOS,
        max_len=20,
        dtype="float64",
    )
    library = npf.Transformer(config, rng=1)
    disturb(library, np.random.default_rng(2))
    for _, parameter, same in side_by_side(example, ours, library):
        parameter.data = same.data.copy()
    return ours, library


def side_by_side(example, ours, library):
    """Return the name of each parameter, the example's and the library's."""
    pairs = zip(example.named_parameters(ours).items(), library.parameters(), strict=True)
    return [(name, parameter, same) for (name, parameter), same in pairs]


def test_file_imports_numpy_and_the_standard_library():
    text = (EXAMPLES / "transformer.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        assert not isinstance(node, ast.ImportFrom)
    assert imported == {"math", "numpy", "sys", "time"}


def test_logits_loss_gradients_and_ten_updates_equal_the_library(example, models):
    ours, library = models
    pairs = side_by_side(example, ours, library)
    loss, same_loss = example.LabelSmoothingLoss(0.1), npf.LabelSmoothingLoss(eps=0.1)
    adam = example.Adam([parameter for _, parameter, _ in pairs], D_MODEL, WARMUP)
    same_adam = npf.Adam(library.parameters(), npf.WarmupSchedule(D_MODEL, WARMUP))
    src, tgt_in, tgt_out = example.make_batch(SOURCES)

    for _ in range(10):
        logits, same_logits = ours.forward(src, tgt_in), library.forward(src, tgt_in)
        # at padding the example's decoder may look at padding
        real = tgt_in != example.PAD
        np.testing.assert_allclose(logits[real], same_logits[real], **TOLERANCE)
        value, same_value = loss.forward(logits, tgt_out), same_loss.forward(same_logits, tgt_out)
        assert value == pytest.approx(same_value, abs=1e-12)

        ours.backward(loss.backward())
        library.backward(same_loss.backward())
        for name, parameter, same in pairs:
            np.testing.assert_allclose(parameter.grad, same.grad, **TOLERANCE, err_msg=name)
        adam.step()
        same_adam.step()
        same_adam.zero_grad()

    for name, parameter, same in pairs:
        # The bias of the keys shifts all scores of a row alike, so its gradient is zero except
        # for rounding. Adam divides it by its own size, and makes steps of that rounding.
        if name.endswith("w_key.bias"):
            assert np.abs(parameter.data - same.data).max() < 1e-6
        else:
            np.testing.assert_allclose(parameter.data, same.data, **TOLERANCE, err_msg=name)


@pytest.mark.parametrize("seed", range(5))
def test_greedy_output_is_that_of_the_library(example, models, seed):
    ours, library = models
    rng = np.random.default_rng(seed)
    # ends of different lengths, some before the limit
    shift = 0.5 * rng.normal(size=library.generator.table.data.shape)
    library.generator.table.data += shift
    ours.table.data = library.generator.table.data.copy()

    src, _, _ = example.make_batch([example.random_digits(rng) for _ in range(8)])
    translations = example.greedy_decode(ours, src, max_len=12)
    limits = 12 - (src != example.PAD).sum(1)
    for row, (ids, extra) in enumerate(zip(translations, limits, strict=True)):
        alone = src[row : row + 1, : 12 - extra]
        [same] = greedy_decode(library, alone, eos_id=example.EOS, max_extra_tokens=int(extra))
        assert ids == same


def test_dropout_changes_training_alone(example):
    rng = np.random.default_rng(0)
    layer = example.Dropout(0.25, rng)
    x = np.ones((100, 100), "float32")
    y = layer.forward(x)
    assert y.dtype == "float32" and set(np.unique(y)) == {0, np.float32(1 / 0.75)}
    assert 0.2 < (y == 0).mean() < 0.3
    np.testing.assert_array_equal(layer.backward(x), y)
    example.Dropout.training = False
    np.testing.assert_array_equal(layer.forward(x), x)


def test_loss_falls_and_stays_above_its_floor(example, capsys, monkeypatch):
    make_batch = example.make_batch
    monkeypatch.setattr(example, "make_batch", lambda sources: make_batch(sources[:32]))
    example.train(n_steps=200)
    printed = capsys.readouterr().out
    floor = float(re.search(r"no loss is below ([\d.]+)", printed)[1])
    first, second = map(float, re.findall(r"loss ([\d.]+) ", printed.split("\n", 1)[1]))
    assert floor < second < first < 2.6
    smoothed = np.full(13, 0.1 / 13)
    smoothed[0] += 0.9
    assert floor == pytest.approx(-(smoothed * np.log(smoothed)).sum(), abs=1e-3)


def run(*options):
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, EXAMPLES / "transformer.py", *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    return done.stdout


@pytest.mark.long
def test_check_finds_no_wrong_gradient():
    printed = run("--check")
    assert float(re.search(r"largest error (\S+)", printed)[1]) < 1e-8
    assert len(re.findall("  error ", printed)) == 85


@pytest.mark.long
def test_held_out_sequences_are_reversed():
    right, n = re.search(r"(\d+) of (\d+) held-out sequences are right", run()).groups()
    assert int(n) == 200 and int(right) >= 190  # 195 to 200, depending on the processor
