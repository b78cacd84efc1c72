"""Held-out examples that ranks share, here threads, have the scores that one process finds, and none is done twice."""

import pytest
from fake_ranks import all_well

from npformer.datasets import LabelledText, SentencePair
from npformer.decoding import TextClassifier, TextGenerator, Translator
from npformer.evaluation import evaluate, evaluate_labels, evaluate_text
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.text import Labels, Vocabulary
from npformer.training.alone import Alone

LINES = [" ".join(["one", "two", "three"][: 1 + i % 3] * (1 + i // 3)) for i in range(7)]
SIZES = {"d_model": 8, "d_ff": 8, "n_heads": 2, "max_len": 10, "dtype": "float64"}


def translated(make_model, **how):
    words = Vocabulary.build(LINES, min_count=1)
    sizes = {"src_vocab_size": len(words), "tgt_vocab_size": len(words), "tie": "none", **SIZES}
    translator = Translator(make_model(**sizes), words, words)
    return evaluate(translator, [SentencePair(line, line) for line in LINES], batch_tokens=10, beam=2, **how)


def labelled(make_model, **how):
    config = ClassifierConfig(vocab_size=7, n_classes=2, n_encoder_layers=1, **SIZES)
    labeller = TextClassifier(Classifier(config, rng=3), Vocabulary.build(LINES, min_count=1), Labels(["a", "b"]))
    texts = [LabelledText("ab"[i % 2], line) for i, line in enumerate(LINES)]
    found = evaluate_labels(labeller, texts, batch_tokens=20, **how)
    likeliest = [round(each.probabilities[each.label], 12) for each in found.found]
    return found._replace(confusion=found.confusion.tolist(), found=likeliest)


def foreseen(make_model, **how):
    words = Vocabulary.build(LINES, min_count=1, running=True)
    config = LanguageModelConfig(vocab_size=len(words), n_decoder_layers=1, **{**SIZES, "max_len": 4})
    return evaluate_text(TextGenerator(LanguageModel(config, rng=3), words), LINES, batch_tokens=4, **how)


def counted(ranks, done):
    """Have `done` grow by how many items each piece of shared work has here."""
    usual = ranks.shared

    def shared(work, items):
        def counting(mine):
            mine = list(mine)
            done[ranks.rank].append(len(mine))
            return work(mine)

        return usual(counting, items)

    ranks.shared = shared
    return ranks


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("scored", [translated, labelled, foreseen])
def test_the_scores_are_those_of_one_process(make_model, scored, n):
    done, alone = [[] for _ in range(n)], [[]]
    expected = scored(make_model, ranks=counted(Alone(), alone))
    for found in all_well(n, lambda ranks: scored(make_model, ranks=counted(ranks, done))):
        for name, value in expected._asdict().items():
            close = isinstance(value, float)
            assert getattr(found, name) == (pytest.approx(value, rel=1e-12) if close else value), name
    assert [len(counts) for counts in done] == [len(alone[0])] * n == [{translated: 2}.get(scored, 1)] * n
    if scored is not labelled:  # the last is the loss; sentences to decode are cut into groups for all ranks
        assert sum(counts[-1] for counts in done) == alone[0][-1]
    assert all(max(counts) - min(counts) <= 1 and min(counts) for counts in zip(*done, strict=True))
