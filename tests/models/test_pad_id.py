"""Padding by another id than 0, which no task of ours has, and anyone who builds a model alone
may choose.
"""

import numpy as np
import pytest

from npformer import InputError, TransformerConfig


@pytest.mark.parametrize("sizes", [(9, 5), (5, 9), (5, 5)])
def test_pad_id_must_be_in_both_vocabularies(sizes):
    settings = dict(zip(("src_vocab_size", "tgt_vocab_size"), sizes, strict=True)) | {
        "tie_embeddings": "none"
    }
    assert TransformerConfig.tiny(**settings, pad_id=4).pad_id == 4
    with pytest.raises(InputError, match="pad_id = 5: expected an id of both vocabularies"):
        TransformerConfig.tiny(**settings, pad_id=5)


def test_only_padding_is_masked_with_other_pad_id(make_model):
    model = make_model(pad_id=3, dtype="float64").eval()
    src, tgt = np.array([[4, 0, 6]]), np.array([[2, 0, 8]])
    logits = model.forward(src, tgt)
    padded = model.forward(np.array([[4, 0, 6, 3, 3]]), np.array([[2, 0, 8, 3]]))
    np.testing.assert_allclose(padded[:, :3], logits, rtol=1e-12, atol=1e-12)
    assert not np.allclose(model.forward(np.array([[4, 6]]), tgt), logits)
    assert not np.allclose(model.forward(src, np.array([[2, 5, 8]]))[:, 2], logits[:, 2])
