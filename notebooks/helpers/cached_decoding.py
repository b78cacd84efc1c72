"""The decoder of the course's sentence, read with a cache, and what it costs; for notebook 25."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np

import npformer as npf
from npformer.decoding import CachedDecoder
from npformer.layers import Generator, Linear, ScaledDotProductAttention, causal_mask
from npformer.models.config import TransformerConfig
from npformer.visualization import Trace
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ROLES, main_color
from npformer_course import course
from npformer_course.student.forward_adapters import given
from npformer_course.student.stand_ins import run_hidden
from npformer_course.student.student_layers import own_layers

from .course_sentence import CourseSentence
from .expected import Expected
from .pictures import show_arrays

K_COLOR = ROLES["key"]
ABOVE = {"textcoords": "offset points", "ha": "center", "fontsize": 8}


def attend_with(masked_attention: Callable) -> Callable:
    """Return `attend(q, k, v, mask)`, which returns what `masked_attention` does without weights.

    Its mask may have the shape (T, S) alone.
    """

    def attend(q, k, v, mask):
        mask = np.broadcast_to(mask, (len(q), 1, q.shape[2], k.shape[2]))
        y, _ = masked_attention(q, k, v, mask)
        return y

    return attend


def keys_apart(sentence: CourseSentence, step: Callable, mask: Callable) -> dict[str, np.ndarray]:
    """Return how far the keys of decoder layer 1 (T,) are from those of one pass.

    They are read in three ways, by the learner's functions.

    Arguments:
        sentence: what is read
        step: the learner's self_attention_step
        mask: their new_positions_mask
    """
    at_once = sentence.attention("decoder.layers.1.self_attention")["k"]  # (H, T, d_k)
    d_k = at_once.shape[-1]
    ways = {
        "one by one": ([1] * 10, mask),
        "6, then one by one": ([6, 1, 1, 1, 1], mask),
        "the same, no mask": ([6, 1, 1, 1, 1], all_seen),
    }
    apart = {}
    for name, (reads, mask_of_way) in ways.items():
        decoder, _ = read_with_cache(sentence, reads, step, mask_of_way)
        # the last feature of the cache is that of the biases
        keys = decoder.layers[1].token_cache.keys[0, :, :, :d_k]
        apart[name] = abs(keys - at_once).max((0, 2))
    return apart


def all_seen(n_new: int, n_old: int) -> np.ndarray:
    """Return a mask that hides nothing."""
    return np.ones((n_new, n_old + n_new), bool)


def read_with_cache(
    sentence: CourseSentence, reads: Sequence[int], step: Callable, mask: Callable
) -> tuple[CachedDecoder, np.ndarray]:
    """Return the decoder after some steps, and the logits of the last position (V,).

    Arguments:
        sentence: what is read
        reads: how many positions each step reads
        step: the learner's self_attention_step
        mask: their new_positions_mask
    """
    names: dict[str, Any] = run_hidden(course.load("kv_cache").key)
    names["self_attention_step"] = step
    tokens = sentence.batch.tgt_in
    start = 0
    with own_layers({"kv_cache": SimpleNamespace(**names)}), given(step, new_positions_mask=mask):
        decoder = CachedDecoder(sentence.model, sentence.batch.src)
        for n_new in reads:
            logits = decoder.read(tokens[:, start : start + n_new])
            start += n_new
    return decoder, logits[0, 0]


def bytes_per_token() -> Expected:
    """Return how many bytes the cache of the paper's base model needs for a target token."""
    numbers = 2 * 6 * 512  # keys and values
    expected = Expected(bytes_per_token=4 * numbers)
    expected.say("this is how many numbers it has", bytes_per_token=numbers)
    expected.say("this is for the keys only", bytes_per_token=2 * numbers)
    expected.say("this is for one layer", bytes_per_token=4 * 2 * 512)
    return expected


def show_masks(masks: Mapping[str, np.ndarray]):
    """Draw masks (N, L + N), a row for each new position and a column for each in the cache."""
    rows = {}
    columns = {}
    for name, mask in masks.items():
        n_new, n_seen = mask.shape
        rows[name] = [f"new: {i}" for i in range(n_seen - n_new, n_seen)]
        columns[name] = [str(j) for j in range(n_seen)]
    arrays: dict[str, Any] = dict(masks)
    return show_arrays(rows=rows, columns=columns, **arrays)


def show_scores_made(without: np.ndarray, with_cache: np.ndarray):
    """Draw the scores that were made after each number of tokens, and the keys with a cache."""
    n = np.arange(1, len(without) + 1)
    lines = (
        (without, GREY, "scores without a cache"),
        (with_cache, main_color(), "scores with it"),
        (n, K_COLOR, "keys with it"),
    )
    figure, ax = new_figure(width=7.5, height=3.4)
    for made, color, label in lines:
        ax.plot(n, made, color=color, linewidth=2, label=label)
        for i in (100, 200):
            ax.plot(i, made[i - 1], "o", color=color, markersize=4)
            ax.annotate(f"{made[i - 1]:,}", (i, made[i - 1]), (0, 5), **ABOVE)
    ax.set(xscale="log", yscale="log", xlabel="tokens written", ylabel="made, in all steps")
    ax.set(xlim=(1, 320), ylim=(1, 1.5e7))
    ax.set_xticks((1, 5, 20, 100, 200), ("1", "5", "20", "100", "200"))
    ax.legend(loc="upper left")
    return figure


