from helpers.without_masks import held_out

# padding
assert src.tolist()[1][5:] == [0] * 5 and 0 not in src[0]
assert (alone, together) == ("Der Hund schläft.", "Der Hund schläft ein neues Pferd schläft.")
assert looks[3, 5:].sum() > 0.99, looks[3]
next_to_six = batch_of(translator, ["The lamp is old.", "The dog sleeps."])
assert next_to_six.shape == (2, 6) and (next_to_six[1] == 0).sum() == 1
assert write(translator, next_to_six, hide_padding=False)[1] == "Der Hund schläft ein Pferd."
assert write(translator, src) == ["Ich schalte jeden Tag das neue Radio aus.", alone]

# the pencil
weights_of_three = np.exp([2.0, 1, 0]) / np.exp([2.0, 1, 0]).sum()
assert weights_of_three.round(3).tolist() == [0.665, 0.245, 0.09]
assert round(weights_of_three[:2].sum(), 2) == 0.91
assert (weights_of_three[:2] / weights_of_three[:2].sum()).round(3).tolist() == [0.731, 0.269]

# weights under the mask: no key is padding, and every query looks somewhere
assert (weights[1, ..., 5:] == 0).all() and np.allclose(weights.sum(-1), 1)
assert (weights[0] > 0).all()

# one pass and ten
assert [tokens[i] for i in range(10)] == [
    "<bos>",
    *"Ich schalte jeden Tag das neue Radio aus .".split(),
]
assert sentence.target_tokens == [*tokens[1:], "<eos>"]
at_once = logits_of(translator, source, read)[0].argmax(-1)
assert at_once.tolist() == sentence.batch.tgt_out[0].tolist()
assert apart(True).max() < 2e-5, apart(True)
assert (apart(False)[:9] > 0.5).all() and apart(False)[9] < 1e-3, apart(False)

# the effect of a token: causes are columns
after = np.tri(10, dtype=bool)
assert (hidden[~after] == 0).all() and (hidden[after] > 0).all()
pale = [token for token, size in zip(tokens, hidden.diagonal(), strict=True) if size < 0.1]
assert pale == ["Ich", "Radio"]
[lamp] = translator.target.encode("Lampe")
for t in (tokens.index("Ich"), tokens.index("Radio")):
    changed = read.copy()
    changed[0, t] = lamp
    after_lamp = logits_of(translator, source, changed)[0, t]
    assert after_lamp.argmax() == sentence.batch.tgt_out[0, t]
assert (seen > 0).all()
of_das = hidden[:, tokens.index("das")]
assert of_das.argmax() == tokens.index("das") and np.sort(of_das)[-2] < 0.1, of_das
assert write(translator, source, hide_future=False) == ["Ich schalte das neue Radio aus."]

# 60 sentences
others = batch_of(translator, held_out(60))
right = write(translator, others)


def n_changed(translations):
    """Return how many of the 60 translations are others."""
    return sum(one != other for one, other in zip(right, translations, strict=True))


assert n_changed(write(translator, others, hide_padding=False)) == 53
assert n_changed(write(translator, others, hide_future=False)) == 20
for layers, n_other in (([1, 1], 0), ([0, 1], 3), ([0, 0], 38), ([1, 0], 26)):
    assert n_changed(write_with_memories(translator, others, layers)) == n_other, layers

# the library: every decoder layer reads the same memory
memory = sentence.arrays("encoder")["output"]
for i in range(2):
    assert np.array_equal(sentence.arrays(f"decoder.layers.{i}")["memory"], memory), i
