"""What heads look at in sentences of the made language: the shares of their weight, over many sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from npformer.datasets import SentencePair
from npformer.tasks import Translator
from npformer.visualization import sentence_attention

ARTICLES = frozenset("der die das den ein eine einen".split())


class Shares:
    """The mean share of weight that heads give to things, and what it would be if they looked everywhere alike.

    A thing is where something is: booleans (Q, K), True at the keys that are it for a query. A query without it is left
    out.

    >>> shares = Shares()
    >>> shares.add(np.full((1, 1, 2, 4), 0.25), {"last": np.array([[0, 0, 0, 1], [0, 0, 0, 0]], bool)})
    >>> shares.table()
    (['last'], array([[[0.25]]]), array([0.25]))
    """

    def __init__(self):
        self.found: dict[str, list] = {}
        self.by_chance: dict[str, list] = {}

    def add(self, maps, things: dict[str, np.ndarray], *, causal: bool = False) -> None:
        """Take in the maps (layers, H, Q, K) of a sentence."""
        chance = np.tri(maps.shape[-1]) if causal else np.ones(maps.shape[-2:])
        chance /= chance.sum(-1, keepdims=True)
        for name, cells in things.items():
            rows = cells.any(-1)
            self.found.setdefault(name, []).append((maps * cells).sum(-1)[..., rows])
            self.by_chance.setdefault(name, []).append((chance * cells).sum(-1)[rows])

    def table(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Return the things' names, the shares (layers, H, things), and those by chance (things,)."""
        shares = np.stack([np.concatenate(rows, -1).mean(-1) for rows in self.found.values()], -1)
        return list(self.found), shares, np.array([np.concatenate(rows).mean() for rows in self.by_chance.values()])


def things_of_cross(pair: SentencePair, looked) -> dict[str, np.ndarray]:
    """Return where is what a sentence's cross-attention may look at, each (T, S).

    "aligned" is the word that is being written, "noun" the noun of the article that is being written, "<eos>" the
    source's end while words are written, and "end" the same when no word is left.
    """
    words, S = pair.target.split(), len(looked.source)
    aligned = np.zeros((len(words) + 1, S), bool)
    for i, j in pair.alignment:
        aligned[j, i + (looked.source[0] == "<bos>")] = True
    noun = np.zeros_like(aligned)
    for j, word in enumerate(words):
        if word in ARTICLES:
            noun[j] = aligned[next(k for k in range(j, len(words)) if words[k][0].isupper())]
    eos = np.arange(S) == S - 1
    writes_word = np.arange(len(words) + 1)[:, None] < len(words)
    return {"aligned": aligned, "noun": noun, "<eos>": eos & writes_word, "end": eos & ~writes_word}


def neighbors(n: int) -> dict[str, np.ndarray]:
    """Return where the tokens before and after each of n tokens are, and it itself, each (n, n)."""
    return {name: np.eye(n, k=k) > 0 for name, k in (("before", -1), ("itself", 0), ("after", 1))}


def things_of_encoder(looked) -> dict[str, np.ndarray]:
    """Return where is what a word in the encoder may look at: its neighbors, and <eos>, each (S, S)."""
    is_word = np.array([token not in ("<bos>", "<eos>") for token in looked.source])[:, None]
    things = neighbors(len(is_word)) | {"<eos>": np.arange(len(is_word)) == len(is_word) - 1}
    return {name: cells & is_word for name, cells in things.items()}


def things_of_decoder(looked) -> dict[str, np.ndarray]:
    """Return where is what the decoder may look at, each (T, T), from the third position on, where they are three."""
    T = len(looked.read)
    rows, near = np.arange(T)[:, None] >= 2, neighbors(T)
    return {"before": near["before"] & rows, "itself": near["itself"] & rows, "start": rows & (np.arange(T) == 0)}


def measure_shares(translator: Translator, pairs: Sequence[SentencePair]) -> dict[str, Shares]:
    """Return the shares of "cross", "encoder" and "decoder" over sentence pairs of the made language."""
    found = {kind: Shares() for kind in ("cross", "encoder", "decoder")}
    for pair in pairs:
        looked = sentence_attention(translator, pair.source, pair.target)
        found["cross"].add(looked.cross, things_of_cross(pair, looked))
        found["encoder"].add(looked.encoder, things_of_encoder(looked))
        found["decoder"].add(looked.decoder, things_of_decoder(looked), causal=True)
    return found
