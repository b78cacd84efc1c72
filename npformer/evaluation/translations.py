"""What a run says about its translations."""

import math
from typing import NamedTuple

from ..base import InputError
from ..datasets import SentencePair
from ..decoding import Translator
from ..decoding.translator import ALPHA, BATCH_TOKENS, BEAM
from ..tasks import Batches, encode_pairs, usable_pairs
from ..text import EOS, fits
from .scores import Scores, mean_loss, moses_tokens, score


class Evaluation(NamedTuple):
    """Translations of some pairs, which equal their references token by token, and scores on text and on tokens.

    `tokens` are Moses' in lower case where the target language was told, else the model's own.
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

    def table(self) -> str:
        """The scores in a few lines."""
        left_out = f", {self.left_out} left out (no source, or too long)" if self.left_out else ""
        perplexity = math.exp(self.loss) if self.loss < 700 else math.inf
        without = f", without {self.without_loss} whose reference is empty or too long" if self.without_loss else ""
        tokens = f"Moses tokens ({self.language}), lower case" if self.language else "the model's tokens"
        lines = [
            f"sentences     {len(self.pairs)}{left_out}",
            f"exact match   {100 * sum(self.equal) / len(self.equal):.1f} %",
            f"BLEU          {self.text.bleu:.2f}   on text   {self.text.bleu_signature}",
            f"BLEU          {self.tokens.bleu:.2f}   on {tokens}   {self.tokens.bleu_signature}",
            f"chrF          {self.text.chrf:.2f}   on text   {self.text.chrf_signature}",
            f"loss          {self.loss:.4f}  nats per token, perplexity {perplexity:.3f}{without}",
        ]
        return "\n".join(lines)


def evaluate(
    translator: Translator,
    pairs: list[SentencePair],
    *,
    language: str | None = None,
    beam: int = BEAM,
    alpha: float = ALPHA,
    batch_tokens: int = BATCH_TOKENS,
) -> Evaluation:
    """Translate every pair with a usable source and compare with its target; white space around both is not read.

    BLEU on text is sacrebleu's default; a model that writes lower case is compared in lower case.

    Raises `InputError` when no source can be translated, or no reference scored.
    """
    target, model = translator.target, translator.model
    max_len = model.config.max_len
    stripped = [pair._replace(source=pair.source.strip(), target=pair.target.strip()) for pair in pairs]
    encoded = [pair for pair in encode_pairs(stripped, translator.source, target) if fits(pair.src, max_len)]
    if not encoded:
        raise InputError(f"none of {len(pairs)} sources can be translated: expected 1 to {max_len} tokens with <eos>")
    scored = usable_pairs(encoded, longest=max_len, what="evaluated")
    references = [pair.target for pair, *_ in encoded]

    def tokenized(lines: list[str]) -> list[str]:
        return moses_tokens(lines, language) if language else [" ".join(target.split(line)) for line in lines]

    reference_tokens = tokenized(references)
    sources = [[*pair.src, EOS] for pair in encoded]
    found = translator.translations(sources, beam=beam, alpha=alpha, batch_tokens=batch_tokens)
    translations = [best.text for [best] in found]
    return Evaluation(
        pairs=[pair for pair, *_ in encoded],
        left_out=len(pairs) - len(encoded),
        translations=translations,
        equal=[target.split(a) == target.split(b) for a, b in zip(translations, references, strict=True)],
        text=score(translations, references, lowercase=target.lowercase),
        tokens=score(tokenized(translations), reference_tokens, tokenize="none"),
        language=language,
        loss=mean_loss(model, Batches([pair[1:] for pair in scored], batch_tokens=max(batch_tokens, max_len))),
        without_loss=len(encoded) - len(scored),
    )
