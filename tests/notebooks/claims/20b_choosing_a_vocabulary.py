from npformer_course import yours

# what a merge costs
assert lengths[0] > 3 * by_word and lengths == sorted(lengths, reverse=True)
assert lengths[-1] < by_word + 1 and n_rare[-1] == rare > 100
assert len({word for line in lines for word in BPEVocabulary.words(line)}) == 524
assert lengths[0] - lengths[2] > 0.6 * (lengths[0] - lengths[-1])
assert vocabulary_sizes.MULTI30K_RARE[4000] > 0.88 * (4000 - 260)
never = np.sum(counts == 0)
assert never > rare / 2 and never == 289, never

# the loss of a sentence
assert per_token[0] < per_token[-1] and sizes == [400, 600, 1000]
assert list(per_sentence) == sorted(per_sentence, reverse=True)
known = {word for pair in few for word in BPEVocabulary.words(pair.target)}
for pair in new_pairs:
    assert known.issuperset(BPEVocabulary.words(pair.target)), pair

# dropout
assert counts_of[0].total() / len(lines) < counts_of[0.1].total() / len(lines) / 1.4
assert abs(counts_of[0.1].total() / counts_of[0].total() - 1.5) < 0.05
assert bpe_dropout.never_used(vocabulary, counts_of[0]) == 289
assert bpe_dropout.never_used(vocabulary, counts_of[0.1]) < 40
assert apply_with_dropout(word, ranks, 1, rng) == list(word)
for line in new_lines[:50]:
    cut = [
        token
        for word in BPEVocabulary.words(line)
        for token in apply_with_dropout(word, ranks, 0, rng)
    ]
    assert cut == [vocabulary.coded_tokens[i] for i in vocabulary.encode(line)]
usual = apply_with_dropout(word, ranks, 0, rng)
assert max(map(tuple, cuts), key=[tuple(one) for one in cuts].count) == tuple(usual)

# question 3
_, _, learn_merges, encode = yours("byte_pair_merges")
of_words = [list(word.encode()) for word in ("neue", "neuen", "schalten", "ausschalten")]
ten = learn_merges(of_words, [8, 4, 2, 5], 10)
ch = 256 + ten.index((99, 104))
for four in of_words:
    assert ch not in encode(four, ten)
assert encode(list(b"lachen"), ten) == [108, 97, ch, 256 + ten.index((101, 110))]
