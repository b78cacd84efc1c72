"""egyptian-arabizi-franco, a really trained nn.Transformer, writes in NumPy what it writes in
onnxruntime.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer.visualization import sentence_attention

EXTRA = 'pip install -e ".[parity]"'
pytest.importorskip("onnx", reason=f"onnx is missing: {EXTRA}")
onnxruntime = pytest.importorskip("onnxruntime", reason=f"onnxruntime is missing: {EXTRA}")
package = find_spec("egyptian_arabizi_franco")
if package is None:
    pytest.skip(f"the model is missing: {EXTRA}", allow_module_level=True)
FOLDER = Path(package.submodule_search_locations[0]) / "models"
HOW = "--tokenizer character --lowercase source --source-special-tokens none --norm pre --n-heads 4 --embedding-scale sqrt".split()
SENTENCES = [
    "ezayak 3amel eh",
    "yalla bina",
    "Msh fahem 7aga",
    "el akl helw awy",
    "bokra isa",
    "3ayez aroo7",
    "a",
]


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    from npformer.cli import main

    run = tmp_path_factory.mktemp("elsewhere") / "arabizi"
    assert (
        main(
            [
                "import",
                str(FOLDER),
                str(run),
                "--source-vocabulary",
                str(FOLDER / "vocab.json"),
                *HOW,
            ]
        )
        == 0
    )
    return npf.load(run)


@pytest.fixture(scope="module")
def theirs():
    from egyptian_arabizi_franco import Converter

    return Converter(raw=True, threads=1)


def test_greedy_output_equals_onnxruntime(translator, theirs):
    written = translator.translate(SENTENCES, beam=1)
    assert written == theirs.convert(SENTENCES)
    assert len(set(written)) == len(SENTENCES)


def test_logits_equal_onnxruntime(translator, theirs):
    """In one batch, with padding, after each prefix of what it writes."""
    engine, model = theirs.engine, translator.model
    # where their <pad>, <unk>, <s> and </s> stand
    to_theirs = np.array([0, 3, 1, 2, *range(4, len(engine.chars))])
    sources = [translator.encode(sentence) for sentence in SENTENCES]
    assert [to_theirs[ids].tolist() for ids in sources] == [
        engine._ids(sentence) for sentence in SENTENCES
    ]
    src = np.array([ids + [0] * (15 - len(ids)) for ids in sources])
    tgt = np.array(
        [[2, *(translator.target.encode(text) + [0] * 5)[:5]] for text in theirs.convert(SENTENCES)]
    )
    logits = model.forward(src, tgt)  # (B, T, V)
    memory = engine.enc.run(None, {"src": to_theirs[src]})[0]
    for t in range(tgt.shape[1]):
        fed = {"ys": to_theirs[tgt[:, : t + 1]], "memory": memory, "src": to_theirs[src]}
        expected = engine.dec.run(None, fed)[0][:, to_theirs]  # (B, V)
        real = tgt[:, t] != 0
        np.testing.assert_allclose(
            logits[real, t], expected[real], atol=1e-4 * np.abs(expected).max(), rtol=0
        )


def test_attention_of_imported_model(translator):
    looked = sentence_attention(translator, "yalla")
    assert looked.source == ["y", "a", "l", "l", "a"]
    assert looked.cross.shape[:2] == (3, 4)
