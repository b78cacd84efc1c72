"""What a translation begins with is what the model's config says, and <pad> is never a token of
it.
"""

import numpy as np
import pytest

from npformer.datasets import SentencePair
from npformer.decoding import beam_search, greedy_decode, sample
from npformer.tasks import Translator, evaluate
from npformer.text import Vocabulary
from npformer.visualization import attention_weights, sentence_attention
from tests.decoding.padded import padded

PAD, EOS = 0, 3
SENTENCES = padded([[4, 5, 6, 7, EOS], [9, EOS], [10, 4, 4, EOS]])
WORDS = [chr(ord("a") + i) for i in range(8)]
START = 7  # of the vocabulary below it is "d"
WAYS = {
    "greedy": lambda model, **how: greedy_decode(model, SENTENCES, **how),
    "beam": lambda model, **how: [
        [best.ids for best in row] for row in beam_search(model, SENTENCES, n_best=3, **how)
    ],
    "sample": lambda model, **how: sample(model, SENTENCES, rng=1, **how),
}
each_way = pytest.mark.parametrize("way", WAYS)


def build(make_model, **settings):
    """Return a translator of random weights that is fairly sure of itself."""
    rest = dict(
        dtype="float64", dropout=0.0, generator_bias=True, tie_embeddings="none", n_decoder_layers=2
    )
    model, vocabulary = make_model(seed=3, **rest, **settings), Vocabulary.build([" ".join(WORDS)])
    model.generator.table.data *= 3
    model.generator.bias.data[...] = np.random.default_rng(4).normal(0, 0.3, size=12)
    model.generator.bias.data[EOS] += 1
    return Translator(model, vocabulary, vocabulary)


@each_way
def test_start_id_defaults_to_the_config(make_model, way):
    usual, other = build(make_model).model, build(make_model, start_id=START).model
    found = WAYS[way](other, max_extra_tokens=3)
    assert (
        found
        == WAYS[way](usual, bos_id=START, max_extra_tokens=3)
        != WAYS[way](usual, max_extra_tokens=3)
    )
    assert WAYS[way](other, bos_id=2, max_extra_tokens=3) == WAYS[way](usual, max_extra_tokens=3)


@pytest.mark.parametrize("start_id", [PAD, START, EOS])
def test_greedy_decoding_equals_argmax_for_any_start_id(make_model, start_id):
    model = build(make_model, start_id=start_id).model.eval()
    for source, found in zip(
        SENTENCES, greedy_decode(model, SENTENCES, max_extra_tokens=3), strict=True
    ):
        src, output = source[source != PAD][None], []
        while len(output) < src.size + 3:
            logits = model.forward(src, np.array([[start_id, *output]]))[0, -1]
            token = max(range(1, 12), key=logits.__getitem__)
            if token == EOS:
                break
            output.append(token)
        assert found == output
    assert any(greedy_decode(model, SENTENCES, max_extra_tokens=3))


@each_way
@pytest.mark.parametrize("start_id", [PAD, 2])
def test_padding_is_never_generated(make_model, way, start_id):
    model = build(make_model, start_id=start_id).model
    model.generator.bias.data[PAD] = 9
    found = WAYS[way](model, max_extra_tokens=3)
    assert PAD not in np.concatenate(
        [np.ravel(ids) for row in found for ids in (row if way == "beam" else [row])]
    )


def test_padding_is_included_in_softmax_normalization(make_model):
    model = build(make_model).model.eval()
    model.generator.bias.data[PAD] = 9
    [[best], *_] = beam_search(model, SENTENCES, eos_id=-1, max_extra_tokens=-4)
    logits = model.forward(SENTENCES[:1], np.array([[2]]))[0, 0]
    expected = logits[1:].max() - np.log(np.exp(logits).sum())
    assert best.log_probability == pytest.approx(expected) and expected < -5


def test_translator_uses_start_id_of_config(make_model):
    usual, other = build(make_model), build(make_model, start_id=START)
    sentences, best = (
        ["a b c", "d", "e f g h", "h a"],
        lambda *given, **how: [beam_search(*given, **how)[0][0].ids],
    )
    for beam, decode in ((1, greedy_decode), (4, best)):
        sources = [np.array([usual.encode(sentence)]) for sentence in sentences]
        expected = [
            other.target.decode(decode(usual.model, src, bos_id=START)[0]) for src in sources
        ]
        assert (
            other.translate(sentences, beam=beam)
            == expected
            != usual.translate(sentences, beam=beam)
        )


def test_reference_loss_uses_start_id_of_config(make_model):
    usual, other = build(make_model), build(make_model, start_id=START)
    src, tgt = np.array([usual.encode("a b c")]), [*usual.target.encode("e a"), EOS]
    losses = []
    for translator, start in ((usual, 2), (other, START)):
        logits = translator.model.eval().forward(src, np.array([[start, *tgt[:-1]]]))[0]
        picked = np.log(np.exp(logits).sum(-1)) - logits[np.arange(3), tgt]
        losses.append(evaluate(translator, [SentencePair("a b c", "e a")]).loss)
        assert losses[-1] == pytest.approx(picked.mean(), rel=1e-6)
    assert losses[0] != losses[1]


@pytest.mark.parametrize("translation", [None, "e a"])
@pytest.mark.parametrize("start_id", [PAD, START])
def test_attention_weights_use_start_id_of_config(make_model, translation, start_id):
    translator = build(make_model, start_id=start_id)
    looked = sentence_attention(translator, "a b c", translation)
    target, src = translator.target, np.array([translator.encode("a b c")])
    written = (
        greedy_decode(translator.model, src)[0]
        if translation is None
        else target.encode(translation)
    )
    assert looked.read == [target.tokens[start_id], *(target.tokens[i] for i in written)]
    expected = attention_weights(translator.model, src, np.array([[start_id, *written]]))
    np.testing.assert_array_equal(looked.decoder, expected.decoder[:, 0])
    assert looked.decoder[..., 1:, 0].min() > 0
