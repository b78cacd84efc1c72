"""The shipped translator with a student's parts, compared with npformer's."""

import numpy as np
import pytest

from npformer import InputError
from npformer_course.student.model_comparison import SENTENCE, compare

from .model_parts import all_parts, part

GERMAN = "Ich schalte jeden Tag das neue Radio aus."
RIGHT = "return weights @ v, weights"

# a part with a mistake, and the box in which the model differs first
PLANTED = [
    ("embedding", "return table[ids] *", "return table[ids] +", "the encoder's embedding"),
    ("positions", "= np.sin(angle)", "= np.cos(angle)", "the encoder's positions"),
    # right where there are as many positions as heads
    (
        "heads",
        "parts.swapaxes(1, 2)",
        "parts.reshape(batch, n_heads, length, -1)",
        "encoder layer 0, self-attention",
    ),
    # only a shorter sentence has padding
    ("masks", "words = ids != pad_id", "words = ids == ids", "encoder layer 0, self-attention"),
    # right in all but the decoder
    ("masks", "np.tril(everything)", "everything", "decoder layer 0, self-attention"),
    ("masked_attention", RIGHT, "return weights @ k, weights", "encoder layer 0, self-attention"),
    # right for an eps that is hard to tell from 1e-6
    (
        "layer_norm",
        "np.sqrt(var + eps)",
        "np.sqrt(var + 1.1e-6)",
        "encoder layer 0, Add & Norm after self-attention",
    ),
    (
        "feed_forward",
        "return linear(hidden, w2, b2), hidden",
        "return hidden @ w2, hidden",
        "encoder layer 0, feed-forward",
    ),
    (
        "add_norm",
        "total = x + inner",
        "total = inner",
        "encoder layer 0, Add & Norm after self-attention",
    ),
    ("tied_generator", "return x @ table.T", "return x @ table.T + 1", "the generator"),
]


def test_model_with_all_keys_is_equal():
    comparison = compare(all_parts())
    assert comparison.is_equal
    assert comparison.largest_difference < 1e-12
    assert comparison.translations == {"greedy decoding": GERMAN, "beam search": GERMAN}
    text = "\n".join(line.text for line in comparison.lines())
    assert "in place of" not in text and "difference is in" not in text


@pytest.mark.parametrize(("id", "right", "wrong", "box"), PLANTED)
def test_first_box_that_differs_is_named(id, right, wrong, box):
    # among right parts
    comparison = compare({**all_parts(), id: part(id, right, wrong)})
    assert not comparison.is_equal
    assert comparison.first_difference == box
    assert comparison.largest_difference > 0
    assert f"The first difference is in {box}." in [line.text for line in comparison.lines()]


LAYER_0 = "encoder layer 0, as a whole"
WHOLE_LAYERS = [
    ("encoder_layer", "return norm(z + changed,", "return norm(x + changed,", LAYER_0),
    ("encoder_layer", "eps=1e-6", "eps=1e-5", LAYER_0),
    # the memory of a sentence that is as long would be wrong without an error
    (
        "decoder_layer",
        "multi_head(u, memory, cross_mask,",
        "multi_head(u, u, self_mask,",
        "decoder layer 0, as a whole",
    ),
]


@pytest.mark.parametrize(("id", "right", "wrong", "layer"), WHOLE_LAYERS)
def test_first_layer_that_differs_is_named_where_its_boxes_are_right(id, right, wrong, layer):
    comparison = compare({**all_parts(), id: part(id, right, wrong)})
    assert not comparison.is_equal
    assert comparison.first_difference == layer


CACHES = [
    ("<= n_old + np.arange", "< n_old + n_new + 0 * np.arange", "self-attention"),  # of a prompt
    ("keys = memory @ U[1]", "keys = memory @ U[2]", "cross-attention"),
]


@pytest.mark.parametrize(("right", "wrong", "box"), CACHES)
def test_cache_that_differs_is_named_by_the_box_that_reads_it(right, wrong, box):
    comparison = compare({"kv_cache": part("kv_cache", right, wrong)})
    assert not comparison.is_equal and comparison.largest_difference > 0
    assert comparison.first_difference == f"decoder layer 0, {box}, with the cache"


def test_result_that_the_model_cannot_use_is_shown():
    wrong = part("kv_cache", "    keys = memory @ U[1]", "    return None")
    comparison = compare({"kv_cache": wrong})
    expected = "25_kv_cache: the model cannot use what it returns: TypeError: cannot unpack"
    assert comparison.error.startswith(expected)


def test_exception_is_shown_with_its_box():
    comparison = compare({"masked_attention": part("masked_attention", RIGHT, "return 1 / 0")})
    assert comparison.first_difference == "encoder layer 0, self-attention"
    assert comparison.error.startswith("07_masked_attention: the call of masked_attention ended")
    assert comparison.error.endswith("with ZeroDivisionError: division by zero")
    assert np.isnan(comparison.largest_difference)
    lines = [line.text for line in comparison.lines()]
    assert comparison.error in lines and f"npformer's: {GERMAN}" in lines


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_not_finite_are_a_difference_without_a_warning():
    infinite = part("masked_attention", RIGHT, "return weights @ v / 0, weights")
    comparison = compare({"masked_attention": infinite})
    assert comparison.first_difference == "encoder layer 0, self-attention"
    assert comparison.error.startswith("InputError: the model's scores are not numbers")


def test_a_wrong_search_is_told_by_the_translation():
    comparison = compare({"greedy": part("greedy", "following.argmax(-1)", "following.argmin(-1)")})
    assert (comparison.first_difference, comparison.largest_difference) == ("", 0)
    assert not comparison.is_equal
    assert f"npformer's: {GERMAN}" in [line.text for line in comparison.lines()]


def test_whole_layers_run_in_a_translation_by_an_own_search():
    parts = {"decoder_layer": part("decoder_layer"), "greedy": part("greedy")}
    rows = []
    own = parts["decoder_layer"].decoder_layer

    def counting(*inputs):
        rows.append(len(inputs[0]))
        return own(*inputs)

    parts["decoder_layer"].decoder_layer = counting
    assert compare(parts).is_equal
    # the batch of two sentences passes two layers once; the translation is of one
    assert rows[:2] == [2, 2] and {*rows[2:]} == {1}


def test_parts_that_a_translation_does_not_need_are_not_mentioned():
    lines = [line.text for line in compare({"adam": part("adam")}).lines()]
    assert lines[0] == "Yours: none yet."
    assert "linear" in lines[1] and "adam" not in lines[1] and "dropout" not in lines[1]


def test_another_sentence():
    comparison = compare({}, "The cat sees the dog.")
    assert comparison.is_equal and comparison.translations["greedy decoding"] == comparison.expected
    assert comparison.sentence != SENTENCE


def test_empty_sentence_is_refused():
    with pytest.raises(InputError, match="the sentence is empty"):
        compare({}, " ")
