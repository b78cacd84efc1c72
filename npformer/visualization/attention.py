"""The attention of a trained model over a sentence, with its tokens."""

from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..decoding import Sampler
from ..decoding.greedy import greedy_decode
from ..evaluation import attention_weights
from ..tasks import TextClassifier, TextGenerator, Translator
from ..text import BOS, EOS, SPECIAL_TOKEN_AFFIXES, BaseVocabulary, Vocabulary
from ..utils import InputError, threads_for

# follows a word that is not in the vocabulary, and that the model reads as <unk>
UNKNOWN = " <unk>"


class SentenceAttention(NamedTuple):
    """The tokens of one sentence and its translation, and the weights between them.

    Position t of the decoder reads `read[t]` and predicts `written[t]`, the token after it. A word
    that is not in the vocabulary keeps its letters: "dragon <unk>".

    A classifier has `source` alone, which begins with <bos>; a language model has `read` and
    `written`, the last of which is the most probable next token. The other tokens are [] then, and
    the other weights None.

    Arguments:
        source: The tokens that the encoder reads: its queries and keys.
        read: The tokens that the decoder reads, with <bos>: its queries and keys, and the queries
            of cross-attention, whose keys are `source`.
        written: The tokens that it predicts. The last is <eos>, also where the length limit stopped
            the model.
        encoder: (layers, H, S, S).
        decoder: (layers, H, T, T).
        cross: (layers, H, T, S).
    """

    source: list[str]
    read: list[str]
    written: list[str]
    encoder: np.ndarray | None
    decoder: np.ndarray | None
    cross: np.ndarray | None

    @property
    def kinds(self) -> list[str]:
        """The kinds of attention that the model has, cross-attention first."""
        return [kind for kind in ("cross", "encoder", "decoder") if getattr(self, kind) is not None]


def sentence_attention(
    predictor: Translator | TextGenerator | TextClassifier,
    sentence: str,
    translation: str | None = None,
) -> SentenceAttention:
    """Return the attention of a trained model over a sentence.

    For a translator it is also that over the translation, which is decoded greedily unless it is
    given.

    Raises `InputError` when the sentence is empty or longer than max_len, when the translation is
    too long or the model does not translate, and for a classifier whose encoder is not made of
    attention.

    Arguments:
        predictor: The model with its vocabularies.
        sentence: The sentence.
        translation: Its translation.
    """
    if isinstance(predictor, Translator):
        return _while_translating(predictor, sentence, translation)
    if translation is not None:
        raise InputError(f"a model of the task {predictor.task} reads no translation: leave it out")
    if isinstance(predictor, TextClassifier):
        return _while_classifying(predictor, sentence)
    if isinstance(predictor, TextGenerator):
        return _while_generating(predictor, sentence)
    raise InputError(
        f"there is no attention to draw for the task {predictor.task}: use attention_weights"
    )


def _while_translating(
    translator: Translator, sentence: str, translation: str | None
) -> SentenceAttention:
    """Return the attention of a translator."""
    model = translator.model
    target = translator.target
    src = np.array([translator.encode(sentence)])  # (1, S)
    if translation is None:
        with threads_for(model.config.d_model):
            [output] = greedy_decode(model, src)
        words = [target.tokens[i] for i in output]
    else:
        output = target.encode(translation.strip())
        # the letters of unknown words, which the ids no longer have
        words = _tokens_of(target, translation.strip())

    start_id = model.config.start_id
    weights = attention_weights(model, src, np.array([[start_id, *output]]))
    before_ids, behind_ids = SPECIAL_TOKEN_AFFIXES[model.config.source_special_tokens]
    before = [translator.source.tokens[i] for i in before_ids]
    behind = [translator.source.tokens[i] for i in behind_ids]
    return SentenceAttention(
        source=[*before, *_tokens_of(translator.source, sentence.strip()), *behind],
        read=[target.tokens[start_id], *words],
        written=[*words, target.tokens[EOS]],
        encoder=_of_one(weights.encoder),
        decoder=_of_one(weights.decoder),
        cross=_of_one(weights.cross),
    )


def _while_classifying(classifier: TextClassifier, sentence: str) -> SentenceAttention:
    """Return the attention of a classifier."""
    vocabulary = classifier.text
    ids = classifier.encode(sentence)
    weights = attention_weights(classifier.model, np.array([ids]))
    source = [vocabulary.tokens[BOS], *_tokens_of(vocabulary, sentence.strip())]
    return SentenceAttention(source, [], [], _of_one(weights.encoder), None, None)


def _while_generating(generator: TextGenerator, sentence: str) -> SentenceAttention:
    """Return the attention of a language model."""
    vocabulary = generator.text
    ids = generator.encode(sentence)
    weights = attention_weights(generator.model, np.array([ids]))
    read = _tokens_of(vocabulary, sentence)
    [following] = generator.tokens(ids, 1, Sampler(top_k=1))
    written = [*read[1:], vocabulary.tokens[following]]
    return SentenceAttention([], read, written, None, _of_one(weights.decoder), None)


def _of_one(weights: np.ndarray | None) -> np.ndarray | None:
    """Return the weights (layers, H, queries, keys) of a batch of one sentence."""
    return None if weights is None else weights[:, 0]


def _tokens_of(vocabulary: BaseVocabulary, text: str) -> list[str]:
    """Return the tokens of a text, those that are not in the vocabulary followed by <unk>.

    Words are as the text has them, also where the vocabulary reads them in lower case.

    >>> _tokens_of(Vocabulary.build(["the dog sleeps"], lowercase=True), "The dragon sleeps")
    ['The', 'dragon <unk>', 'sleeps']
    """
    unknown = set(vocabulary.unknown(text))
    read = vocabulary.split(text)
    written = read
    if isinstance(vocabulary, Vocabulary):
        # a letter such as "İ" is two in lower case, and then the places are unknown
        with suppress(InputError):
            written = [text[start:end] for start, end in vocabulary.spans(text)]

    tokens = []
    for token, word in zip(read, written, strict=True):
        tokens.append(word + UNKNOWN if token in unknown else word)
    return tokens
