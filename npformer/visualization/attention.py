"""Where a model looked while it read and wrote: of ids, and of a text with its tokens."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ..backend import to_host
from ..decoding import Sampler, TextClassifier, TextGenerator, Translator
from ..decoding.greedy import greedy_decode
from ..models import Classifier, LanguageModel, Transformer
from ..text import BOS, EOS, MARKS, AnyVocabulary
from ..utils import InputError, threads_for
from .dense_maps import whole_map, with_weights
from .hooks import wrapped

UNKNOWN = " <unk>"  # stands behind a word that the model does not know, and reads as <unk>


class AttentionWeights(NamedTuple):
    """The weights of the three kinds of attention (paper section 3.2.3), one map a layer, sentence and head.

    `encoder` is (layers, B, H, S, S), `decoder` (layers, B, H, T, T), `cross` (layers, B, H, T, S): row t says where
    the position that reads token t looks. In the decoder that is the position that predicts the token after t. What a
    model does not have is None: a classifier is an encoder alone, a language model a decoder alone.
    """

    encoder: np.ndarray | None = None
    decoder: np.ndarray | None = None
    cross: np.ndarray | None = None


def attention_weights(model: Transformer | LanguageModel | Classifier, *ids) -> AttentionWeights:
    """Return the weights of every attention, on the host, for what the model reads: ids src (B, S) and tgt (B, T).

    A classifier and a language model read ids of one text. The model is used in eval mode, and its layers are left as
    they were; attention by blocks goes the plain way. Raises `InputError` when the ids do not fit, and for a classifier
    that reads otherwise than by attention.

    >>> from npformer import TransformerConfig
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10)
    >>> model = Transformer(config, rng=np.random.default_rng(0))
    >>> weights = attention_weights(model, np.array([[4, 5, 3]]), np.array([[2, 6]]))
    >>> weights.encoder.shape, weights.decoder.shape, weights.cross.shape
    ((2, 1, 4, 3, 3), (2, 1, 4, 2, 2), (2, 1, 4, 2, 3))
    """
    boxes = attentions(model)
    seen = {kind: [] for kind in boxes}

    def note(notes, attention, forward, scores, mask=None):
        weights = forward(scores, mask)
        notes.append(whole_map(attention, to_host(weights)))
        return weights

    pairs = [(kind, box.attention) for kind, found in boxes.items() for box in found]
    methods = [(looks.softmax, "forward", partial(note, seen[kind], looks)) for kind, looks in pairs]
    with with_weights(model), wrapped(methods), model.evaluating(), threads_for(model.config.d_model):
        model.forward(*ids)
    return AttentionWeights(**{kind: np.stack(notes) for kind, notes in seen.items()})


def attentions(model: Transformer | LanguageModel | Classifier) -> dict[str, list]:
    """Return the attentions of a model, layer by layer, by their kind. Raises `InputError` where it has none."""
    reader = getattr(model.config, "reader", "attention")
    if reader != "attention":
        raise InputError(f"the model was built with reader = {reader}: it has no attention that could be looked at")
    columns = {name: getattr(model, name).layers for name in ("encoder", "decoder") if hasattr(model, name)}
    boxes = {name: [layer.self_attention.sublayer for layer in layers] for name, layers in columns.items()}
    if {"encoder", "decoder"} <= columns.keys():
        boxes["cross"] = [layer.cross_attention.sublayer for layer in columns["decoder"]]
    return boxes


class SentenceAttention(NamedTuple):
    """The tokens of one sentence and its translation, and the weights (layers, H, queries, keys) between them.

    The encoder's queries and keys are `source`; the decoder's are `read`, the target tokens so far with <bos>; cross
    attention has `read` as queries and `source` as keys. Position t of the decoder reads `read[t]` and writes
    `written[t]`, the token after it; the last is <eos>, also where the length limit stopped the model. A word that the
    vocabulary does not have keeps its letters: "dragon <unk>".

    Of a classifier there is `source` alone, which begins with <bos>; of a language model `read` and `written`, the last
    of which is what it thinks likeliest to follow. The other tokens are [] then, and the other weights None.
    """

    source: list[str]
    read: list[str]
    written: list[str]
    encoder: np.ndarray | None  # (layers, H, S, S)
    decoder: np.ndarray | None  # (layers, H, T, T)
    cross: np.ndarray | None  # (layers, H, T, S)

    @property
    def kinds(self) -> list[str]:
        """The kinds of attention that there are, that between the columns first."""
        return [kind for kind in ("cross", "encoder", "decoder") if getattr(self, kind) is not None]


def sentence_attention(
    learnt: Translator | TextGenerator | TextClassifier, sentence: str, translation: str | None = None
) -> SentenceAttention:
    """Return where a model looks while it reads a sentence, and translates it where it does that.

    A translation is written greedily, unless a given one is read.

    Raises `InputError` when the sentence is empty or longer than max_len, when the translation is too long or there is
    none to be had, and for a classifier that reads otherwise than by attention.
    """
    if isinstance(learnt, Translator):
        return _while_translating(learnt, sentence, translation)
    if translation is not None:
        raise InputError(f"a model of the task {learnt.task} reads no translation: leave it out")
    if isinstance(learnt, TextClassifier):
        ids = np.array([learnt.encode(sentence)])  # (1, S)
        source = [learnt.text.tokens[BOS], *tokens_of(learnt.text, sentence.strip())]
        return SentenceAttention(source, [], [], attention_weights(learnt.model, ids).encoder[:, 0], None, None)
    ids, max_len = learnt.encode(sentence), learnt.model.config.max_len
    if len(ids) > max_len:
        raise InputError(f"the text has {len(ids)} tokens, more than max_len = {max_len}: cut it short")
    read, [follows] = tokens_of(learnt.text, sentence), learnt.tokens(ids, 1, Sampler(top_k=1))
    weights = attention_weights(learnt.model, np.array([ids])).decoder[:, 0]
    return SentenceAttention([], read, [*read[1:], learnt.text.tokens[follows]], None, weights, None)


def _while_translating(translator: Translator, sentence: str, translation: str | None) -> SentenceAttention:
    model, target = translator.model, translator.target
    src = np.array([translator.encode(sentence)])  # (1, S)
    if translation is None:
        with threads_for(model.config.d_model):
            [output] = greedy_decode(model, src)
        words = [target.tokens[i] for i in output]
    else:
        output, words = target.encode(translation.strip()), tokens_of(target, translation.strip())
    start_id = model.config.start_id
    weights = attention_weights(model, src, np.array([[start_id, *output]]))
    begins, ends = target.tokens[start_id], target.tokens[EOS]
    before, behind = ([translator.source.tokens[i] for i in marks] for marks in MARKS[model.config.source_marks])
    source = [*before, *tokens_of(translator.source, sentence.strip()), *behind]
    return SentenceAttention(source, [begins, *words], [*words, ends], *(kind[:, 0] for kind in weights))


def tokens_of(vocabulary: AnyVocabulary, text: str) -> list[str]:
    """Return the tokens of a text as people read them, an unknown one beside the <unk> that the model reads.

    >>> from npformer.text import Vocabulary
    >>> tokens_of(Vocabulary.build(["the dog sleeps"]), "the dragon sleeps")
    ['the', 'dragon <unk>', 'sleeps']
    """
    unknown = set(vocabulary.unknown(text))
    return [token + UNKNOWN if token in unknown else token for token in vocabulary.split(text)]
