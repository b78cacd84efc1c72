"""What a run says about its translations."""

from typing import NamedTuple

from ..datasets import SentencePair
from ..decoding import Translator
from ..decoding.batching import BATCH_TOKENS
from ..tasks import Batches, TranslationBatch, encode_pairs, filter_pairs
from ..text import fits, marked, with_marks
from ..training.alone import Alone
from ..utils import InputError
from .metrics import Scores, mean_loss, moses_tokens, perplexity, score
from .position_accuracy import PlaceScores, place_scores


class Evaluation(NamedTuple):
    """Translations of some pairs, whether each equals its reference token by token, and scores on text and on tokens.

    `tokens` are Moses' in lower case where the target language was told, else the model's own. `places` are there where
    the model's are characters and every reference has as many as its source. The loss is the mean over `n_targets`
    tokens, an <eos> for each reference among them.
    """

    pairs: list[SentencePair]
    left_out: int
    translations: list[str]
    equal: list[bool]
    text: Scores
    tokens: Scores
    language: str | None
    loss: float
    without_loss: int
    n_targets: int
    places: PlaceScores | None = None

    @property
    def loss_without_eos(self) -> float:
        """The loss of the references, <eos> and all, shared out among their other tokens."""
        return self.loss * self.n_targets / (self.n_targets - len(self.pairs) + self.without_loss)

    def table(self) -> str:
        """The scores in a few lines."""
        left_out = f", {self.left_out} left out (no source, or too long)" if self.left_out else ""
        without = f", without {self.without_loss} whose reference is empty or too long" if self.without_loss else ""
        own = "the model's tokens" if self.places is None else "characters"
        tokens = f"Moses tokens ({self.language}), lower case" if self.language else own
        lines = [
            f"sentences     {len(self.pairs)}{left_out}",
            f"exact match   {100 * sum(self.equal) / len(self.equal):.1f} %",
            f"BLEU          {self.text.bleu:.2f}   on text   {self.text.bleu_signature}",
            f"BLEU          {self.tokens.bleu:.2f}   on {tokens}   {self.tokens.bleu_signature}",
            f"chrF          {self.text.chrf:.2f}   on text   {self.text.chrf_signature}",
            f"loss          {self.loss:.4f}  nats per token, perplexity {perplexity(self.loss):.3f}{without}",
        ]
        if self.places is not None:
            by_character = perplexity(self.loss_without_eos)
            lines += [f"perplexity    {by_character:.3f}  a character, when <eos> counts as none", self.places.table()]
        return "\n".join(lines)


def evaluate(
    translator: Translator,
    pairs: list[SentencePair],
    *,
    language: str | None = None,
    beam: int | None = None,
    alpha: float | None = None,
    penalty: str | None = None,
    batch_tokens: int = BATCH_TOKENS,
    ranks: Alone | None = None,
) -> Evaluation:
    """Translate every pair with a usable source and compare with its target; white space around both is not read.

    What is not given of the search is as `translator.search` has it. `ranks`, where they are given, share the work.

    BLEU on text is sacrebleu's default; a model that writes lower case is compared in lower case. Where tokens are
    characters and every reference has as many as its source, as in verse, the two are compared place by place too.

    Raises `InputError` when no source can be translated, or no reference scored.
    """
    target, model = translator.target, translator.model
    max_len, marks = model.config.max_len, model.config.source_marks
    stripped = [pair._replace(source=pair.source.strip(), target=pair.target.strip()) for pair in pairs]
    encoded = [pair for pair in encode_pairs(stripped, translator.source, target) if fits(pair.src, max_len, marks)]
    if not encoded:
        expected = f"a text of at most {max_len} tokens{with_marks(marks)}"
        raise InputError(f"none of {len(pairs)} sources can be translated: expected {expected}")
    scored = filter_pairs(encoded, longest=max_len, marks=marks, what="evaluated")
    references = [pair.target for pair, *_ in encoded]

    def tokenized(lines: list[str]) -> list[str]:
        return moses_tokens(lines, language) if language else [" ".join(target.split(line)) for line in lines]

    reference_tokens = tokenized(references)
    sources = [marked(pair.src, marks) for pair in encoded]
    how = {"beam": beam, "alpha": alpha, "penalty": penalty, "batch_tokens": batch_tokens}
    found = translator.translations(sources, **how, ranks=ranks)
    translations = [best.text for [best] in found]
    lines = [pair.source for pair, *_ in encoded], references, translations
    characters = [["".join(target.split(line)) for line in side] for side in lines]
    by_place = target.unit == "characters" and [*map(len, characters[0])] == [*map(len, characters[1])]
    ids, kind = [pair[1:] for pair in scored], TranslationBatch.of_model(model.config)
    return Evaluation(
        pairs=[pair for pair, *_ in encoded],
        left_out=len(pairs) - len(encoded),
        translations=translations,
        equal=[target.split(a) == target.split(b) for a, b in zip(translations, references, strict=True)],
        text=score(translations, references, lowercase=target.lowercase),
        tokens=score(tokenized(translations), reference_tokens, tokenize="none"),
        language=language,
        loss=mean_loss(model, Batches(ids, kind=kind, batch_tokens=max(batch_tokens, max_len)), ranks=ranks),
        without_loss=len(encoded) - len(scored),
        n_targets=sum(len(tgt) + 1 for _, tgt in ids),
        places=place_scores(*characters) if by_place else None,
    )
