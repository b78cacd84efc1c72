"""The key of the exercise against the merges of npformer's own subwords."""

from collections import Counter

from npformer.text import BPEVocabulary
from npformer.text.pre_tokenizer import BYTE_OF_CHARACTER, CHARACTER_OF_BYTE
from npformer_course import course
from npformer_course.definition import module_of

N_MERGES = 150
FIRST = 4 + 256  # the id of the first merge in npformer, after special tokens and bytes


def ids_of(word):
    return [BYTE_OF_CHARACTER[character] for character in word]


def test_key_equals_subword_vocabulary():
    exercise = course.load("byte_pair_merges")
    key = module_of(exercise.key)
    lines = [line for cell in exercise.cells for line in cell.text.split("\n")]
    counts = Counter(word for line in lines for word in BPEVocabulary.words(line))
    vocabulary = BPEVocabulary.build(lines, size=FIRST + N_MERGES)

    merges = key.learn_merges([ids_of(word) for word in counts], list(counts.values()), N_MERGES)
    bytes_of = {id: (id,) for id in range(256)}
    for k, (a, b) in enumerate(merges):
        bytes_of[256 + k] = bytes_of[a] + bytes_of[b]
    assert [bytes_of[256 + k] for k in range(len(merges))] == [
        tuple(ids_of("".join(pair))) for pair in vocabulary.merges
    ]

    text = "The smallest dogs sleep unbelievably often."
    ids = [id for word in BPEVocabulary.words(text) for id in key.encode(ids_of(word), merges)]
    numbered = [
        id - 256 + FIRST if id >= 256 else vocabulary.coded_tokens.index(CHARACTER_OF_BYTE[id])
        for id in ids
    ]
    assert numbered == vocabulary.encode(text) and max(ids) >= 256
