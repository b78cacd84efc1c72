"""What heads look at in sentences of the made language: shares of their weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from npformer.datasets import SentencePair
from npformer.tasks import Translator
from npformer.visualization import SentenceAttention, sentence_attention
from npformer.visualization.plots import new_figure

from ..expected import Expected
from ..pictures import plot_heads

ARTICLES = frozenset("der die das den ein eine einen".split())


class Shares:
    """The mean share of weight that heads give to things, and the share by chance.

    The share by chance is that of a head whose weights are all equal. A thing is where something
    is: booleans (Q, K), True at the keys that are it for a query. A query without it is left out.

    >>> shares = Shares()
    >>> last = np.array([[0, 0, 0, 1], [0, 0, 0, 0]], bool)
    >>> shares.add(np.full((1, 1, 2, 4), 0.25), {"last": last})
    >>> shares.table()
    (['last'], array([[[0.25]]]), array([0.25]))
    """

    def __init__(self):
        self.found: dict[str, list] = {}
        self.by_chance: dict[str, list] = {}

    def add(self, maps, things: dict[str, np.ndarray], *, causal: bool = False) -> None:
        """Take in the maps (layers, H, Q, K) of a sentence."""
        # equal weights on the keys that a query may look at
        if causal:
            chance = np.tri(maps.shape[-1])
        else:
            chance = np.ones(maps.shape[-2:])
        chance /= chance.sum(-1, keepdims=True)

        for name, cells in things.items():
            rows = cells.any(-1)
            shares = (maps * cells).sum(-1)[..., rows]  # (layers, H, rows)
            shares_by_chance = (chance * cells).sum(-1)[rows]
            self.found.setdefault(name, []).append(shares)
            self.by_chance.setdefault(name, []).append(shares_by_chance)

    def table(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """Return the names of the things, the shares, and those by chance.

        The shares are (layers, H, things), those by chance (things,).
        """
        means = []
        means_by_chance = []
        for name in self.found:
            means.append(np.concatenate(self.found[name], -1).mean(-1))
            means_by_chance.append(np.concatenate(self.by_chance[name]).mean())
        return list(self.found), np.stack(means, -1), np.array(means_by_chance)


def things_of_cross(pair: SentencePair, looked: SentenceAttention) -> dict[str, np.ndarray]:
    """Return where the things are that a sentence's cross-attention may look at, each (T, S).

    "aligned" is the word that is being written, "noun" the noun of the article that is being
    written, "<eos>" the source's end while words are written, and "end" the same when no word is
    left.
    """
    words = pair.target.split()
    T = len(words) + 1
    S = len(looked.source)

    # the alignment counts words, and a source may begin with <bos>
    shift = int(looked.source[0] == "<bos>")
    aligned = np.zeros((T, S), bool)
    for i, j in pair.alignment:
        aligned[j, i + shift] = True

    noun = np.zeros_like(aligned)
    for j, word in enumerate(words):
        if word in ARTICLES:
            # of the words of this language, nouns alone begin with a capital
            place = next(k for k in range(j, len(words)) if words[k][0].isupper())
            noun[j] = aligned[place]

    is_last = np.arange(S) == S - 1
    writes_word = np.arange(T)[:, None] < len(words)
    return {
        "aligned": aligned,
        "noun": noun,
        "<eos>": is_last & writes_word,
        "end": is_last & ~writes_word,
    }


def neighbors(n: int) -> dict[str, np.ndarray]:
    """Return where the tokens before and after each of n tokens are, and it itself, each (n, n)."""
    return {
        "before": np.eye(n, k=-1) > 0,
        "itself": np.eye(n) > 0,
        "after": np.eye(n, k=1) > 0,
    }


def things_of_encoder(looked: SentenceAttention) -> dict[str, np.ndarray]:
    """Return where the things are that a word in the encoder may look at, each (S, S).

    They are its neighbors, itself and <eos>.
    """
    S = len(looked.source)
    is_word = np.array([token not in ("<bos>", "<eos>") for token in looked.source])
    things = neighbors(S)
    things["<eos>"] = np.arange(S) == S - 1
    return {name: cells & is_word[:, None] for name, cells in things.items()}


def things_of_decoder(looked: SentenceAttention) -> dict[str, np.ndarray]:
    """Return where the things are that the decoder may look at, each (T, T).

    They begin at the third position, where the token before, the token itself and the start differ.
    """
    T = len(looked.read)
    rows = np.arange(T)[:, None] >= 2
    near = neighbors(T)
    is_first = np.arange(T) == 0
    return {
        "before": near["before"] & rows,
        "itself": near["itself"] & rows,
        "start": is_first & rows,
    }


def shares_to_write(weights: np.ndarray, noun: np.ndarray, rows: np.ndarray) -> Expected:
    """Return a sentence's share of the noun and that by chance, and what else people write.

    Arguments:
        weights: of all heads, (layers, H, T, S)
        noun: True where a word's noun is, (T, S)
        rows: True where a word has a noun, (T,)
    """
    of_rows = (weights * noun).sum(-1)  # (layers, H, T)
    expected = Expected(share=of_rows[..., rows].mean(-1), chance=noun[rows].mean())
    expected.say("it is a mean over all rows, and most write no article", share=of_rows.mean(-1))
    expected.say("it is a sum over the rows, not their mean", share=of_rows.sum(-1))
    expected.say("it is one over the rows; over what is a row spread?", chance=1 / len(rows))
    return expected


def measure_shares(translator: Translator, pairs: Sequence[SentencePair]) -> dict[str, Shares]:
    """Return the shares of "cross", "encoder" and "decoder" over sentences of the made language."""
    cross = Shares()
    encoder = Shares()
    decoder = Shares()
    for pair in pairs:
        looked = sentence_attention(translator, pair.source, pair.target)
        cross.add(looked.cross, things_of_cross(pair, looked))
        encoder.add(looked.encoder, things_of_encoder(looked))
        decoder.add(looked.decoder, things_of_decoder(looked), causal=True)
    return {"cross": cross, "encoder": encoder, "decoder": decoder}


def plot_cross_attention(found: Mapping[str, Mapping[str, Shares]]):
    """Draw the shares of all heads of cross-attention, a panel for each model."""
    figure, axes = new_figure(1, len(found), width=3.7 * len(found), height=3.9)
    for ax, (name, of_model) in zip(axes, found.items(), strict=True):
        things, shares, chance = of_model["cross"].table()
        plot_heads(ax, shares, chance, things, title=name)
    axes[0].set_ylabel("layer.head of cross-attention")
    return figure


def plot_neighbors(translator: Translator, pairs: Sequence[SentencePair]):
    """Draw what the heads of self-attention look at in sentences with a capital and a full stop."""
    kinds = {"encoder": Shares(), "decoder": Shares()}
    for pair in pairs:
        looked = sentence_attention(translator, f"{pair.source.capitalize()}.")
        kinds["encoder"].add(looked.encoder, things_of_encoder(looked))
        kinds["decoder"].add(looked.decoder, things_of_decoder(looked), causal=True)
    n_rows = kinds["encoder"].table()[1][..., 0].size  # a head in each
    figure, axes = new_figure(1, 2, width=8, height=0.3 * n_rows + 1.5)
    for ax, (title, kind) in zip(axes, kinds.items(), strict=True):
        things, shares, chance = kind.table()
        plot_heads(ax, shares, chance, things, title=title)
    return figure
