"""A made corner of German and English, small enough to be learned in seconds, whose words are aligned.

Three things make it more than a dictionary: an article's form depends on a noun that comes later, the same article
has two forms for the one who does and the one to whom it is done, and two tenses put the verb at the end.
"""

from __future__ import annotations

import numpy as np

from npformer.datasets import SentencePair

NOUNS = {
    "m": {"dog": "Hund", "man": "Mann", "bird": "Vogel", "baker": "Bäcker"},
    "f": {"cat": "Katze", "woman": "Frau", "cow": "Kuh", "aunt": "Tante"},
    "n": {"horse": "Pferd", "child": "Kind", "girl": "Mädchen", "calf": "Kalb"},
}
ADJECTIVES = {"old": "alt", "small": "klein", "young": "jung", "good": "gut", "black": "schwarz", "clever": "klug"}
ARTICLES = {"the": ("der die das", "den die das"), "a": ("ein eine ein", "einen eine ein")}
ENDINGS = {"the": ("e e e", "en e e"), "a": ("er e es", "en e es")}  # of adjectives, by gender; then as object
VERBS = {  # now, has ..., will ...
    "see": (("sees", "sieht"), ("seen", "gesehen"), ("see", "sehen")),
    "find": (("finds", "findet"), ("found", "gefunden"), ("find", "finden")),
    "seek": (("seeks", "sucht"), ("sought", "gesucht"), ("seek", "suchen")),
    "love": (("loves", "liebt"), ("loved", "geliebt"), ("love", "lieben")),
    "know": (("knows", "kennt"), ("known", "gekannt"), ("know", "kennen")),
    "paint": (("paints", "malt"), ("painted", "gemalt"), ("paint", "malen")),
}
HELPERS = (None, ("has", "hat"), ("will", "wird"))


def phrase(rng: np.random.Generator, is_object: bool) -> list[tuple[str, str]]:
    """Return the words of a noun with its article, and perhaps an adjective, each with its translation."""
    article, gender = rng.choice([*ARTICLES]), int(rng.integers(3))
    noun = rng.choice([*NOUNS["mfn"[gender]]])
    words = [(article, ARTICLES[article][is_object].split()[gender])]
    if rng.random() < 0.5:
        adjective = rng.choice([*ADJECTIVES])
        words.append((adjective, ADJECTIVES[adjective] + ENDINGS[article][is_object].split()[gender]))
    return [(str(a), str(b)) for a, b in [*words, (noun, NOUNS["mfn"[gender]][noun])]]


def sentence(rng: np.random.Generator) -> SentencePair:
    """Return a sentence, its translation and which word became which."""
    subject, object_ = phrase(rng, False), phrase(rng, True)
    tense, verb = int(rng.integers(3)), VERBS[rng.choice([*VERBS])]
    before = [HELPERS[tense]] if tense else []
    n, m = len(subject) + len(before), len(object_)
    source = [*subject, *before, verb[tense], *object_]
    order = [*range(n), *range(n + 1, n + 1 + m), n] if tense else [*range(n + 1 + m)]
    target = [source[i] for i in order]
    links = tuple((i, j) for j, i in enumerate(order))
    return SentencePair(" ".join(a for a, _ in source), " ".join(b for _, b in target), links)


def split(n_train: int, n_held_out: int, *, seed: int = 0) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return sentences to learn from and others to be tested on; none is in both, and none comes twice.

    >>> train, held_out = split(20, 2)
    >>> train[1].source, train[1].target
    ('a girl has painted a black child', 'ein Mädchen hat ein schwarzes Kind gemalt')
    """
    rng, found = np.random.default_rng(seed), {}
    while len(found) < n_train + n_held_out:
        pair = sentence(rng)
        found[pair.source] = pair
    pairs = list(found.values())
    return pairs[:n_train], pairs[n_train:]
