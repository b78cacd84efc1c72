# the table of exponentials, and rows of the first picture
assert np.exp([2, 1, 0]).round(3).tolist() == [7.389, 2.718, 1]
assert np.exp([2, 1, 0]).sum().round(3) == 11.107 and round(np.exp(10)) == 22026
assert softmax(scores)[0].round(3).tolist() == [0.665, 0.245, 0.09]
assert np.allclose(softmax(scores)[0], softmax(scores)[1])

# the law, and what softmax makes of it
measured = [raw[d_k].std() for d_k in sizes]
assert np.allclose(measured, sizes**0.5, rtol=0.05), measured
assert spread is ... or np.allclose(spread, sizes**0.5)
assert 0.865 < largest < 0.875, largest
assert 0.25 < min(divided) and max(divided) < 0.34, divided
assert 0.92 < not_divided[-1] < 0.95, not_divided

# the real head
assert abs((q @ k.T).std() - 5.9) < 0.05 and q.shape == (10, 16)
turn = words.index("turn")
off = words.index("off")
assert abs(weights[turn, off] - 0.57) < 0.005 and sharp[turn, off] > 0.995
assert (sharp[1:6].max(-1) > 0.8).sum() == 4
assert np.allclose(weights, layer["weights"][1], atol=1e-5)

# question 1
by_d_k = softmax(raw[256] / 256).max(-1).mean()
assert 0.105 < by_d_k < 0.115, by_d_k
