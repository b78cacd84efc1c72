"""Bugs of language models: their model, the chunks they learn from, how they write and how they are scored."""

from functools import partial

import test_language_model as model_of
import test_language_model_scores as scored
import test_language_modeling as chunks
import test_sampler as sampler
import test_text_generator as writer

from npformer.decoding import CachedDecoder, Sampler
from npformer.layers import ScaledDotProductAttention
from npformer.models import LanguageModel
from npformer.models.language_model import DecoderOnly
from npformer.tasks import Batch, LanguageModelBatch, LanguageModelTask, TextChunks, TextGenerator

from .plant import bug, gradients

CAUSAL = partial(model_of.test_each_token_affects_only_its_own_and_later_logits, {})
TWO_TABLES = partial(model_of.test_padding_changes_no_output, model_of.SETTINGS[1])
IN_PARTS = partial(model_of.test_reading_in_chunks_equals_whole_text, {}, [3, 4])
IN_ORDER = partial(chunks.test_each_token_is_predicted_once_in_order, length=7, batch_tokens=20)
ONCE = partial(chunks.test_each_token_after_the_offset_is_predicted_once, length=7, epoch=1)
CUTS = chunks.test_chunk_offsets_and_order_vary_by_epoch
BEYOND = partial(
    writer.test_greedy_text_equals_whole_prefix_beyond_max_len, prompt="abc", settings={}
)
FEWEST = partial(sampler.test_top_p_keeps_smallest_most_probable_set, 0.69, [1, 3], dtype="float64")

TEXTS = [
    bug(
        "language model: the future visible",
        CAUSAL,
        (DecoderOnly, "__init__", "causal=True", "causal=False"),
    ),
    bug(
        "language model: padding visible",
        TWO_TABLES,
        (
            LanguageModel,
            "forward",
            "target_mask(ids, self.config.pad_id, self.config.start_id)",
            "None",
        ),
    ),
    bug(
        "language model: two tables where one was asked for",
        model_of.test_tied_model_has_one_embedding_matrix_and_untied_two,
        (
            LanguageModel,
            "__init__",
            'if config.tie == "all" else None',
            'if config.tie == "both" else None',
        ),
    ),
    bug(
        "LanguageModel.backward: the generator's gradient goes no further",
        gradients("LanguageModel", 1),
        (
            LanguageModel,
            "backward",
            "self.decoder.backward(self.generator.backward(dlogits))",
            "self.generator.backward(dlogits)",
        ),
    ),
    bug(
        "cached reading: a part sees as if it were the text's beginning, wherever it stands",
        IN_PARTS,
        (
            ScaledDotProductAttention,
            "forward",
            "key.shape[-2] - query.shape[-2])",
            "key.shape[-2] - query.shape[-2])[:, ::-1]",
        ),
    ),
    bug(
        "cached reading: positions counted from 0 again",
        IN_PARTS,
        (CachedDecoder, "read", "start=self.n_steps", "start=0"),
    ),
    bug(
        "chunks: the last token of each is not predicted",
        IN_ORDER,
        (TextChunks, "epoch", "self.length + 1]", "self.length]"),
    ),
    bug(
        "chunks: the text's last token is not predicted",
        partial(chunks.test_each_token_is_predicted_once_in_order, length=1, batch_tokens=20),
        (TextChunks, "epoch", "len(self.ids) - 1", "len(self.ids) - 2"),
    ),
    bug(
        "chunks: they overlap",
        ONCE,
        (
            TextChunks,
            "epoch",
            "last, self.length)\n        starts = starts",
            "last, 5)\n        starts = starts",
        ),
    ),
    bug(
        "chunks: the same cuts in every epoch",
        CUTS,
        (TextChunks, "epoch", "rng.integers(min(self.length, last))", "0"),
    ),
    bug(
        "chunks: in the order of the text in every epoch",
        CUTS,
        (TextChunks, "epoch", "starts[rng.permutation(len(starts))]", "starts"),
    ),
    bug(
        "chunks: every epoch like the first",
        CUTS,
        (TextChunks, "epoch", "default_rng([self.seed, number])", "default_rng([self.seed, 1])"),
    ),
    bug(
        "chunks: the seed is not heard",
        chunks.test_epoch_depends_only_on_seed_and_number,
        (TextChunks, "epoch", "default_rng([self.seed, number])", "default_rng([0, number])"),
    ),
    bug(
        "text batch: each token is to predict itself",
        chunks.test_chunks_of_unequal_length_are_padded,
        (LanguageModelBatch, "collate", "slice(1, None)", "slice(-1)"),
    ),
    bug(
        "Batch.split: shares whose targets are another share's",
        partial(chunks.test_split_contains_each_chunk_once, 2),
        (
            Batch,
            "split",
            "array[i::n] for array",
            "array[(i if array is not self.targets else n - 1 - i) :: n] for array",
        ),
    ),
    bug(
        "writer: what was read is read again",
        BEYOND,
        (TextGenerator, "tokens", "unread = [token]", "unread = ids[-2:]"),
    ),
    bug(
        "writer: beyond max_len the text's beginning is kept, not its end",
        BEYOND,
        (TextGenerator, "tokens", "ids[-max(max_len // 2, 1) :]", "ids[: max(max_len // 2, 1)]"),
    ),
    bug(
        "writer: special tokens are drawn",
        writer.test_special_tokens_are_never_sampled,
        (TextGenerator, "tokens", "logits[:, NEVER] = -math.inf", "pass"),
    ),
    bug(
        "writer: a temperature of 0 is one of 1",
        writer.test_temperature_0_is_greedy_regardless_of_other_settings,
        (TextGenerator, "stream", "temperature, top_k = 1.0, 1", "temperature = 1.0"),
    ),
    bug(
        "sampler: one token too few where the more probable have p exactly",
        sampler.test_top_p_reached_exactly_is_sufficient,
        (Sampler, "__call__", "cumulative >= self.top_p", "cumulative > self.top_p"),
    ),
    bug(
        "sampler: of top_p only those that stay below it",
        FEWEST,
        (
            Sampler,
            "__call__",
            "cumulative = probabilities[:, :-1].cumsum(1)",
            "cumulative = probabilities.cumsum(1)[:, 1:]",
        ),
    ),
    bug(
        "sampler: top_p of the logits before the temperature",
        partial(sampler.test_temperature_is_applied_before_top_p, 2.0),
        (
            Sampler,
            "__call__",
            "np.exp(values - values[:, :1])",
            "np.exp((values - values[:, :1]) * self.temperature)",
        ),
    ),
    bug(
        "bits a character: over one that nobody foresees too",
        partial(scored.test_uniform_model_has_perplexity_of_vocabulary_size, max_len=4),
        (LanguageModelTask, "score", " - first_end", ""),
    ),
    bug(
        "scores of a text: chunks as shuffled as in training, which lose its beginning",
        partial(scored.test_loss_is_mean_over_tokens_in_their_chunks, batch_tokens=8),
        (LanguageModelTask, "score", "shuffle=False", "shuffle=True"),
    ),
]
