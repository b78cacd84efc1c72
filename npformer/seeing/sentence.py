"""One sentence, its translation, and where the model looked, with the tokens as people read them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..base.threads import threads_for
from ..decoding.greedy import greedy_decode
from ..decoding.translator import Translator
from ..text import BOS, EOS, AnyVocabulary
from .attention import attention_weights

UNKNOWN = " <unk>"  # stands behind a word that the model does not know, and reads as <unk>


class SentenceAttention(NamedTuple):
    """The tokens of one sentence and its translation, and the weights (layers, H, queries, keys) between them.

    The encoder's queries and keys are `source`; the decoder's are `read`, the target tokens so far with <bos>; cross
    attention has `read` as queries and `source` as keys. Position t of the decoder reads `read[t]` and writes
    `written[t]`, the token after it; the last is <eos>, also where the length limit stopped the model. A word that the
    vocabulary does not have keeps its letters: "dragon <unk>".
    """

    source: list[str]
    read: list[str]
    written: list[str]
    encoder: np.ndarray  # (layers, H, S, S)
    decoder: np.ndarray  # (layers, H, T, T)
    cross: np.ndarray  # (layers, H, T, S)


def sentence_attention(translator: Translator, sentence: str, translation: str | None = None) -> SentenceAttention:
    """Return where the model looks while it translates a sentence greedily, or while it reads a given translation.

    Raises `InputError` when the sentence is empty or longer than max_len, and when the translation is too long.
    """
    model, target = translator.model, translator.target
    src = np.array([translator.encode(sentence)])  # (1, S)
    if translation is None:
        with threads_for(model.config.d_model):
            [output] = greedy_decode(model, src)
    else:
        output = target.encode(translation.strip())
    weights = attention_weights(model, src, np.array([[BOS, *output]]))
    begins, ends = target.tokens[BOS], target.tokens[EOS]
    source = [*tokens_of(translator.source, sentence.strip()), ends]
    words = [target.tokens[i] for i in output] if translation is None else tokens_of(target, translation.strip())
    return SentenceAttention(source, [begins, *words], [*words, ends], *(kind[:, 0] for kind in weights))


def tokens_of(vocabulary: AnyVocabulary, text: str) -> list[str]:
    """Return the tokens of a text as people read them, an unknown one beside the <unk> that the model reads.

    >>> from npformer.text import Vocabulary
    >>> tokens_of(Vocabulary.build(["the dog sleeps"]), "the dragon sleeps")
    ['the', 'dragon <unk>', 'sleeps']
    """
    unknown = set(vocabulary.unknown(text))
    return [token + UNKNOWN if token in unknown else token for token in vocabulary.split(text)]
