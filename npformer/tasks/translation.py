"""Translation: sentence pairs to a Translator."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..datasets import SentencePair
from ..datasets.own_files import read_pairs
from ..decoding import Translator
from ..evaluation import TranslationScores, alignment_table, score_translations
from ..models import TransformerConfig
from ..text import BOS, PAD, AnyVocabulary, SubwordDropout, Vocabulary, fits, marked, pad, with_marks
from ..utils import InputError, check_settings, setting
from ..utils.one_line import one_line
from ..visualization import attention_error_rates
from .batches import Batch, Batches
from .objective import mean_loss
from .task import Task, build_text_vocabulary, longest_usable

OR_IMPORTED = ", or what an imported model came with"


class TranslationBatch(Batch):
    """Padded ids: src (B, S) ends in <eos>; tgt_in (B, T) starts with <bos>; tgt_out (B, T) is tgt_in one step later.

    `TranslationBatch.of_model(config)` is the class for a model with another start token or other source marks.

    >>> batch = TranslationBatch.of([[4, 5], [6]], [[7], [8, 9]])
    >>> batch.src.tolist(), batch.tgt_in.tolist(), batch.tgt_out.tolist(), batch.n_tokens
    ([[4, 5, 3], [6, 3, 0]], [[2, 7, 0], [2, 8, 9]], [[7, 3, 0], [8, 9, 3]], 5)
    """

    start_id, source_marks = BOS, "eos"

    def __init__(self, src, tgt_in, tgt_out):
        self.src, self.tgt_in, self.tgt_out = src, tgt_in, tgt_out

    def __reduce__(self):
        return TranslationBatch, (self.src, self.tgt_in, self.tgt_out)  # pickle finds no class of `of_model`

    @property
    def inputs(self) -> tuple:
        """What the model reads."""
        return self.src, self.tgt_in

    @property
    def targets(self):
        """What the model is to predict."""
        return self.tgt_out

    @staticmethod
    def sides(pair) -> tuple[list[int], list[int]]:
        """Return the texts of an example: source and target."""
        return pair

    @classmethod
    def lengths(cls, pair) -> tuple[int, int]:
        """Return the number of tokens of source and target in a batch."""
        src, tgt = pair
        return len(marked(src, cls.source_marks)), len(marked(tgt))

    @classmethod
    def of_model(cls, config: TransformerConfig) -> type["TranslationBatch"]:
        """Return the class of batches for a model with this config.

        >>> config = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, start_id=0, source_marks="both")
        >>> batch = TranslationBatch.of_model(config).of([[4]], [[7, 8]])
        >>> batch.src.tolist(), batch.tgt_in.tolist()
        ([[2, 4, 3]], [[0, 7, 8]])
        """
        return type(cls.__name__, (cls,), {"start_id": config.start_id, "source_marks": config.source_marks})

    @classmethod
    def of(cls, sources, targets) -> "TranslationBatch":
        """Make a batch of lists of ids without special tokens."""
        src = pad([marked(ids, cls.source_marks) for ids in sources], PAD)
        tgt_out = pad([marked(ids) for ids in targets], PAD)
        return cls(src, pad([[cls.start_id, *ids] for ids in targets], PAD), tgt_out)

    @classmethod
    def collate(cls, pairs) -> "TranslationBatch":
        """Make a batch of pairs of ids."""
        return cls.of(*zip(*pairs, strict=True))


@dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """The options of the search; None: as `Translator.search` has it. Raises `InputError` when one is out of range."""

    beam: int | None = setting(None, "hypotheses at a time, 1: greedy", least=1, none_is="4" + OR_IMPORTED)
    alpha: float | None = setting(None, "length penalty, 0: none", least=0, most=10, none_is="0.6" + OR_IMPORTED)
    penalty: str | None = setting(
        None,
        "what divides log P: ((5 + length) / 6)^alpha as in Wu et al. 2016, or length^alpha as in Marian",
        choices=("wu", "length"),
        none_is="wu" + OR_IMPORTED,
    )

    def __post_init__(self):
        check_settings(self)

    def search(self) -> dict:
        """Return the arguments of `Translator.translate`."""
        return {"beam": self.beam, "alpha": self.alpha, "penalty": self.penalty}


@dataclass(frozen=True, kw_only=True)
class EvaluateTranslation(SearchSettings):
    """What `npformer evaluate` can be given for a run of translation."""

    src: str | None = setting(None, "file of source sentences", none_is="the run's test or held-out set")
    tgt: str | None = setting(None, "file of their reference translations")
    language: str | None = setting(
        None, "code of the target language, for BLEU on Moses tokens", none_is="the data set's"
    )

    def __post_init__(self):
        super().__post_init__()
        if (self.src is None) != (self.tgt is None):
            raise InputError("--src and --tgt go together: give both files or neither")


@dataclass(frozen=True, kw_only=True)
class TranslateSettings(SearchSettings):
    """The options of `npformer translate`."""

    n_best: int | None = setting(
        None,
        "the N best of each line: line number, score, text, separated by tabs",
        least=1,
        none_is="the best one's text alone",
    )


class TranslationTask(Task):
    """Sentence pairs to a Translator."""

    name, verb = "translation", "translate"
    help = "Translate sentences, or standard input line by line."
    predictor, batch = Translator, TranslationBatch
    examples = "sentence pairs"
    evaluate_settings, predict_settings = EvaluateTranslation, TranslateSettings

    def build_vocabularies(
        self, examples: Sequence[SentencePair], settings, model_settings: dict
    ) -> tuple[AnyVocabulary, AnyVocabulary]:
        """Return the source and target vocabularies; with subwords or one embedding matrix both have one list."""
        sources, targets = [pair.source for pair in examples], [pair.target for pair in examples]
        if settings.unit == "subwords":
            subwords = build_text_vocabulary(
                [line for pair in zip(sources, targets, strict=True) for line in pair], settings
            )
            return subwords, subwords
        source_lower, target_lower = settings.lowercase in ("source", "both"), settings.lowercase == "both"
        if model_settings.get("tie", TransformerConfig.tie) != "all":
            source = build_text_vocabulary(sources, settings, lowercase=source_lower)
            return source, build_text_vocabulary(targets, settings, lowercase=target_lower)
        folded = [line.lower() for line in sources] if source_lower else sources
        both = build_text_vocabulary(folded + targets, settings, lowercase=target_lower)
        return Vocabulary(both.tokens, unit=both.unit, lowercase=source_lower), both

    def make_batches(
        self, examples, vocabularies, config: TransformerConfig, settings, *, held_out=False
    ) -> tuple[Batches, int]:
        """Return the batches of all usable pairs, and how many pairs were left out."""
        longest = min(config.max_len, settings.batch_tokens)
        usable, ids = usable_pairs(examples, vocabularies, longest, config.source_marks)
        recut = None
        if settings.subword_dropout and not held_out:
            how = {"share": settings.subword_dropout, "seed": settings.seed}
            lines = zip(*((pair.source, pair.target) for pair in usable), strict=True)
            dropouts = [SubwordDropout(vocabularies[0], side, **how) for side in lines]

            def recut(epoch: int) -> list:
                cut = zip(*(dropout.epoch(epoch) for dropout in dropouts), strict=True)
                both = zip(cut, ids, strict=True)
                return [new if _pair_fits(new, longest, config.source_marks) else old for new, old in both]

        how = {"batch_tokens": settings.batch_tokens, "seed": settings.seed, "recut": recut}
        return Batches(ids, kind=TranslationBatch.of_model(config), **how), len(examples) - len(ids)

    def score(
        self, predictor: Translator, examples: Sequence[SentencePair], settings: EvaluateTranslation, batch_tokens: int
    ) -> TranslationScores:
        """Translate every pair with a usable source; white space around sentences is ignored."""
        config, target = predictor.model.config, predictor.target
        max_len, marks = config.max_len, config.source_marks
        stripped = [pair._replace(source=pair.source.strip(), target=pair.target.strip()) for pair in examples]
        sources = [predictor.source.encode(pair.source) for pair in stripped]
        readable = [n for n, ids in enumerate(sources) if fits(ids, max_len, marks)]
        if not readable:
            expected = f"a text of at most {max_len} tokens{with_marks(marks)}"
            raise InputError(f"none of {len(examples)} sources can be translated: expected {expected}")
        pairs, sources = [stripped[n] for n in readable], [marked(sources[n], marks) for n in readable]
        found = predictor.translations(sources, **settings.search(), batch_tokens=batch_tokens)
        scored, ids = usable_pairs(pairs, (predictor.source, target), max_len, marks)
        batches = Batches(ids, kind=TranslationBatch.of_model(config), batch_tokens=max(batch_tokens, max_len))
        alignment = ""
        if known := [pair for pair in scored if pair.alignment]:
            alignment = alignment_table(attention_error_rates(predictor, known), known)
        return score_translations(
            pairs,
            [best.text for [best] in found],
            target,
            language=settings.language,
            loss=mean_loss(predictor.model, batches),
            n_targets=sum(len(tgt) + 1 for _, tgt in ids),
            without_loss=len(pairs) - len(scored),
            left_out=len(examples) - len(pairs),
            alignment=alignment,
        )

    def evaluate_defaults(self, settings) -> dict:
        """Return the language that a training translates into."""
        return {"language": settings.target_language()}

    def read_examples(self, predictor: Translator, settings: EvaluateTranslation) -> list[SentencePair] | None:
        """Return the pairs in the files `src` and `tgt`."""
        return None if settings.src is None else read_pairs(settings.src, settings.tgt)

    def predict(
        self, predictor: Translator, texts, settings: TranslateSettings, *, first=1, batch_tokens=4096
    ) -> Iterator[str]:
        """Yield the translation of each text, or `n_best` lines for it: number, score, translation."""
        n_best, sources = settings.n_best, [predictor.encode(text) for text in texts if text is not None]
        found = iter(predictor.translations(sources, n=n_best, **settings.search(), batch_tokens=batch_tokens))
        for number, text in enumerate(texts, start=first):
            best = next(found) if text is not None else []
            if n_best is None:
                yield one_line(best[0].text) if best else ""
            else:
                lines = [f"{number}\t{score:.4f}\t{one_line(translation)}" for translation, score in best]
                yield "\n".join(lines or [f"{number}\t\t"])

    def example(self, vocabularies, held_out: Sequence[SentencePair], config: TransformerConfig) -> str:
        """Return the longest of the first ten held-out sentences that can be translated."""
        return longest_usable((pair.source for pair in held_out), vocabularies[0], config)


def usable_pairs(
    pairs: Sequence[SentencePair], vocabularies: tuple, longest: int, marks: str
) -> tuple[list[SentencePair], list[tuple]]:
    """Return the pairs that have no empty side and at most `longest` tokens on a side, and their ids.

    Sources are counted with their `marks` (`text.marked`), targets with <eos>. Raises `InputError` if none is usable.
    """
    source, target = vocabularies
    encoded = [(pair, (source.encode(pair.source), target.encode(pair.target))) for pair in pairs]
    usable = [(pair, ids) for pair, ids in encoded if _pair_fits(ids, longest, marks)]
    if not usable:
        long = f"a source of more than {longest} tokens{with_marks(marks)}, or a target of more{with_marks()}"
        raise InputError(f"none of {len(pairs)} sentence pairs can be used: each has an empty side, {long}")
    return [pair for pair, _ in usable], [ids for _, ids in usable]


def _pair_fits(ids: tuple, longest: int, marks: str) -> bool:
    src, tgt = ids
    return fits(src, longest, marks) and fits(tgt, longest)
