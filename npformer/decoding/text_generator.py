"""From the beginning of a text to more of it."""

import math
from collections.abc import Iterator

import numpy as np

from ..models import LanguageModel
from ..text import BOS, EOS, PAD, UNK, AnyVocabulary
from ..utils import InputError, random_generator, threads_for
from .cached_decoder import CachedDecoder
from .predictor import Predictor
from .sampling import Sampler

NEVER = [PAD, UNK, BOS, EOS]  # not drawn, for none of them can be read
N = 200


class TextGenerator(Predictor):
    """A trained language model with the vocabulary of its text.

    Build one with `TextGenerator.load(run)`; `write` then goes on with a prompt, and `stream` gives that out piece by piece.
    Unknown tokens of the prompt are read as <unk>; `text.unknown(prompt)` names them.
    """

    task = "language_model"
    model: LanguageModel
    text: AnyVocabulary

    def encode(self, prompt: str) -> list[int]:
        """Return the ids of a prompt. Raises `InputError` when it is empty."""
        ids = self.text.encode(prompt)
        if not ids:
            raise InputError("the prompt is empty: give at least one token for the text to begin with")
        return ids

    def write(self, prompt: str, n: int = N, **how) -> str:
        """Return the text of n tokens that go on with a prompt; `how` is as in `stream`."""
        return "".join(self.stream(prompt, n, **how))

    def stream(
        self,
        prompt: str,
        n: int = N,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> Iterator[str]:
        """Yield the text of n tokens that go on with a prompt, a piece a token.

        How a token is drawn is told in `Sampler`; here a temperature of 0 takes the likeliest. The special tokens are
        never drawn: a text goes on past the end of a document. Of subwords a piece is "" until it is a whole word.

        A model reads max_len tokens at once. When more are there, in the prompt or later, it forgets all but the last
        max_len / 2 of them and goes on.

        Raises `InputError` when the prompt is empty, a setting is out of range, or no token can be drawn.
        """
        ids = self.encode(prompt)
        if len(self.text) == len(NEVER):
            raise InputError("the model's vocabulary has special tokens alone: there is nothing to write")
        if temperature == 0:
            temperature, top_k = 1.0, 1
        choose = Sampler(temperature=temperature, top_k=top_k, top_p=top_p, rng=random_generator(rng))
        if n < 1:
            raise InputError(f"n = {n}: expected 1 or more tokens to write")
        return self.text.pieces(self.tokens(ids, n, choose), prompt)

    def tokens(self, ids: list[int], n: int, choose: Sampler) -> Iterator[int]:
        """Yield n tokens after ids."""
        model, ids = self.model, list(ids)
        max_len = model.config.max_len
        decoder, unread = CachedDecoder(model), ids
        for _ in range(n):
            if decoder.n_steps + len(unread) > max_len:
                decoder, unread = CachedDecoder(model), ids[-max(max_len // 2, 1) :]
            with threads_for(model.config.d_model):
                read = decoder.step if len(unread) == 1 else decoder.read
                logits = read(np.array([unread]))[:, -1]  # (1, V)
                logits[:, NEVER] = -math.inf
                [token] = choose(logits).tolist()
            ids.append(token)
            unread = [token]
            yield token
