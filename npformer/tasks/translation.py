"""Translation: batches, vocabularies and scores of sentence pairs."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from ..datasets import SentencePair
from ..evaluation import score_translations
from ..models import TransformerConfig
from ..text import Vocabulary, add_special_tokens, describe_special_tokens, fits
from ..utils import InputError
from .batches import Batches, Example, TranslationBatch, checked_pairs
from .objective import mean_loss
from .predictor import BATCH_TOKENS
from .task import Task, build_text_vocabulary
from .translator import Translator

__all__ = ["TranslationTask", "translation_batches"]


class TranslationTask(Task):
    """Sentence pairs to a Translator."""

    name = "translation"
    predictor = Translator

    def build_vocabularies(
        self, examples: Sequence[SentencePair], settings: Any, model_settings: dict
    ) -> tuple:
        """Return the source and target vocabularies.

        With subwords, or with one embedding matrix for both sides, both have the same tokens.
        """
        # one list of subwords, learned from both sides, as in section 5.1 of the paper
        if settings.tokenizer == "bpe":
            lines = []
            for pair in examples:
                lines += [pair.source, pair.target]
            subwords = build_text_vocabulary(lines, settings)
            return subwords, subwords

        sources = []
        targets = []
        for pair in examples:
            sources.append(pair.source)
            targets.append(pair.target)
        source_lower = settings.lowercase in ("source", "both")
        target_lower = settings.lowercase == "both"

        if model_settings.get("tie_embeddings", TransformerConfig.tie_embeddings) != "all":
            source = build_text_vocabulary(sources, settings, lowercase=source_lower)
            target = build_text_vocabulary(targets, settings, lowercase=target_lower)
            return source, target

        # a vocabulary lowercases all of its texts or none, so the sources are lowercased here
        if source_lower:
            sources = [line.lower() for line in sources]
        target = build_text_vocabulary(sources + targets, settings, lowercase=target_lower)
        source = Vocabulary(target.tokens, tokenizer=target.tokenizer, lowercase=source_lower)
        return source, target

    def make_batches(
        self,
        examples: Sequence[SentencePair],
        vocabularies: tuple,
        config: TransformerConfig,
        settings: Any,
        *,
        held_out: bool = False,
    ) -> tuple[Batches, int]:
        """Return the batches, and how many pairs were left out as empty or too long."""
        source, target = vocabularies
        special_tokens = config.source_special_tokens
        # a longer sentence does not fit in the model, or not in a batch
        longest = min(config.max_len, settings.batch_tokens)

        ids = []
        for pair in examples:
            src = source.encode(pair.source)
            tgt = target.encode(pair.target)
            if fits(src, longest, special_tokens) and fits(tgt, longest):
                ids.append((src, tgt))
        if not ids:
            raise InputError(
                f"none of {len(examples)} sentence pairs can be used: each has an empty side, "
                f"a source of more than {longest} tokens{describe_special_tokens(special_tokens)} "
                "(the smaller of max_len and batch_tokens), "
                f"or a target of more{describe_special_tokens()}"
            )

        batches = translation_batches(
            ids, config, batch_tokens=settings.batch_tokens, seed=settings.seed
        )
        return batches, len(examples) - len(ids)

    def evaluate(
        self,
        predictor: Translator,
        examples: Sequence[SentencePair],
        *,
        beam: int | None = None,
        alpha: float | None = None,
        length_normalization: str | None = None,
        language: str | None = None,
        batch_tokens: int = BATCH_TOKENS,
    ) -> Any:
        """Translate every pair with a usable source, and compare with its target.

        White space around sentences is ignored.

        Arguments:
            predictor: the Translator.
            examples: pairs (source, target) of sentences and their reference translations.
            beam, alpha, length_normalization: as in `Translator.translations`.
            language: the code of the target language, for BLEU's tokens; None: those of 13a.
            batch_tokens: how many source tokens are translated at a time, about.
        """
        checked_pairs(examples)
        max_len = predictor.model.config.max_len
        special_tokens = predictor.model.config.source_special_tokens

        translated = []
        sources = []
        ids = []
        for given in examples:
            # as translate reads a sentence, so that both count the same tokens
            pair = SentencePair(*given)
            pair = pair._replace(source=pair.source.strip(), target=pair.target.strip())
            src = predictor.source.encode(pair.source)
            tgt = predictor.target.encode(pair.target)
            if not fits(src, max_len, special_tokens):
                continue
            translated.append(pair)
            sources.append(add_special_tokens(src, special_tokens))
            # the model reads the reference too for the loss, but not to translate
            if fits(tgt, max_len):
                ids.append((src, tgt))
        if not ids:
            raise InputError(
                f"none of {len(examples)} sentence pairs can be scored: expected "
                f"a source of at most {max_len} tokens{describe_special_tokens(special_tokens)}, "
                f"and a target of as many{describe_special_tokens()}"
            )

        translations = predictor.translations(
            sources,
            beam=beam,
            alpha=alpha,
            length_normalization=length_normalization,
            batch_tokens=batch_tokens,
        )
        batches = translation_batches(ids, predictor.model.config, batch_tokens=batch_tokens)
        return score_translations(
            translated,
            [best.text for [best] in translations],
            predictor.target,
            language=language,
            loss=mean_loss(predictor.model, batches),
            without_loss=len(translated) - len(ids),
            left_out=len(examples) - len(translated),
        )

    def evaluate_defaults(self, settings: Any) -> dict:
        """Return the language that a training translates into."""
        return {"language": settings.data_set().target_language(settings.direction)}


def translation_batches(
    examples: Sequence[Example], config: TransformerConfig, *, batch_tokens: int, seed: int = 0
) -> Batches:
    """Return batches of pairs of ids, with the special tokens that a model of this config reads.

    `batch_tokens` and `seed` are as in `Batches`.
    """
    collate = partial(
        TranslationBatch.collate,
        start_id=config.start_id,
        source_special_tokens=config.source_special_tokens,
    )
    n_source_special_tokens = len(add_special_tokens([], config.source_special_tokens))
    return Batches(
        examples,
        batch_tokens=batch_tokens,
        seed=seed,
        collate=collate,
        n_special_tokens=(n_source_special_tokens, 1),
    )
