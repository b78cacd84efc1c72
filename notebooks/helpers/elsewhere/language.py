"""A small part of German and English, made so that it is learned in seconds, with aligned words.

Three things make it more than a dictionary. The form of an article depends on a noun that comes
later. The same article has two forms, one in the subject and one in the object. Two of the three
tenses put the verb at the end.
"""

from __future__ import annotations

import numpy as np

from npformer.datasets import SentencePair

NOUNS = {  # by gender
    "m": {"dog": "Hund", "man": "Mann", "bird": "Vogel", "baker": "Bäcker"},
    "f": {"cat": "Katze", "woman": "Frau", "cow": "Kuh", "aunt": "Tante"},
    "n": {"horse": "Pferd", "child": "Kind", "girl": "Mädchen", "calf": "Kalb"},
}
GENDERS = "mfn"
ADJECTIVES = {
    "old": "alt",
    "small": "klein",
    "young": "jung",
    "good": "gut",
    "black": "schwarz",
    "clever": "klug",
}
# by gender, in the subject and in the object
ARTICLES = {
    "the": ("der die das", "den die das"),
    "a": ("ein eine ein", "einen eine ein"),
}
ENDINGS = {  # of adjectives after the article
    "the": ("e e e", "en e e"),
    "a": ("er e es", "en e es"),
}
VERBS = {  # now, has ..., will ...
    "see": (("sees", "sieht"), ("seen", "gesehen"), ("see", "sehen")),
    "find": (("finds", "findet"), ("found", "gefunden"), ("find", "finden")),
    "seek": (("seeks", "sucht"), ("sought", "gesucht"), ("seek", "suchen")),
    "love": (("loves", "liebt"), ("loved", "geliebt"), ("love", "lieben")),
    "know": (("knows", "kennt"), ("known", "gekannt"), ("know", "kennen")),
    "paint": (("paints", "malt"), ("painted", "gemalt"), ("paint", "malen")),
}
# the words before the verb, in each of these tenses
AUXILIARIES: list[list[tuple[str, str]]] = [[], [("has", "hat")], [("will", "wird")]]


def phrase(rng: np.random.Generator, *, is_object: bool) -> list[tuple[str, str]]:
    """Return the words of a noun phrase, each with its translation.

    They are an article, perhaps an adjective, and a noun.
    """
    article = str(rng.choice([*ARTICLES]))
    gender = int(rng.integers(3))
    nouns = NOUNS[GENDERS[gender]]
    noun = str(rng.choice([*nouns]))

    words = [(article, ARTICLES[article][is_object].split()[gender])]
    if rng.random() < 0.5:
        adjective = str(rng.choice([*ADJECTIVES]))
        ending = ENDINGS[article][is_object].split()[gender]
        words.append((adjective, ADJECTIVES[adjective] + ending))
    words.append((noun, nouns[noun]))
    return words


def sentence(rng: np.random.Generator) -> SentencePair:
    """Return a sentence, its translation, and which word is translated by which."""
    subject = phrase(rng, is_object=False)
    object_ = phrase(rng, is_object=True)
    tense = int(rng.integers(3))
    verb = VERBS[rng.choice([*VERBS])][tense]
    words = [*subject, *AUXILIARIES[tense], verb, *object_]

    # German has a participle or an infinitive after the object
    order = list(range(len(words)))
    if AUXILIARIES[tense]:
        verb_place = len(subject) + 1
        order.remove(verb_place)
        order.append(verb_place)

    target = []
    links = []
    for j, i in enumerate(order):
        target.append(words[i][1])
        links.append((i, j))
    source = [english for english, _ in words]
    return SentencePair(" ".join(source), " ".join(target), tuple(links))


def split(
    n_train: int, n_held_out: int, *, seed: int = 0
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Return sentences to learn from and others to be tested on.

    None is in both, and none comes twice.

    >>> train, held_out = split(20, 2)
    >>> train[1].source, train[1].target
    ('a girl has painted a black child', 'ein Mädchen hat ein schwarzes Kind gemalt')
    """
    rng = np.random.default_rng(seed)
    found: dict[str, SentencePair] = {}
    while len(found) < n_train + n_held_out:
        pair = sentence(rng)
        found[pair.source] = pair
    pairs = list(found.values())
    return pairs[:n_train], pairs[n_train:]
