"""The shipped translator without some of its masks, for notebook 07."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np

import npformer as npf
from npformer.datasets import phrasebook
from npformer.layers import Softmax, padding_mask
from npformer.tasks import Translator
from npformer.text import BOS, EOS, PAD, pad
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.attention import draw_map
from npformer.visualization.plots.colors import contrasting

MOST_TOKENS = 25  # that are written for a sentence
CROSS_ATTENTION = "decoder.layers.1.cross_attention.sublayer.attention.softmax"
SELF_ATTENTION = "encoder.layers.0.self_attention.sublayer.attention"


def batch_of(translator: Translator, sentences: Sequence[str]) -> np.ndarray:
    """Return the ids of sentences as one array (B, S), the shorter ones filled up with <pad>."""
    return pad([translator.encode(sentence) for sentence in sentences], PAD)


def held_out(n: int) -> list[str]:
    """Return n English sentences on which the translator was not trained."""
    _, validation = phrasebook.split()
    return [pair.source for pair in validation[:n]]


def tokens_of(translator: Translator, ids) -> list[str]:
    """Return the tokens of source ids (S,), with "I" as we write it."""
    tokens = [translator.source.tokens[i] for i in ids]
    return ["I" if token == "i" else token for token in tokens]


def logits_of(
    translator: Translator, src, read, *, hide_padding: bool = True, hide_future: bool = True
) -> np.ndarray:
    """Return the logits (B, T, V) for sources (B, S), where the decoder reads ids (B, T).

    Arguments:
        translator: the translator
        src: ids of the sources
        read: ids of the decoder, from <bos> on
        hide_padding: whether the <pad> of the sources is hidden
        hide_future: whether the decoder's attention to its own words is causal
    """
    model = translator.model
    mask = padding_mask(src, PAD)
    if not hide_padding:
        mask = np.ones_like(mask)
    with model.evaluating(), _causal(model, hide_future):
        memory = model.encoder.forward(src, mask)
        return model.decode(read, memory, mask)


@contextmanager
def _causal(model, is_causal: bool) -> Iterator[None]:
    """Let the decoder see the future, or not, for the length of a with block."""
    attentions = [layer.self_attention.sublayer.attention for layer in model.decoder.layers]
    for attention in attentions:
        attention.causal = is_causal
    try:
        yield
    finally:
        for attention in attentions:
            attention.causal = True


def write(translator: Translator, src, **hide: bool) -> list[str]:
    """Return the translation of each source, from the most probable tokens.

    For each token the decoder reads again all that has been written. `hide` is what `logits_of`
    takes.
    """
    return _written(translator, len(src), lambda read: logits_of(translator, src, read, **hide))


def write_with_memories(translator: Translator, src, encoder_layers: Sequence[int]) -> list[str]:
    """The same, where decoder layer i reads what leaves encoder layer `encoder_layers[i]`."""
    model = translator.model
    with npf.trace(model) as trace:
        _, mask = model.encode(src)
    memories = [trace[f"encoder.layers.{i}"].output for i in encoder_layers]

    def logits_from(read):
        with model.evaluating():
            x = model.decoder.input_embedding.forward(read)
            for layer, memory in zip(model.decoder.layers, memories, strict=True):
                x = layer.forward(x, memory, memory_mask=mask)
            return model.generator.forward(x)

    return _written(translator, len(src), logits_from)


def _written(translator: Translator, n: int, logits_from: Callable) -> list[str]:
    """Return n translations, where `logits_from` gives the logits of what was read so far."""
    read = np.full((n, 1), BOS)
    for _ in range(MOST_TOKENS):
        logits = logits_from(read)[:, -1]  # (B, V)
        logits[:, PAD] = -np.inf
        read = np.column_stack([read, logits.argmax(-1)])

    texts = []
    for ids in read[:, 1:].tolist():
        if EOS in ids:
            ids = ids[: ids.index(EOS)]
        texts.append(translator.target.decode(ids))
    return texts


def change_of_length(before: str, after: str) -> str:
    """Return in words how a translation changed.

    >>> change_of_length("Ich lese.", "Ich lese ein Buch.")
    'longer'
    """
    if before == after:
        return "not at all"
    if len(after.split()) > len(before.split()):
        return "longer"
    return "shorter"


def first_attention(translator: Translator, src) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, k and v of encoder layer 0, (B, H, S, d_k) each. No mask has acted on them yet."""
    with npf.trace(translator.model) as trace:
        translator.model.encode(src)
    arrays = trace[SELF_ATTENTION].arrays
    return arrays["query"], arrays["key"], arrays["value"]


def looks_at_source(translator: Translator, src, german: str, **hide: bool):
    """Return the words that the decoder has written, and where it looks in the source.

    The weights (T, S) are those of cross-attention in the last layer, the mean of all heads.

    Arguments:
        translator: the translator
        src: ids of one source (1, S)
        german: the words that have been written so far
        hide: what `logits_of` takes
    """
    ids = [BOS, *translator.target.encode(german)]
    with npf.trace(translator.model) as trace:
        logits_of(translator, src, np.array([ids]), **hide)
    weights = trace[CROSS_ATTENTION].output[0].mean(0)
    return [translator.target.tokens[i] for i in ids], weights


def effects(translator: Translator, src, read, *, hide_future: bool = True) -> np.ndarray:
    """Return how far each change of a token moves the probabilities at each position, (T, T).

    In column j token j was replaced by "Lampe". Row t is the largest change of a probability at
    position t.
    """
    [other] = translator.target.encode("Lampe")
    softmax = Softmax()
    before = softmax(logits_of(translator, src, read, hide_future=hide_future)[0])
    columns = []
    for j in range(read.shape[1]):
        changed = read.copy()
        changed[0, j] = other
        after = softmax(logits_of(translator, src, changed, hide_future=hide_future)[0])
        columns.append(abs(after - before).max(-1))
    return np.stack(columns, axis=1)


def show_effects(tokens: Sequence[str], **panels):
    """Draw effects (T, T) next to each other, in gray where nothing changed; return the figure."""
    figure, axes = new_figure(1, len(panels), width=4.1 * len(panels), height=4.1)
    for ax, (name, effect) in zip(np.ravel(axes), panels.items(), strict=True):
        shown = np.where(effect == 0, np.nan, effect)
        image = draw_map(ax, shown, tokens, tokens, title=name.replace("_", " "))
        image.set_cmap(image.get_cmap().with_extremes(bad="0.75"))
        for (row, column), size in np.ndenumerate(shown):
            if size >= 0.1:
                color = contrasting(image.to_rgba(size))
                ax.text(column, row, f"{size:.1f}", ha="center", va="center", color=color, size=7)
        ax.set(xlabel="this token was changed", ylabel="the prediction after this token")
    return figure
