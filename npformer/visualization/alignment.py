"""Word alignment by cross-attention, compared with the gold alignments of the data."""

from collections.abc import Sequence

import numpy as np

from ..datasets import SentencePair
from ..evaluation.alignment_error_rate import alignment_error_rate
from ..tasks.translator import Translator
from ..text import MARKS, words_of_tokens
from ..utils import InputError
from .attention import sentence_attention

FIRST_ROW = {"writes": 0, "reads": 1}  # position 0 reads <bos> and writes the first target token


def attention_error_rates(
    translator: Translator, pairs: Sequence[SentencePair], *, row: str = "writes"
) -> np.ndarray:
    """Return the alignment error rate of cross-attention (layers, H + 1): one column per head, the last for their mean.

    The decoder is given the reference translation. Each target token is linked to the source token with the largest
    weight, or to nothing if that is <eos>. A link of a subword links its whole word. Pairs without gold links are left
    out.

    `row` says whose weights belong to a target token: "writes" is the position that predicts it, "reads" the next one,
    which gets it as input. Try both, they differ much: the phrasebook's model has an error rate of 16% for the first
    and 80% for the second. In deeper models a lower layer may align better where it reads (Chen et al. 2020, "Accurate
    Word Alignment Induction from Neural Machine Translation"). The lowest of many rates was chosen by looking at the
    gold alignments: keep that in mind.

    Raises `InputError` for another `row`, when no pair has gold links, and when a sentence is empty or too long.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.text import Vocabulary
    >>> vocabulary = Vocabulary.build(["one two"])
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=6, tgt_vocab_size=6), rng=np.random.default_rng(0))
    >>> pair = SentencePair("one two", "two one", ((0, 1), (1, 0)))
    >>> attention_error_rates(Translator(model, vocabulary, vocabulary), [pair]).shape
    (2, 5)
    """
    if row not in FIRST_ROW:
        raise InputError(f"row = {row!r}: expected one of {', '.join(map(repr, FIRST_ROW))}")
    known = [
        pair._replace(source=pair.source.strip(), target=pair.target.strip())
        for pair in pairs
        if pair.alignment
    ]
    if not known:
        raise InputError(
            f"none of {len(pairs)} sentence pairs has gold links: give pairs that have an alignment"
        )
    config = translator.model.config
    all_links = np.empty((config.n_decoder_layers, config.n_heads + 1, len(known)), object)
    before, behind = ([()] * len(marks) for marks in MARKS[config.source_marks])
    for n, pair in enumerate(known):
        source_words = [*before, *words_of_tokens(translator.source, pair.source), *behind]
        target_words = words_of_tokens(translator.target, pair.target)
        cross = sentence_attention(translator, pair.source, pair.target).cross
        maps = np.concatenate([cross, cross.mean(1, keepdims=True)], 1)  # (layers, H + 1, T + 1, S)
        maps = maps[:, :, FIRST_ROW[row] :][:, :, : len(target_words)]
        for layer, column in np.ndindex(maps.shape[:2]):
            all_links[layer, column, n] = attention_links(
                maps[layer, column], source_words, target_words
            )
    gold = [pair.alignment for pair in known]
    return np.array(
        [[alignment_error_rate(links, gold) for links in columns] for columns in all_links]
    )


def attention_links(
    weights, source_words: Sequence[tuple], target_words: Sequence[tuple]
) -> set[tuple[int, int]]:
    """Return the links (i, j) of each target token to the source token with the largest of its weights (T, S).

    `source_words` and `target_words` hold the words that each token is a piece of; a token of no word has no link.

    >>> weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    >>> attention_links(weights, [(0,), (1,), ()], [(0,), (1,)])
    {(0, 0)}
    """
    most = weights.argmax(-1)  # (T,)
    return {
        (i, j)
        for s, words in zip(most, target_words, strict=True)
        for i in source_words[s]
        for j in words
    }
