import numpy as np
import pytest

from npformer.decoding import greedy_decode
from tests.decoding.padded import padded

PAD, BOS, EOS = 0, 2, 3
SENTENCES = [[4, 5, 6, 7, 8, EOS], [9, EOS], [10, 4, 4, EOS], [11, 5, EOS], [6, 7, EOS]]


@pytest.fixture(
    params=[
        {},
        {"norm": "pre", "positions": "learned"},
        {"tie_embeddings": "none", "n_decoder_layers": 2},
    ],
    ids=str,
)
def model(make_model, request):
    """A model of random weights in which <eos> is likely enough to end some sentences early."""
    model = make_model(seed=8, dtype="float64", dropout=0.3, **request.param)
    model.generator.table.data[EOS] *= 3
    return model


def greedy_by_whole_forwards(model, source, limit):
    """Decode one sentence with a whole forward a token, and no cleverness."""
    model.eval()
    output = []
    while len(output) < limit:
        logits = model.forward(np.array([source]), np.array([[BOS, *output]]))[0, -1]
        token = max(set(range(len(logits))) - {PAD}, key=logits.__getitem__)
        if token == EOS:
            break
        output.append(token)
    return output


def decode(model, src, **settings):
    return greedy_decode(model, src, bos_id=BOS, eos_id=EOS, **settings)


def test_greedy_decoding_equals_stepwise_argmax(model):
    expected = [
        greedy_by_whole_forwards(model, sentence, limit=len(sentence) + 8) for sentence in SENTENCES
    ]
    assert decode(model, padded(SENTENCES), max_extra_tokens=8) == expected
    assert len({len(output) for output in expected}) > 1, (
        "all sentences are equally long: the test shows little"
    )


def test_other_sentences_and_padding_change_no_output(model):
    alone = [decode(model, np.array([sentence]), max_extra_tokens=8)[0] for sentence in SENTENCES]
    assert decode(model, padded(SENTENCES, width=15), max_extra_tokens=8) == alone
    assert decode(model, padded(SENTENCES[::-1]), max_extra_tokens=8) == alone[::-1]


@pytest.mark.parametrize("max_extra_tokens", [1, 3])
def test_endless_output_stops_at_source_length_plus_max_extra_tokens(make_model, max_extra_tokens):
    model = make_model(seed=1)
    model.generator.table.data[EOS] = 0
    model.generator.table.data[4:] += 100 * np.sign(model.generator.table.data[4:])
    outputs = decode(model, padded(SENTENCES), max_extra_tokens=max_extra_tokens)
    assert [len(output) for output in outputs] == [
        len(sentence) + max_extra_tokens for sentence in SENTENCES
    ]


def test_output_length_is_limited_by_max_len(make_model):
    model = make_model(seed=1, max_len=8)
    model.generator.table.data[EOS] = 0
    model.generator.table.data[4:] += 100 * np.sign(model.generator.table.data[4:])
    outputs = decode(model, padded(SENTENCES), max_extra_tokens=50)
    assert [len(output) for output in outputs] == [7] * len(SENTENCES)


@pytest.mark.parametrize("training", [True, False])
def test_decoding_uses_eval_mode_and_restores_state(model, training):
    model.train(training)
    state = model.generators()[0].bit_generator.state
    decode(model, padded(SENTENCES))
    assert all(module.training == training for _, module in model.named_modules())
    assert model.generators()[0].bit_generator.state == state


def test_model_without_room_for_a_token_writes_none(make_model):
    model = make_model(max_len=1)
    assert decode(model, np.array([[4], [5]])) == [[], []]
