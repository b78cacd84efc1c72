"""The sentence of the course: held out, translated right, and with the arrays of every layer."""

import numpy as np
import pytest

from helpers.course_sentence import SOURCE, TARGET, CourseSentence, tally
from npformer import InputError
from npformer.runs.folder import RunFolder


@pytest.fixture(scope="module")
def sentence():
    return CourseSentence()


def test_pair_is_held_out():
    training = RunFolder.find("phrasebook").training()
    [held_out] = training.load("held_out")
    [trained] = training.load("train")
    assert TARGET in [pair.target for pair in held_out if pair.source == SOURCE]
    assert SOURCE.lower() not in [pair.source.lower() for pair in trained]


def test_model_predicts_the_translation(sentence):
    assert sentence.translator.translate([SOURCE]) == [TARGET]
    logits = sentence.arrays("Transformer")["output"]
    predicted = [sentence.translator.target.tokens[i] for i in logits.argmax(-1)]
    assert predicted == sentence.target_tokens
    assert [*sentence.read_tokens[1:], "<eos>"] == sentence.target_tokens
    assert sentence.read_tokens[0] == "<bos>" and sentence.source_tokens[-1] == "<eos>"
    assert not sentence.model.training


@pytest.mark.parametrize(
    ("sublayer", "n_queries", "n_keys"),
    [("encoder.layers.1.self_attention", 10, 10), ("decoder.layers.0.cross_attention", 10, 10)],
)
def test_arrays_of_an_attention_follow_its_formula(sentence, sublayer, n_queries, n_keys):
    arrays = sentence.attention(sublayer)
    q, k, v = arrays["q"], arrays["k"], arrays["v"]
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(16)
    np.testing.assert_allclose(arrays["scores"], scores, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(arrays["weights"] @ v, arrays["y"], rtol=1e-4, atol=1e-5)
    assert arrays["weights"].shape == (4, n_queries, n_keys)


def test_tally_counts_each_number_once(capsys):
    tally()
    tally("embedding", "encoder", "decoder")
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "So far you have seen 0 of the translator's 286,272 numbers."
    assert " ".join(rest) == (
        "So far you have seen 286,272 of the translator's 286,272 numbers: "
        "embedding 52,800, encoder 99,968, decoder 133,504."
    )


def test_tally_rejects_a_name_that_no_further_parameter_has():
    with pytest.raises(InputError, match="the translator has no further 'w_querry'"):
        tally("w_querry")
    with pytest.raises(InputError, match="no further 'embedding'"):
        tally("encoder", "embedding")
