"""What npformer needs of the library tokenizers, in Python: browsers have no compiled one.

It learns the same merges, also where pairs are equally frequent, and cuts words into the same tokens.
"""

import json
import sys
from collections import Counter, defaultdict
from functools import cache
from heapq import heapify, heappop, heappush
from itertools import pairwise


class BPE:
    """The ids of the tokens, and the pairs that are joined, in this order."""

    def __init__(self, vocab=None, merges=()):
        self.vocab, self.merges = dict(vocab or {}), list(merges)
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        if unknown := [a + b for a, b in self.merges if not self.vocab.keys() >= {a, b, a + b}]:
            raise ValueError(f"merges without an id: {unknown}")


class BpeTrainer:
    """How to learn: the most tokens, the least count of a pair, and which tokens come first."""

    def __init__(
        self, *, vocab_size, min_frequency, special_tokens, initial_alphabet, show_progress
    ):
        self.size, self.least, self.first = (
            vocab_size,
            min_frequency,
            [*special_tokens, *sorted(initial_alphabet)],
        )


class Encoding:
    """The tokens of some words and their ids."""

    def __init__(self, tokens, ids):
        self.tokens, self.ids = tokens, ids


class Tokenizer:
    """Cuts words into tokens."""

    def __init__(self, model):
        self.model, self.cut = model, cache(self._cut)

    def encode(self, words, is_pretokenized=True, add_special_tokens=False):
        """Return the tokens of a list of words."""
        tokens = [token for word in words for token in self.cut(word)]
        return Encoding(tokens, [self.model.vocab[token] for token in tokens])

    def _cut(self, word):
        tokens, ranks = list(word), self.model.ranks
        while found := [pair for pair in pairwise(tokens) if pair in ranks]:
            tokens = joined(tokens, min(found, key=ranks.get))
        return tokens

    def train_from_iterator(self, words, trainer):
        """Learn merges; of the most frequent pairs the one with the smallest ids is the next."""
        ids = {token: i for i, token in enumerate(trainer.first)}
        names, merges, n_times = list(ids), [], Counter(words)
        cuts = {word: [ids[character] for character in word] for word in n_times}
        counts, words_with = Counter(), defaultdict(set)
        for word, cut in cuts.items():
            for pair in pairwise(cut):
                counts[pair] += n_times[word]
                words_with[pair].add(word)
        heapify(
            heap := [(-n, pair) for pair, n in counts.items()]
        )  # those of earlier counts stay in it
        while heap and len(ids) < trainer.size and -heap[0][0] >= trainer.least:
            n, pair = heappop(heap)
            if -n != counts[pair]:
                continue
            a, b = (names[i] for i in pair)
            merges.append((a, b))
            if a + b not in ids:
                ids[a + b] = len(names)
                names.append(a + b)
            changed = set()
            for word in words_with.pop(pair):
                old, new = cuts[word], joined(cuts[word], pair, ids[a + b])
                for pairs, sign in ((list(pairwise(old)), -1), (list(pairwise(new)), 1)):
                    changed.update(pairs)
                    for other in pairs:
                        counts[other] += sign * n_times[word]
                for other in pairwise(new):
                    words_with[other].add(word)
                cuts[word] = new
            for other in changed:
                heappush(heap, (-counts[other], other))
        self.__init__(BPE(ids, merges))

    def to_str(self):
        """Return what the library writes."""
        parts = (
            "truncation",
            "padding",
            "normalizer",
            "pre_tokenizer",
            "post_processor",
            "decoder",
        )
        model = {"type": "BPE", "vocab": self.model.vocab, "merges": self.model.merges}
        model |= dict.fromkeys(
            ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
        )
        model |= dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False)
        return json.dumps(
            {"version": "1.0", "added_tokens": [], **dict.fromkeys(parts), "model": model}
        )


def joined(tokens, pair, whole=None):
    """Return tokens with each occurrence of a pair joined, from the left."""
    found, i = [], 0
    while i < len(tokens):
        if (*tokens[i : i + 2],) == pair:
            found.append(pair[0] + pair[1] if whole is None else whole)
            i += 2
        else:
            found.append(tokens[i])
            i += 1
    return found


models = trainers = sys.modules[__name__]
