"""From the beginning of a text to more of it."""

from collections.abc import Iterator

import numpy as np

from ..base import InputError, generator
from ..models import LanguageModel
from ..text import AnyVocabulary
from .cached_decoder import CachedDecoder
from .learnt import Learnt
from .sampling import Sampler


class Writer(Learnt):
    """A trained language model with the vocabulary of its text.

    Build one with `Writer.load(run)`; `write` then goes on with a prompt, and `stream` gives it out token by token.
    """

    task = "language_model"
    model: LanguageModel
    text: AnyVocabulary

    def encode(self, prompt: str) -> list[int]:
        """Return the ids of a prompt. Raises `InputError` when it is empty or longer than the model reads at once."""
        ids, max_len = self.text.encode(prompt), self.model.config.max_len
        if not ids:
            raise InputError("the prompt is empty: give at least one token for the text to begin with")
        if len(ids) > max_len:
            raise InputError(f"the prompt has {len(ids)} tokens, more than max_len = {max_len}: give its end alone")
        return ids

    def write(self, prompt: str, n: int = 200, **how) -> str:
        """Return n tokens that go on with a prompt; `how` is as in `stream`."""
        return "".join(self.stream(prompt, n, **how))

    def stream(
        self,
        prompt: str,
        n: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: np.random.Generator | int | None = None,
    ) -> Iterator[str]:
        """Yield n tokens, as text, that go on with a prompt; how each is drawn is told in `Sampler`.

        A model reads max_len tokens at once. When so many are there it forgets the older half and goes on.

        Raises `InputError` when the prompt is empty or too long, or a setting is out of range.
        """
        ids = self.encode(prompt)
        choose = Sampler(temperature=temperature, top_k=top_k, top_p=top_p, rng=generator(rng))
        if n < 1:
            raise InputError(f"n = {n}: expected 1 or more tokens to write")
        return self.tokens(ids, n, choose)

    def tokens(self, ids: list[int], n: int, choose: Sampler) -> Iterator[str]:
        """Yield n tokens after ids."""
        max_len, written = self.model.config.max_len, self.text.decode(ids)
        decoder = CachedDecoder(self.model)
        unread = list(ids)
        for _ in range(n):
            if decoder.n_steps + len(unread) > max_len:
                decoder, unread = CachedDecoder(self.model), ids[-max(max_len // 2, 1) :]
            logits = decoder.read(np.array([unread]))  # (1, 1, V)
            [token] = choose(logits[:, -1])
            ids, unread = [*ids, int(token)], [int(token)]
            now = self.text.decode(ids)  # whole, for a subword may be part of a letter
            yield now[len(written) :]
            written = now
