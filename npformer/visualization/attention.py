"""Attention weights of a model, for arrays of ids and for a sentence with its tokens."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..backend import to_host, xp
from ..decoding import Sampler
from ..decoding.greedy import greedy_decode
from ..layers import ScaledDotProductAttention
from ..models import Classifier, LanguageModel, Transformer
from ..tasks import TextClassifier, TextGenerator, Translator
from ..text import BOS, EOS, MARKS, AnyVocabulary
from ..utils import InputError, threads_for
from .hooks import wrap_methods

UNKNOWN = (
    " <unk>"  # follows a word that is not in the vocabulary, and that the model reads as <unk>
)


class AttentionWeights(NamedTuple):
    """The weights of the three kinds of attention (paper section 3.2.3), one map per layer, sentence and head.

    `encoder` is (layers, B, H, S, S), `decoder` (layers, B, H, T, T), `cross` (layers, B, H, T, S). Row t belongs to
    the position that reads token t; in the decoder it predicts the token after t. A classifier has `encoder` alone, a
    language model `decoder` alone; the others are None.
    """

    encoder: np.ndarray | None = None
    decoder: np.ndarray | None = None
    cross: np.ndarray | None = None


def attention_weights(model: Transformer | LanguageModel | Classifier, *ids) -> AttentionWeights:
    """Return the weights of every attention, on the host, for ids src (B, S) and tgt (B, T).

    A classifier and a language model take the ids of one text. The model runs in eval mode. Raises `InputError` when
    the ids do not fit, and for a classifier whose encoder is not made of attention.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> weights = attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]]))
    >>> weights.encoder.shape, weights.decoder.shape, weights.cross.shape
    ((2, 1, 4, 3, 3), (2, 1, 4, 2, 2), (2, 1, 4, 2, 3))
    """
    maps = {}

    def note(kind, attention, forward, query, key, value, mask=None):
        maps.setdefault(kind, []).append(to_host(_weights(attention, query, key, mask)))
        return forward(query, key, value, mask)

    methods = [
        (attention, "forward", partial(note, kind, attention))
        for kind, attention in _attentions(model)
    ]
    with wrap_methods(methods), model.evaluating(), threads_for(model.config.d_model):
        model.forward(*ids)
    return AttentionWeights(**{kind: np.stack(layers) for kind, layers in maps.items()})


def _weights(attention, query, key, mask):
    """Return the weights (..., T, S) of an attention, also of one that never has them at once: weights @ identity."""
    values = xp.broadcast_to(
        xp.eye(key.shape[-2], dtype=key.dtype), (*key.shape[:-1], key.shape[-2])
    )
    return type(attention).forward(
        attention, query, key, values, mask
    )  # whatever wraps its forward meanwhile


def _attentions(
    model: Transformer | LanguageModel | Classifier,
) -> list[tuple[str, ScaledDotProductAttention]]:
    """Return the attentions of a model with their kinds. Raises `InputError` where it has none."""
    encoder = getattr(model.config, "encoder", "attention")
    if encoder != "attention":
        raise InputError(
            f"the model was built with encoder = {encoder}: it has no attention weights"
        )
    stacks = {
        name: getattr(model, name).layers for name in ("encoder", "decoder") if hasattr(model, name)
    }
    sublayers = [
        (name, layer.self_attention) for name, layers in stacks.items() for layer in layers
    ]
    if len(stacks) == 2:
        sublayers += [("cross", layer.cross_attention) for layer in stacks["decoder"]]
    return [(kind, add_norm.sublayer.attention) for kind, add_norm in sublayers]


class SentenceAttention(NamedTuple):
    """The tokens of one sentence and its translation, and the weights (layers, H, queries, keys) between them.

    The encoder's queries and keys are `source`; the decoder's are `read`, the target tokens so far with <bos>; cross
    attention has `read` as queries and `source` as keys. Position t of the decoder reads `read[t]` and predicts
    `written[t]`, the token after it; the last is <eos>, also where the length limit stopped the model. A word that is
    not in the vocabulary keeps its letters: "dragon <unk>".

    A classifier has `source` alone, which begins with <bos>; a language model has `read` and `written`, the last of
    which is the most probable next token. The other tokens are [] then, and the other weights None.
    """

    source: list[str]
    read: list[str]
    written: list[str]
    encoder: np.ndarray | None  # (layers, H, S, S)
    decoder: np.ndarray | None  # (layers, H, T, T)
    cross: np.ndarray | None  # (layers, H, T, S)

    @property
    def kinds(self) -> list[str]:
        """The kinds of attention that the model has, cross-attention first."""
        return [kind for kind in ("cross", "encoder", "decoder") if getattr(self, kind) is not None]


def sentence_attention(
    predictor: Translator | TextGenerator | TextClassifier,
    sentence: str,
    translation: str | None = None,
) -> SentenceAttention:
    """Return the attention of a trained model over a sentence, and over its translation for a translator.

    The translation is decoded greedily unless one is given.

    Raises `InputError` when the sentence is empty or longer than max_len, when the translation is too long or the
    model does not translate, and for a classifier whose encoder is not made of attention.
    """
    if isinstance(predictor, Translator):
        return _while_translating(predictor, sentence, translation)
    if translation is not None:
        raise InputError(f"a model of the task {predictor.task} reads no translation: leave it out")
    model, vocabulary, ids = predictor.model, predictor.text, predictor.encode(sentence)
    if isinstance(predictor, TextClassifier):
        source = [vocabulary.tokens[BOS], *_tokens_of(vocabulary, sentence.strip())]
        return SentenceAttention(
            source, [], [], attention_weights(model, np.array([ids])).encoder[:, 0], None, None
        )
    if not isinstance(predictor, TextGenerator):
        raise InputError(
            f"there is no attention to draw for the task {predictor.task}: use attention_weights"
        )
    weights = attention_weights(model, np.array([ids])).decoder[:, 0]
    read, [following] = _tokens_of(vocabulary, sentence), predictor.tokens(ids, 1, Sampler(top_k=1))
    return SentenceAttention(
        [], read, [*read[1:], vocabulary.tokens[following]], None, weights, None
    )


def _while_translating(
    translator: Translator, sentence: str, translation: str | None
) -> SentenceAttention:
    model, target = translator.model, translator.target
    src = np.array([translator.encode(sentence)])  # (1, S)
    if translation is None:
        with threads_for(model.config.d_model):
            [output] = greedy_decode(model, src)
        words = [target.tokens[i] for i in output]
    else:
        output, words = target.encode(translation.strip()), _tokens_of(target, translation.strip())
    start_id = model.config.start_id
    weights = attention_weights(model, src, np.array([[start_id, *output]]))
    before, behind = (
        [translator.source.tokens[i] for i in marks] for marks in MARKS[model.config.source_marks]
    )
    source = [*before, *_tokens_of(translator.source, sentence.strip()), *behind]
    read_tokens, written_tokens = [target.tokens[start_id], *words], [*words, target.tokens[EOS]]
    return SentenceAttention(source, read_tokens, written_tokens, *(kind[:, 0] for kind in weights))


def _tokens_of(vocabulary: AnyVocabulary, text: str) -> list[str]:
    """Return the tokens of a text, those that are not in the vocabulary followed by <unk>.

    >>> from npformer.text import Vocabulary
    >>> _tokens_of(Vocabulary.build(["the dog sleeps"]), "the dragon sleeps")
    ['the', 'dragon <unk>', 'sleeps']
    """
    unknown = set(vocabulary.unknown(text))
    return [token + UNKNOWN if token in unknown else token for token in vocabulary.split(text)]
