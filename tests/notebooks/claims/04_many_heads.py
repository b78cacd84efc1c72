def close(a, b, tolerance=0.006):
    return abs(a - b) < tolerance


# one head: both words alike, and both halves of the result
one_y, one_weights = attention(q, k, v)
off = words.index("off")
radio = words.index("radio")
assert close(one_weights[0, 0, off], 0.47) and close(one_weights[0, 0, radio], 0.47)
assert np.allclose(one_y[0, 0, :5], one_y[0, 0, 5:])

# and the same result when "off" and "radio" change places
swapped = k.copy()
swapped[0, off, 5:] = k[0, radio, 5:]
swapped[0, radio, 5:] = k[0, off, 5:]
noun_in_place_2 = attention(q, k, v)[1][0, 0]
assert close(noun_in_place_2[off], noun_in_place_2[radio])

# two heads: one word each
two_y, two_weights = multi_head_attention(q, k, v, same, same, same, same, 2)
assert two_weights[0, 0, 0, off] > 0.95 and two_weights[0, 1, 0, radio] > 0.95
assert mixed[0, 0].tolist() == [[0] * 3, [0] * 3, [1] * 3, [1] * 3]
assert correct[0, 0].tolist() == [[i] * 3 for i in range(4)]
assert np.allclose((parts @ w_output).sum(0), two_y[0, 0] @ w_output)

# the translator's heads
at = {word: weights[0, :, written.index(word)] for word in ("schalte", "das", "aus")}
place = {word: read.index(word) for word in ("i", "turn", "off", "the", "radio", "<eos>")}
assert close(at["das"][1, place["the"]], 0.99) and close(at["das"][0, place["the"]], 0.97)
assert at["das"][2].argmax() == place["radio"] and at["das"][2].max() > 0.9
assert at["schalte"][1, place["turn"]] > 0.95
assert at["schalte"][[0, 2], place["i"]].min() > 0.98
assert at["aus"][2, place["off"]] > 0.95 and at["aus"][3, place["turn"]] > 0.85
assert at["aus"][:2, place["<eos>"]].min() > 0.8
assert at_die[2].argmax() == looked.source.index("lamp")
with_biases = sentence.attention(name)["weights"]
assert 0.05 < abs(weights[0] - with_biases).max() < 0.06
assert sentence.attention("encoder.layers.0.self_attention")["weights"].max(-1).mean(-1).max() < 0.3

# question 3
on = sentence_attention(sentence.translator, "I turn on the new radio every day.")
at_ein = on.cross[1, :, on.written.index("ein")]
assert at_ein[:, on.source.index("on")].max() < 0.02
assert {on.source[i] for i in at_ein.argmax(-1)} == {"turn", "<eos>"}
of_turn = on.encoder[:, 1, on.source.index("turn"), on.source.index("on")]
assert np.allclose(of_turn, 0.3, atol=0.02), of_turn
