# the same as npformer's
assert len(W) == 85
assert difference.max() < 1e-13, difference.max()
assert translate(SENTENCE) == "Ich schalte jeden Tag das neue Radio aus."
assert translate("The dog sleeps.") == "Der Hund schläft."

# what may come next
most_probable = [library.german.tokens[i] for i in probabilities.argmax(-1)]
assert most_probable == sentence.target_tokens

# the three mistakes, and those of the text
expected = {
    "from 1": (2.0, "Ich schalte jeden Tag das neue Radio aus."),
    "2 heads": (5.0, "Ich bringt jeden Morgen das neue Radio ein."),
    "exchanged": (6.3, "Ich lade jeden Tag das neue Radio aus."),
}
for mistake, changed in mistakes.items():
    with patch.dict(globals(), changed):
        off = abs(logits(tgt, encode(src), memory_mask) - library.logits)[tgt != PAD].max()
        assert (round(off, 1), translate(SENTENCE)) == expected[mistake], mistake
with patch.dict(globals(), {"positions": positions[10:]}):
    assert translate(SENTENCE) == "."

# question 1
with patch.dict(globals(), {"embed": lambda ids, table: table[ids]}):
    assert translate(SENTENCE).rstrip(".") == ", zurückkommt das das das das"
own_logits = logits
with patch.dict(globals(), {"logits": lambda *ids: 8 * own_logits(*ids)}):
    assert translate(SENTENCE) == "Ich schalte jeden Tag das neue Radio aus."
assert abs(np.linalg.norm(table[4:], axis=-1).mean() - 1) < 0.05
assert np.allclose(np.linalg.norm(positions, axis=-1), 32**0.5)
assert softmax(8 * found[0]).max(-1).min() > 0.995
assert round(softmax(found[0])[1].max(), 2) == 0.87
