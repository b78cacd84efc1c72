"""Translation: sentence pairs to a Translator."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from ..datasets import SentencePair
from ..datasets.own_files import read_pairs
from ..decoding.beam import PENALTY_HELP
from ..evaluation import alignment_table, attention_error_rates, score_translations
from ..models import TransformerConfig
from ..text import Vocabulary, fits, marked, with_marks
from ..utils import InputError, one_line, setting
from .batches import Batches, Example, TranslationBatch
from .objective import mean_loss
from .predictor import BATCH_TOKENS
from .task import Options, Task, build_text_vocabulary
from .translator import Translator

OR_IMPORTED = ", or what an imported model came with"


@dataclass(frozen=True, kw_only=True)
class SearchSettings(Options):
    """The options of the search; None: as `Translator.search` has it."""

    beam: int | None = setting(
        None, "hypotheses at a time, 1: greedy", least=1, none_is="4" + OR_IMPORTED
    )
    alpha: float | None = setting(
        None, "length penalty, 0: none", least=0, most=10, none_is="0.6" + OR_IMPORTED
    )
    penalty: str | None = setting(
        None, PENALTY_HELP, choices=("wu", "length"), none_is="wu" + OR_IMPORTED
    )

    def search(self) -> dict:
        """Return the arguments of `Translator.translate`."""
        return {"beam": self.beam, "alpha": self.alpha, "penalty": self.penalty}


@dataclass(frozen=True, kw_only=True)
class EvaluateTranslation(SearchSettings):
    """What `npformer evaluate` can be given for a run of translation."""

    src: str | None = setting(
        None, "file of source sentences", none_is="the run's test or held-out set"
    )
    tgt: str | None = setting(None, "file of their reference translations")
    language: str | None = setting(
        None, "code of the target language, for Moses tokens", none_is="the data set's"
    )
    alignment: bool = setting(
        False, "add the alignment error rate of each head; the data need word alignments"
    )

    def __post_init__(self):
        super().__post_init__()
        if (self.src is None) != (self.tgt is None):
            raise InputError("--src and --tgt go together: give both files or neither")


@dataclass(frozen=True, kw_only=True)
class TranslateSettings(SearchSettings):
    """The options of `npformer translate`."""

    n_best: int | None = setting(
        None, "the N best: number, score, text, by tabs", least=1, none_is="the best's text"
    )


class TranslationTask(Task):
    """Sentence pairs to a Translator."""

    name, verb = "translation", "translate"
    help = "Translate sentences, or standard input line by line."
    predictor, batch = Translator, TranslationBatch
    examples, read_field = "sentence pairs", "source"
    evaluate_settings, predict_settings = EvaluateTranslation, TranslateSettings

    def build_vocabularies(self, examples: Sequence[SentencePair], settings, model_settings):
        """Return the source and target vocabularies; with subwords or one embedding matrix both have one list."""
        sources, targets = [pair.source for pair in examples], [pair.target for pair in examples]
        if settings.unit == "subwords":
            subwords = build_text_vocabulary(
                (line for pair in examples for line in pair[:2]), settings
            )
            return subwords, subwords
        source_lower, target_lower = (
            settings.lowercase in ("source", "both"),
            settings.lowercase == "both",
        )
        if model_settings.get("tie", TransformerConfig.tie) != "all":
            source = build_text_vocabulary(sources, settings, lowercase=source_lower)
            return source, build_text_vocabulary(targets, settings, lowercase=target_lower)
        folded = [line.lower() for line in sources] if source_lower else sources
        both = build_text_vocabulary(folded + targets, settings, lowercase=target_lower)
        return Vocabulary(both.tokens, unit=both.unit, lowercase=source_lower), both

    def make_batches(
        self, examples: Sequence[SentencePair], vocabularies, config, settings, *, held_out=False
    ):
        (source, target), longest, marks = (
            vocabularies,
            min(config.max_len, settings.batch_tokens),
            config.source_marks,
        )
        encoded = [
            (pair, source.encode(pair.source), target.encode(pair.target)) for pair in examples
        ]
        usable = [
            (pair, src, tgt)
            for pair, src, tgt in encoded
            if fits(src, longest, marks) and fits(tgt, longest)
        ]
        if not usable:
            long = f"a source of more than {longest} tokens{with_marks(marks)}, or a target of more{with_marks()}"
            raise InputError(
                f"none of {len(examples)} sentence pairs can be used: each has an empty side, {long}"
            )
        batches = translation_batches(
            [(src, tgt) for _, src, tgt in usable],
            config,
            batch_tokens=settings.batch_tokens,
            seed=settings.seed,
        )
        return batches, len(examples) - len(usable)

    def score(
        self, predictor: Translator, examples: Sequence[SentencePair], settings, batch_tokens
    ):
        """Translate every pair with a usable source; white space around sentences is ignored."""
        config, source, target = predictor.model.config, predictor.source, predictor.target
        max_len, marks = config.max_len, config.source_marks
        stripped = [
            pair._replace(source=pair.source.strip(), target=pair.target.strip())
            for pair in examples
        ]
        encoded = [
            (pair, source.encode(pair.source), target.encode(pair.target)) for pair in stripped
        ]
        readable = [(pair, src, tgt) for pair, src, tgt in encoded if fits(src, max_len, marks)]
        scored = [(pair, src, tgt) for pair, src, tgt in readable if fits(tgt, max_len)]
        if not scored:
            expected = f"a source of at most {max_len} tokens{with_marks(marks)}, and a target of as many{with_marks()}"
            raise InputError(
                f"none of {len(examples)} sentence pairs can be scored: expected {expected}"
            )
        pairs, sources = (
            [pair for pair, _, _ in readable],
            [marked(src, marks) for _, src, _ in readable],
        )
        translations = predictor.translations(
            sources, **settings.search(), batch_tokens=batch_tokens
        )
        ids = [(src, tgt) for _, src, tgt in scored]
        batches = translation_batches(ids, config, batch_tokens=batch_tokens)
        aligned = [pair for pair, _, _ in scored if pair.alignment] if settings.alignment else []
        if settings.alignment and not aligned:
            raise InputError(
                "alignment = True: no pair has a word alignment, as those of the phrasebook have"
            )
        return score_translations(
            pairs,
            [best.text for [best] in translations],
            target,
            language=settings.language,
            loss=mean_loss(predictor.model, batches),
            without_loss=len(readable) - len(scored),
            left_out=len(examples) - len(readable),
            alignment=alignment_table(attention_error_rates(predictor, aligned), aligned)
            if aligned
            else "",
        )

    def evaluate_defaults(self, settings):
        """Return the language that a training translates into."""
        return {"language": settings.data_set().target_language(settings.direction)}

    def read_examples(self, predictor: Translator, settings):
        return None if settings.src is None else read_pairs(settings.src, settings.tgt)

    def predict(
        self, predictor: Translator, texts, settings, *, first=1, batch_tokens=BATCH_TOKENS
    ):
        """Yield the translation of each text, or `n_best` lines for it: number, score, translation."""
        n_best, sources = (
            settings.n_best,
            [predictor.encode(text) for text in texts if text is not None],
        )
        translations = iter(
            predictor.translations(
                sources, n=n_best, **settings.search(), batch_tokens=batch_tokens
            )
        )
        for number, text in enumerate(texts, start=first):
            best = next(translations) if text is not None else []
            if n_best is None:
                yield one_line(best[0].text) if best else ""
            else:
                lines = [
                    f"{number}\t{score:.4f}\t{one_line(translation)}" for translation, score in best
                ]
                yield "\n".join(lines or [f"{number}\t\t"])


def translation_batches(
    examples: Sequence[Example], config: TransformerConfig, *, batch_tokens: int, seed: int = 0
) -> Batches:
    """Return batches of pairs of ids, with the special tokens that a model of this config reads.

    `batch_tokens` and `seed` are as in `Batches`.
    """
    collate = partial(
        TranslationBatch.collate, start_id=config.start_id, source_marks=config.source_marks
    )
    n_source_marks = len(marked([], config.source_marks))
    return Batches(
        examples,
        batch_tokens=batch_tokens,
        seed=seed,
        collate=collate,
        n_special_tokens=(n_source_marks, 1),
    )
