"""Where a model looked while it read a sentence and wrote another: of ids, and of a text with its tokens."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..base import threads_for, to_host
from ..decoding.greedy import greedy_decode
from ..decoding.translator import Translator
from ..models import Transformer
from ..text import BOS, EOS, AnyVocabulary
from .whole_maps import whole_map
from .wrapping import wrapped

UNKNOWN = " <unk>"  # stands behind a word that the model does not know, and reads as <unk>


class AttentionWeights(NamedTuple):
    """The weights of the three kinds of attention (paper section 3.2.3), one map a layer, sentence and head.

    `encoder` is (layers, B, H, S, S), `decoder` (layers, B, H, T, T), `cross` (layers, B, H, T, S): row t says where
    the position that reads token t looks. In the decoder that is the position that predicts the token after t.
    """

    encoder: np.ndarray
    decoder: np.ndarray
    cross: np.ndarray


def attention_weights(model: Transformer, src, tgt) -> AttentionWeights:
    """Return the weights of every attention for ids src (B, S) and tgt (B, T), on the host.

    The model is used in eval mode, and its layers are left as they were. Raises `InputError` when the ids do not fit.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> weights = attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]]))
    >>> weights.encoder.shape, weights.decoder.shape, weights.cross.shape
    ((2, 1, 4, 3, 3), (2, 1, 4, 2, 2), (2, 1, 4, 2, 3))
    """
    boxes = {
        "encoder": [layer.self_attention.sublayer for layer in model.encoder.layers],
        "decoder": [layer.self_attention.sublayer for layer in model.decoder.layers],
        "cross": [layer.cross_attention.sublayer for layer in model.decoder.layers],
    }
    seen = {kind: [] for kind in boxes}

    def note(notes, attention, forward, scores, mask=None):
        weights = forward(scores, mask)
        notes.append(whole_map(attention, to_host(weights)))
        return weights

    pairs = [(kind, box.attention) for kind, found in boxes.items() for box in found]
    methods = [(looks.softmax, "forward", partial(note, seen[kind], looks)) for kind, looks in pairs]
    with wrapped(methods), model.evaluating(), threads_for(model.config.d_model):
        model.forward(src, tgt)
    return AttentionWeights(**{kind: np.stack(notes) for kind, notes in seen.items()})


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
        words = [target.tokens[i] for i in output]
    else:
        output, words = target.encode(translation.strip()), tokens_of(target, translation.strip())
    weights = attention_weights(model, src, np.array([[BOS, *output]]))
    begins, ends = target.tokens[BOS], target.tokens[EOS]
    source = [*tokens_of(translator.source, sentence.strip()), ends]
    return SentenceAttention(source, [begins, *words], [*words, ends], *(kind[:, 0] for kind in weights))


def tokens_of(vocabulary: AnyVocabulary, text: str) -> list[str]:
    """Return the tokens of a text as people read them, an unknown one beside the <unk> that the model reads.

    >>> from npformer.text import Vocabulary
    >>> tokens_of(Vocabulary.build(["the dog sleeps"]), "the dragon sleeps")
    ['the', 'dragon <unk>', 'sleeps']
    """
    unknown = set(vocabulary.unknown(text))
    return [token + UNKNOWN if token in unknown else token for token in vocabulary.split(text)]
