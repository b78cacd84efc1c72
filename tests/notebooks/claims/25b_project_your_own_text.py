from npformer.text import UNK

assert len(text) == 811_353 and V == 43
assert len(learn) + len(held_out) == len(text) and abs(len(held_out) / len(text) - 0.1) < 0.001

# the rivals, and both baselines; how far the Transformer is after 5 seconds depends on the machine
assert losses == sorted(losses, reverse=True)
assert abs(of_letters - losses[2]) < 0.03 and of_model < losses[0]
assert losses[5] > own_text.LOSS_AFTER_60 > losses[5] - 0.05
assert losses[4] > own_text.LOSS_AFTER_60

# the mistakes: all words are known, and a small change repairs each
encode = own_text.npf.load("phrasebook").source.encode
written = own_text.translate(*own_text.HIDDEN)
for (english, german), output in zip(own_text.HIDDEN.items(), written, strict=True):
    assert UNK not in encode(english) and output != german, english
changed = {
    "The dog reads no book.": "Der Hund liest kein Buch.",
    "The dog does not sleep because it is tired.": "Der Hund schläft nicht, weil es müde ist.",
    "You know that I am tired.": "Du weißt, dass ich müde bin.",
}
assert own_text.translate(*changed) == list(changed.values())
assert all(counts[::2] > 60) and not any(counts[1::2]), counts
