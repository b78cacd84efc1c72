"""Weights that are no numbers write no translation: each search says what is wrong, in one line."""

import math

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import beam_search, greedy_decode, sample

SRC = np.array([[4, 5, 6, 3], [7, 3, 0, 0]])
SEARCHES = {
    "greedy": greedy_decode,
    "beam": beam_search,
    "beam of one": lambda model, src: beam_search(model, src, beam=1),
    "sampling": lambda model, src: sample(model, src, rng=0),
    "sampling of the best": lambda model, src: sample(model, src, rng=0, top_k=3),
}
PLACES = {
    "encoder": lambda model: model.encoder.layers[0].feed_forward.norm.gain.data[0:1],
    "decoder": lambda model: model.decoder.layers[0].self_attention.sublayer.w_value.bias.data[:1],
    "a row of the generator": lambda model: model.generator.table.data[9],
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_diverged_weights_are_reported_in_one_line(make_model, search, place, value):
    model = make_model(tie_embeddings="none")
    PLACES[place](model)[...] = value
    with pytest.raises(InputError) as caught:
        SEARCHES[search](model, SRC)
    assert str(caught.value) == (
        "the model's scores are not numbers: its weights have diverged, lower the learning rate"
    )
