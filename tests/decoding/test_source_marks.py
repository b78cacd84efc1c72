"""What stands around a source, <eos>, <bos> before it too, or nothing, wherever a source is read."""

import numpy as np
import pytest

from npformer import InputError
from npformer.datasets import SentencePair
from npformer.decoding import greedy_decode
from npformer.evaluation import AttentionWeights, attention_error_rates
from npformer.tasks import TranslationBatch, Translator, evaluate
from npformer.text import BOS, EOS, Vocabulary
from npformer.visualization import attention_weights, sentence_attention

WORDS = [chr(ord("a") + i) for i in range(8)]
MARKED = {"eos": ([], [EOS]), "both": ([BOS], [EOS]), "none": ([], [])}
TOLD = {"eos": " with <eos>", "both": " with <bos> and <eos>", "none": ""}
around = pytest.mark.parametrize(
    ("marks", "before", "behind"), [(name, *ids) for name, ids in MARKED.items()]
)


def build(make_model, **settings):
    vocabulary = Vocabulary.build([" ".join(WORDS)])
    model = make_model(**settings)
    model.encoder.input_embedding.embedding.table.data *= 3
    return Translator(model.eval(), vocabulary, vocabulary)


@around
def test_source_is_encoded_with_its_special_tokens(make_model, marks, before, behind):
    translator = build(make_model, source_special_tokens=marks)
    ids = translator.source.encode("a b c")
    src = [*before, *ids, *behind]
    assert translator.encode(" a b c ") == src
    assert translator.translate("a b c", beam=1) == [
        translator.target.decode(greedy_decode(translator.model, [src])[0])
    ]
    batch = TranslationBatch.of(
        [ids], [[5]], source_special_tokens=translator.model.config.source_special_tokens
    )
    assert (batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist()) == (
        [src],
        [[2, 5]],
        [[5, 3]],
    )


@around
def test_source_length_limit_includes_special_tokens(make_model, marks, before, behind):
    translator = build(make_model, source_special_tokens=marks, max_len=6, positions="learned")
    room = 6 - len(before) - len(behind)
    longest, longer = " ".join("a" * room), " ".join("a" * (room + 1))
    pairs = [SentencePair(longest, "a"), SentencePair(longer, "a")]
    assert len(translator.encode(longest)) == 6
    with pytest.raises(InputError) as caught:
        translator.encode(longer)
    advice = "more than max_len = 6: cut it into shorter sentences"
    assert str(caught.value) == f"the sentence has 7 tokens{TOLD[marks]}, {advice}"
    with pytest.raises(InputError) as caught:
        evaluate(translator, pairs[1:])
    assert str(caught.value) == (
        "none of 1 sentence pairs can be scored: expected a source of at most 6 tokens"
        f"{TOLD[marks]}, and a target of as many with <eos>"
    )
    found = evaluate(translator, pairs)
    assert (found.pairs, found.left_out, found.without_loss) == (pairs[:1], 1, 0)
    assert found.translations == translator.translate(longest)


@around
def test_reference_loss_uses_source_with_special_tokens(
    make_model, monkeypatch, marks, before, behind
):
    translator = build(make_model, source_special_tokens=marks)
    src = np.array([[*before, *translator.source.encode("a b c"), *behind]])
    target = [*translator.target.encode("e a"), EOS]
    logits = translator.model.forward(src, np.array([[BOS, *target[:-1]]]))[0]
    expected = (np.log(np.exp(logits).sum(-1)) - logits[np.arange(3), target]).mean()
    translated, translations = [], translator.translations
    monkeypatch.setattr(
        translator,
        "translations",
        lambda src, **how: translated.extend(src) or translations(src, **how),
    )
    assert evaluate(translator, [SentencePair("a b c", "e a")]).loss == pytest.approx(
        expected, rel=1e-6
    )
    assert translated == src.tolist()


@around
def test_attention_tokens_include_source_special_tokens(make_model, marks, before, behind):
    translator = build(make_model, source_special_tokens=marks)
    looked = sentence_attention(translator, "a b", "c")
    src = [*before, *translator.source.encode("a b"), *behind]
    assert looked.source == [translator.source.tokens[i] for i in src]
    expected = attention_weights(
        translator.model, np.array([src]), np.array([[BOS, *translator.target.encode("c")]])
    )
    np.testing.assert_array_equal(looked.encoder, expected.encoder[:, 0])


@around
def test_alignment_links_ignore_source_special_tokens(
    make_model, monkeypatch, marks, before, behind
):
    """Row t looks at the word t of the source, wherever that stands."""

    def weights(model, src, tgt):
        cross = np.zeros((1, len(src), 2, tgt.shape[1], src.shape[1]))
        for t in range(tgt.shape[1] - 1):
            cross[..., t, t + len(before)] = 1
        return AttentionWeights(cross, cross, cross)

    monkeypatch.setattr("npformer.evaluation.word_alignment.attention_weights", weights)
    pair = SentencePair("a b", "c d", ((0, 0), (1, 1)))
    assert (
        attention_error_rates(build(make_model, source_special_tokens=marks), [pair]) == 0
    ).all()