def show_multiplications(t: np.ndarray, plain: np.ndarray, cached: np.ndarray):
    """Draw the multiplications of a decoder layer for the next token, by the tokens so far."""
    figure, ax = new_figure(width=6.5, height=3.2)
    ax.plot(t, plain / 1e6, color=GREY, linewidth=2, label="without a cache")
    ax.plot(t, cached / 1e6, color=main_color(), linewidth=2, label="with it")
    ax.set(yscale="log", xlabel="tokens so far", ylabel="million multiplications")
    ax.set_title("one layer of the base model, one token")
    ax.grid(alpha=0.3)
    ax.legend()
    return figure


def show_memory(bytes_per_token: float):
    """Draw how large the cache of the base model is, next to its parameters."""
    tokens = np.array([0, 20_000])
    figure, ax = new_figure(width=6.5, height=2.8)
    ax.plot(tokens, tokens * bytes_per_token / 1e6, color=main_color(), linewidth=2, label="cache")
    ax.axhline(4 * 65, color=ORANGE, linestyle="--", label="65 million parameters")
    ax.set(xlabel="tokens of all texts together", ylabel="megabytes", xlim=(0, 20_000))
    ax.set(ylim=(0, None))
    ax.legend()
    return figure


def multiplications(D: int, F: int, S: int, t: np.ndarray) -> Expected:
    """Return what a decoder layer with a cache multiplies for one token, by the tokens so far."""
    right = multiplications_with_cache(D, F, S, t)
    expected = Expected(cached=right)
    memory = "the keys and values of the memory are made again"
    expected.say(memory, cached=right + 2 * S * D**2)
    expected.say("the new query looks at one key only", cached=right - 2 * t * D + 2 * D)
    expected.say("all t queries look at the keys", cached=right - 2 * t * D + 2 * t**2 * D)
    expected.say(f"{memory}, one key and one value", cached=right + 2 * D**2)
    return expected


def multiplications_with_cache(D: int, F: int, S: int, t: np.ndarray) -> np.ndarray:
    """Return the multiplications of a decoder layer with a cache for one token, t tokens so far.

    >>> multiplications_with_cache(2, 8, 3, np.array([1, 2]))
    array([72, 76])
    """
    return 6 * D**2 + 2 * t * D + 2 * S * D + 2 * D * F


def multiplications_counted(sentence: CourseSentence, *, cached: bool) -> list[int]:
    """Return the multiplications of the decoder for each token of the sentence, (T,).

    They are counted from the shapes of what passes through its layers, without the generator.
    """
    model = sentence.model
    src = sentence.batch.src
    tokens = sentence.batch.tgt_in
    memory, memory_mask = model.encode(src)
    decoder = CachedDecoder(model, src)
    counts = []
    for t in range(1, tokens.shape[1] + 1):
        with npf.trace(model) as trace:
            if cached:
                decoder.step(tokens[:, t - 1 : t])
            else:
                model.decoder.forward(tokens[:, :t], memory, causal_mask(t), memory_mask)
        counts.append(_of_shapes(trace))
    return counts


def _of_shapes(trace: Trace) -> int:
    total = 0
    for record in trace.records:
        if isinstance(record.layer, Linear) and not isinstance(record.layer, Generator):
            total += record.inputs.x.size * record.layer.weight.data.shape[1]
        elif isinstance(record.layer, ScaledDotProductAttention):
            query, key, value = record.inputs[:3]  # (B, H, T, d_k), (B, H, S, d_k), (B, H, S, d_v)
            total += query[..., 0].size * key.shape[2] * (key.shape[3] + value.shape[3])
    return total


def times_as_fast(n_tokens: int) -> float:
    """Return how many times as fast a small decoder reads this many tokens with a cache."""
    config = TransformerConfig.tiny(src_vocab_size=800, tgt_vocab_size=800)
    model: Any = npf.Transformer(config, rng=0).eval()
    rng = np.random.default_rng(1)
    src = rng.integers(4, 800, (1, 12))
    tokens = rng.integers(4, 800, (1, n_tokens))
    memory, memory_mask = model.encode(src)

    def without():
        for t in range(1, n_tokens + 1):
            y = model.decoder.forward(tokens[:, :t], memory, causal_mask(t), memory_mask)
            model.generator.forward(y[:, -1:])

    def cached():
        decoder = CachedDecoder(model, src)
        for t in range(n_tokens):
            decoder.step(tokens[:, t : t + 1])

    return _seconds(without) / _seconds(cached)


def _seconds(run: Callable) -> float:
    """Return the shortest of three times."""
    times = []
    for _ in range(3):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)
