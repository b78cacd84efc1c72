"""What stands around a source, <eos>, <bos> before it too, or nothing, wherever a source is read."""

import pytest

from npformer import InputError, TransformerConfig
from npformer.datasets import SentencePair
from npformer.decoding import Translator, greedy_decode
from npformer.tasks import TranslationBatch, evaluate
from npformer.tasks.translation import usable_pairs
from npformer.text import BOS, EOS, MARKS, Vocabulary
from npformer.utils import settings_of

WORDS = [chr(ord("a") + i) for i in range(8)]
MARKED = {"eos": ([], [EOS]), "both": ([BOS], [EOS]), "none": ([], [])}
around = pytest.mark.parametrize(("marks", "before", "behind"), [(name, *ids) for name, ids in MARKED.items()])


def build(make_model, **settings):
    vocabulary = Vocabulary.build([" ".join(WORDS)])
    model = make_model(**settings)
    model.encoder.tokens.embedding.table.data *= 3
    return Translator(model.eval(), vocabulary, vocabulary)


def test_there_are_as_many_ways_in_the_config_as_in_text():
    assert settings_of(TransformerConfig)["source_marks"].choices == tuple(MARKS) == tuple(MARKED)


@around
def test_a_source_is_read_with_its_marks(make_model, marks, before, behind):
    translator = build(make_model, source_marks=marks)
    ids = translator.source.encode("a b c")
    src = [*before, *ids, *behind]
    assert translator.encode(" a b c ") == src
    assert translator.translate("a b c", beam=1) == [
        translator.target.decode(greedy_decode(translator.model, [src])[0])
    ]
    batch = TranslationBatch.of_model(translator.model.config).of([ids], [[5]])
    assert (batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist()) == ([src], [[2, 5]], [[5, 3]])


@around
def test_a_source_may_be_as_long_as_its_marks_leave_room(make_model, marks, before, behind):
    translator = build(make_model, source_marks=marks, max_len=6, positions="learned")
    room = 6 - len(before) - len(behind)
    longest, longer = " ".join("a" * room), " ".join("a" * (room + 1))
    pairs = [SentencePair(longest, "a"), SentencePair(longer, "a")]
    assert len(translator.encode(longest)) == 6
    with pytest.raises(InputError, match=r"the sentence has 7 tokens"):
        translator.encode(longer)
    assert usable_pairs(pairs, translator.vocabularies, 6, marks)[0] == pairs[:1]
    found = evaluate(translator, pairs)
    assert (found.pairs, found.left_out, found.without_loss) == (pairs[:1], 1, 0)
    assert found.translations == translator.translate(longest)
