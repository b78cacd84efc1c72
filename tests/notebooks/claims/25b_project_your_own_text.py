from npformer.text import UNK

assert len(text) == 811_353 and V == 43
assert len(learn) + len(held_out) == len(text) and abs(len(held_out) / len(text) - 0.1) < 0.001

# the rivals, and both baselines; how far the Transformer is after 5 seconds depends on the machine
assert losses == sorted(losses, reverse=True)
assert abs(of_letters - losses[2]) < 0.03 and of_model < losses[0]
assert losses[5] > own_text.LOSS_AFTER_60 > losses[5] - 0.05
assert losses[4] > own_text.LOSS_AFTER_60

# the hidden sentences: none is in the phrasebook's English, and all words are known
encode = own_text.npf.load("phrasebook").source.encode
for english, _ in own_text.HIDDEN:
    assert UNK not in encode(english), english
# three are of the phrasebook's kind
assert [output == german for output, german in zip(outputs, references, strict=True)] == [
    True
] * 3 + [False] * 9
