from helpers.byte_tokens import PIECE
from npformer import datasets

# a word without a row
assert translator.unknown(sentence) == ["newest"]
assert translator.translate([sentence]) == ["Ich schalte jeden Tag das Radio aus."]
of_one_verb = [token for token in translator.target.tokens if "chalt" in token]
assert len(of_one_verb) == 11 and "abschalten" not in translator.target.tokens
for form in "schalte schaltest schaltet schalten ausschalten einschalten ausschaltet".split():
    assert form in of_one_verb
assert len(GERMAN) == 41 and len(translator.target.encode(GERMAN)) == 9
assert round((41 / 9) ** 2, -1) == 20

# four words, with a fiftieth of their counts
[train] = datasets.get("phrasebook").load("train")
in_text = Counter(word for pair in train for word in PIECE.findall(pair.target))
for word, n in counts.items():
    assert round(in_text[f" {word}"] / 50) == n, word
assert n_en == 11
twelve = {pair for pair, n in pair_counts.items() if n == 12}
assert twelve == {(101, 117), (110, 101), (117, 101)} and max(pair_counts.values()) == 12
assert merges[0] == min(twelve)

# cut
assert cut("neuen", merges) == ["neue", "n"]
assert cut("scheuen", merges) == ["sch", "eu", "en"]
assert encode(list(b"scheuen"), merges) == list(scheuen)
assert cut("abschalten", merges) == ["a", "b", "schalten"]

# the phrasebook
assert len(all_words) == 854 and len(learned) == 500
assert text[256:258] == ["er", "en"]
for word in ("father", "Vater", "clever", "der", "friend", "jeden"):
    assert "er" in word or "en" in word
    assert in_text[f" {word}"] or any(word in pair.source for pair in train)
assert [len(tokens) for tokens in rows.values()] == [41, 35, 26, 16]
assert cut_text(" newest", learned) == [" ne", "we", "st"]
assert text.index("we") == 256 + 157 and text.index(" new") == 256 + 369
assert len(cut_text("雪が降る", learned)) == 12
for line in sentences:
    ids = [i for word in pieces(line) for i in encode(word, learned)]
    contents = [bytes([i]) for i in range(256)]
    for a, b in learned:
        contents.append(contents[a] + contents[b])
    assert b"".join(contents[i] for i in ids).decode() == line

# question 1
assert encode(list(b"abc"), [(98, 99), (97, 98)]) == [97, 256]
