# the learner's merges are npformer's, and cut new sentences as they do
assert mine == subwords.merges
of_ids = learn_merges(words, list(german.values()), SIZE - 260)
for line in new_lines[:50]:
    cut = []
    for word in BPEVocabulary.words(line):
        cut += encode([id_of[character] for character in word], of_ids)
    assert [tokens_of_ids[i] for i in cut] == [
        subwords.coded_tokens[i] for i in subwords.encode(line)
    ]
for text in (new_lines[0], "Der Giraffenvater sieht Schnee."):
    assert subwords.decode(subwords.encode(text)) == text

# how many merges
assert lengths[0] > 3 * by_word and list(lengths) == sorted(lengths, reverse=True)
assert table[-1][2] > 100
assert per_word["English"] + 0.1 < per_word["German"]
assert results[0].per_token < results[-1].per_token
assert results[-1].per_sentence == min(result.per_sentence for result in results)

# dropout
one = random.Random(1)
other = random.Random(1)
check = BPEDropout(subwords, lines, p=P)
for word in list(german)[:200]:
    ids = check.cut(word, other)
    assert [subwords.coded_tokens[i] for i in ids] == apply_with_dropout(word, mine, P, one)
assert (effects[0][2], effects[0.1][2]) == (289, 19)
assert abs(effects[0.1][0] / effects[0][0] - 1.5) < 0.05

# question 3
of_words = [list(word.encode()) for word in ("neue", "neuen", "schalten", "ausschalten")]
ten = learn_merges(of_words, [8, 4, 2, 5], 10)
ch = 256 + ten.index((99, 104))
for word in of_words:
    assert ch not in encode(word, ten)
assert encode(list(b"lachen"), ten) == [108, 97, ch, 256 + ten.index((101, 110))]
