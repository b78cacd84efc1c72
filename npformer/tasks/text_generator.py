"""From the beginning of a text to more of it."""

import math
from collections.abc import Iterator

import numpy as np

from ..decoding.cached_decoder import CachedDecoder
from ..decoding.sampling import Sampler
from ..models import LanguageModel, LanguageModelConfig
from ..text import BOS, EOS, PAD, UNK, AnyVocabulary
from ..utils import InputError, Rng, threads_for
from .predictor import Predictor

NEVER = [PAD, UNK, BOS, EOS]  # not drawn, because they are not text


class TextGenerator(Predictor):
    """A trained language model with the vocabulary of its text.

    `npf.load(run)` returns one; `write` then continues a prompt, and `stream` yields that piece by piece.
    Unknown tokens of the prompt are read as <unk>; `unknown(prompt)` names them.
    """

    task = "language_model"
    model_class, config_class = LanguageModel, LanguageModelConfig
    sides = {"text": "vocab_size"}
    model: LanguageModel
    text: AnyVocabulary

    def encode(self, prompt: str) -> list[int]:
        """Return the ids of a prompt. Raises `InputError` when it is empty."""
        ids = self.text.encode(prompt)
        if not ids:
            raise InputError(
                "the prompt is empty: give at least one token for the text to begin with"
            )
        return ids

    def write(self, prompt: str, n: int = 200, **sampling) -> str:
        """Return the text of n tokens that continue a prompt; `sampling` is as in `stream`."""
        return "".join(self.stream(prompt, n, **sampling))

    def stream(
        self,
        prompt: str,
        n: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: Rng = None,
    ) -> Iterator[str]:
        """Yield the text of n tokens that continue a prompt, one piece per token.

        Tokens are drawn as in `Sampler`; a temperature of 0 takes the most probable. The special tokens are never
        drawn: a text continues past the end of a document. With subwords a piece is "" until a word is complete.

        The model reads max_len tokens at once. When there are more, in the prompt or later, it forgets all but the
        last max_len / 2 of them and continues.

        Raises `InputError` when the prompt is empty, a setting is out of range, or no token can be drawn.
        """
        ids = self.encode(prompt)
        if temperature == 0:
            temperature, top_k = 1.0, 1
        draw = Sampler(
            temperature=temperature, top_k=top_k, top_p=top_p, rng=np.random.default_rng(rng)
        )
        return self.text.pieces(self.tokens(ids, n, draw), prompt)

    def tokens(self, ids: list[int], n: int, draw: Sampler) -> Iterator[int]:
        """Yield n tokens after ids."""
        model, ids = self.model, list(ids)
        max_len = model.config.max_len
        decoder, unread = CachedDecoder(model), ids
        for _ in range(n):
            if decoder.n_steps + len(unread) > max_len:
                decoder, unread = CachedDecoder(model), ids[-max(max_len // 2, 1) :]
            with threads_for(model.config.d_model):
                logits = decoder.read(np.array([unread]))[:, -1]  # (1, V)
                logits[:, NEVER] = -math.inf
                [token] = draw(logits).tolist()
            ids.append(token)
            unread = [token]
            yield token
