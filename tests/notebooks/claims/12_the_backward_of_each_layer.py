# the four features, and the graph
small_x = np.array([[[1.0, 1, 5, 5]]])
small_dy = np.array([[[4.0, 0, 0, 0]]])
_, small_xhat, small_rstd = layer_norm(small_x, gain, bias, 1e-6)
small_dx, _, _ = layer_norm_backward(small_dy, small_xhat, small_rstd, gain)
assert np.allclose(small_rstd, 0.5) and np.allclose(small_xhat, [-1, -1, 1, 1])
assert np.allclose(small_dx, [2, -2, 0, 0], atol=1e-5) and np.allclose(small_dx, by_moving)
assert 0 < abs((small_dx * small_xhat).sum()) < 1e-5  # question 2

# the sub-layer: what goes past the attention, and what through it
assert np.allclose(whole, here.dx, atol=1e-6) and np.allclose(whole, dx + dtotal, atol=1e-6)
past = np.linalg.norm(dtotal[0], axis=-1)
through = np.linalg.norm(dx[0], axis=-1)
for word in ("radio", "new", "the"):
    place = sentence.source_tokens.index(word)
    assert 5 < past[place] / through[place] < 7.5, word
assert sentence.source_tokens[np.linalg.norm(whole[0], axis=-1).argmax()] == "radio"

# the table
assert len(changed) == 10 == len(sentence.source_tokens)
embedding = trace["encoder.input_embedding.embedding"]
assert np.allclose(embedding.dy, whole, atol=1e-6)
lost = np.zeros((4, 2))
lost[ids] += dy
assert lost[2].tolist() == [5, 5]
