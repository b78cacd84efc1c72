"""From the beginning of a text to more of it."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..decoding.cached_decoder import CachedDecoder
from ..decoding.sampling import Sampler
from ..layers.hyperparameter_checks import check_sizes
from ..models import LanguageModel, LanguageModelConfig
from ..text import BaseVocabulary
from ..utils import InputError, Rng, threads_for
from .predictor import Predictor

__all__ = ["TextGenerator"]


class TextGenerator(Predictor):
    """A trained language model with the vocabulary of its text.

    `npf.load(run)` returns one; `generate` then continues a prompt, and `stream` yields that piece
    by piece. Unknown tokens of the prompt are read as <unk>; `unknown(prompt)` names them.

    Arguments:
        model: the LanguageModel.
        text: the vocabulary.

    Raises `InputError` when the vocabulary does not fit the model.
    """

    task = "language_model"
    model_class = LanguageModel
    config_class = LanguageModelConfig
    sides = {"text": "vocab_size"}
    model: LanguageModel
    text: BaseVocabulary

    def __init__(self, model: Any, *vocabularies: Any):
        super().__init__(model, *vocabularies)
        pad_id = model.config.pad_id
        if pad_id is not None and pad_id not in self.text.special_ids:
            raise InputError(
                f"the model hides token {pad_id} as padding, which in this vocabulary is "
                f"{self.text.tokens[pad_id]!r}: build the model with pad_id=None"
            )

    def encode(self, prompt: str) -> list[int]:
        """Return the ids of a prompt. Raises `InputError` when it is empty."""
        ids = self.text.encode(prompt)
        if not ids:
            raise InputError(
                "the prompt is empty: give at least one token for the text to begin with"
            )
        return ids

    def generate(
        self,
        prompt: str,
        max_new_tokens: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: Rng = None,
    ) -> str:
        """Return the text that continues a prompt; `stream` explains the arguments."""
        pieces = self.stream(
            prompt, max_new_tokens, temperature=temperature, top_k=top_k, top_p=top_p, rng=rng
        )
        return "".join(pieces)

    def stream(
        self,
        prompt: str,
        max_new_tokens: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        rng: Rng = None,
    ) -> Iterator[str]:
        """Yield the text that continues a prompt, one piece per token.

        The special tokens are never drawn: a text continues past the end of a document. With
        subwords a piece is "" until a word is complete.

        The model reads max_len tokens at once. When there are more, in the prompt or later, it
        forgets all but the last max_len / 2 of them and continues.

        Arguments:
            prompt: the beginning of the text.
            max_new_tokens: how many tokens are drawn.
            temperature, top_k, top_p: as in `Sampler`; a temperature of 0 takes the most probable.
            rng: a generator or a seed.

        Raises `InputError` when the prompt is empty, a setting is out of range, or no token can be
        drawn.
        """
        check_sizes(max_new_tokens=max_new_tokens)
        ids = self.encode(prompt)
        # logits cannot be divided by 0; in the limit the most probable token has P = 1
        if temperature == 0:
            temperature = 1.0
            top_k = 1
        draw = Sampler(
            temperature=temperature, top_k=top_k, top_p=top_p, rng=np.random.default_rng(rng)
        )
        # a generator begins here, so that a wrong prompt or setting is refused at the call
        return self.text.pieces(self.tokens(ids, max_new_tokens, draw), prompt)

    def tokens(self, ids: list[int], n: int, draw: Sampler) -> Iterator[int]:
        """Yield n tokens after ids."""
        max_len = self.model.config.max_len
        ids = list(ids)
        unread = ids
        decoder = CachedDecoder(self.model)
        for _ in range(n):
            # a full cache cannot move along with the text, so the last half is read again
            if decoder.n_steps + len(unread) > max_len:
                decoder = CachedDecoder(self.model)
                unread = ids[-max(max_len // 2, 1) :]

            # around each token alone, because the caller's own code runs between two of them
            with threads_for(self.model.config.d_model):
                logits = decoder.read(np.array([unread]))[:, -1]  # (1, V)
                # special tokens are not text
                logits[:, list(self.text.special_ids)] = -math.inf
                [token] = draw(logits).tolist()
            ids.append(token)
            unread = [token]
            yield token
