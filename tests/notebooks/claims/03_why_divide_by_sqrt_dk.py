# rows of the first picture
assert round(np.exp(10)) == 22026
assert np.allclose(softmax(scores)[0], softmax(scores)[1])

# the law, and what softmax makes of it
measured = [raw[d_k].std() for d_k in sizes]
assert np.allclose(measured, sizes**0.5, rtol=0.05), measured
assert spread is ... or np.allclose(spread, sizes**0.5)
assert 0.725 < largest < 0.735, largest
assert 0.865 < not_divided[3] < 0.875, not_divided
assert 0.25 < min(divided) and max(divided) < 0.34, divided
assert 0.92 < not_divided[-1] < 0.95, not_divided

# the live figure: what query 0 does after 64, and who hesitates there
of_query_0 = {d_k: softmax(queries[0, 0, :d_k] @ keys[0, :, :d_k].T).max() for d_k in (64, 128)}
assert abs(of_query_0[64] - 0.71) < 0.005 and abs(of_query_0[128] - 0.55) < 0.005, of_query_0
highest = np.sort(raw[64][:8, 0])[:, ::-1]
assert np.flatnonzero(highest[:, 0] - highest[:, 1] < 1).tolist() == [0, 5]
assert set(softmax(raw[64][:8, 0]).max(-1).argsort()[:2]) == {0, 5}

# the real head: the root of the mean variance of a row
assert abs(np.sqrt((q @ k.T).var(-1).mean()) - 5.6) < 0.05 and q.shape == (10, 16)
turn = words.index("turn")
off = words.index("off")
assert abs(weights[turn, off] - 0.57) < 0.005 and sharp[turn, off] > 0.995
assert (sharp[1:6].max(-1) >= 0.85).sum() == 4
assert np.allclose(weights, layer["weights"][1], atol=1e-5)

# question 1
by_d_k = softmax(raw[256] / 256).max(-1).mean()
assert 0.105 < by_d_k < 0.115, by_d_k
