"""What the batches of an epoch will measure is known before they are laid out."""

import numpy as np
import pytest

from npformer.tasks import Batches, ClassificationBatch, TranslationBatch


def measured(batches):
    return [(len(batch.inputs[0]), *(ids.shape[1] for ids in batch.inputs)) for batch in batches]


def cuts():
    rng = np.random.default_rng(0)
    texts = [[4] * rng.integers(1, 12) for _ in range(60)]
    pairs = list(zip(texts, texts[::-1], strict=True))
    labelled = [(text, i % 3) for i, text in enumerate(texts)]
    yield "pairs", Batches(pairs, batch_tokens=40)
    for marks in ("both", "none"):
        kind = type("Marked", (TranslationBatch,), {"source_marks": marks})
        yield f"pairs, marks {marks}", Batches(pairs, batch_tokens=40, kind=kind)
    yield "texts", Batches(labelled, batch_tokens=40, kind=ClassificationBatch)
    yield "recut", Batches(pairs, batch_tokens=40, recut=lambda epoch: [([4] * epoch, [5])] * 9)


@pytest.mark.parametrize(("name", "batches"), list(cuts()))
@pytest.mark.parametrize("epoch", [1, 2])
def test_the_shapes_are_those_of_the_batches(name, batches, epoch):
    cut = batches.epoch(epoch)
    assert cut.shapes() == measured(cut) and len(cut.shapes()) == len(cut) > 0
    assert cut.shapes(2) == measured(cut)[:2] and cut.shapes(0) == []
    assert all(isinstance(size, int) for sizes in cut.shapes() for size in sizes)
