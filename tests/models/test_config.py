"""Settings of a model that no layer could be made of."""

import pytest

from npformer import InputError, TransformerConfig


@pytest.mark.parametrize("name", ["d_model", "d_ff", "n_heads", "d_k", "d_v", "n_encoder_layers", "n_decoder_layers"])
def test_there_is_no_width_and_no_number_below_one(name):
    with pytest.raises(InputError, match=f"^{name} = 0: expected an integer >= 1$"):
        TransformerConfig.tiny(src_vocab_size=9, tgt_vocab_size=9, **{name: 0})
