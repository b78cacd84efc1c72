def close(a, b, tolerance=0.006):
    return abs(a - b) < tolerance


# one head: both words alike, and both halves of the result
next_word = words.index("off")
last_word = words.index("radio")
particle = kinds.index("particle")
noun = kinds.index("noun")
one_y, one_weights = attention(q, k, v)
assert close(one_weights[0, 0, next_word], 0.47) and close(one_weights[0, 0, last_word], 0.47)
assert np.allclose(one_y[0, 0, :5], one_y[0, 0, 5:])
assert close(one_y[0, 0, particle], 0.47) and close(one_y[0, 0, noun], 0.47)

# and the same result when "off" and "radio" change places
exchanged = v.copy()
exchanged[0, [next_word, last_word]] = v[0, [last_word, next_word]]
assert np.allclose(attention(q, k, exchanged)[0], one_y)

# two heads: one word each, and the halves change with the places
two_y, two_weights = multi_head_attention(q, k, v, same, same, same, same, 2)
assert close(two_weights[0, 0, 0, next_word], 0.96) and close(two_weights[0, 1, 0, last_word], 0.96)
assert close(two_y[0, 0, particle], 0.96) and close(two_y[0, 0, 5 + noun], 0.96)
two_exchanged, _ = multi_head_attention(q, k, exchanged, same, same, same, same, 2)
assert close(two_exchanged[0, 0, noun], 0.96) and close(two_exchanged[0, 0, 5 + particle], 0.96)

# five heads: two of them find a word
_, five_weights = multi_head_attention(q, k, v, same, same, same, same, 5)
assert five_weights[0, 1, 0, next_word] > 0.99 and five_weights[0, 4, 0, last_word] > 0.99
assert np.allclose(five_weights[0, [0, 2, 3], 0], 0.2)
assert mixed[0, 0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
assert correct[0, 0].tolist() == [[i] * 3 for i in range(4)]
assert np.allclose(of_heads.sum(0), two_y[0, 0] @ w_output)

# the translator's heads
at = {word: weights[0, :, written.index(word)] for word in ("schalte", "das", "aus")}
place = {word: read.index(word) for word in ("I", "turn", "off", "the", "radio", "<eos>")}
assert close(at["das"][1, place["the"]], 0.99) and close(at["das"][0, place["the"]], 0.97)
assert at["das"][2].argmax() == place["radio"] and at["das"][2].max() > 0.9
assert at["schalte"][1, place["turn"]] > 0.95
assert at["schalte"][[0, 2], place["I"]].min() > 0.98
assert at["aus"][2, place["off"]] > 0.95 and at["aus"][3, place["turn"]] > 0.85
assert at["aus"][:2, place["<eos>"]].min() > 0.8
assert heads_at_off == 1
assert at["das"].max(-1).argmin() == 3
assert at_die[2].argmax() == looked.source.index("lamp") != place["radio"]
with_biases = sentence.attention(name)["weights"]
assert 0.05 < abs(weights[0] - with_biases).max() < 0.06
largest_in_row = sentence.attention("encoder.layers.0.self_attention")["weights"].max(-1)
assert ((largest_in_row < 0.3).sum(-1) > 5).all()  # of the ten rows of each head

# question 3
on = sentence_attention(sentence.translator, "I turn on the new radio every day.")
at_ein = on.cross[1, :, on.written.index("ein")]
assert at_ein[:, on.source.index("on")].max() < 0.02
assert {on.source[i] for i in at_ein.argmax(-1)} == {"turn", "<eos>"}
of_turn = on.encoder[:, 1, on.source.index("turn"), on.source.index("on")]
assert np.allclose(of_turn, 0.3, atol=0.02), of_turn
