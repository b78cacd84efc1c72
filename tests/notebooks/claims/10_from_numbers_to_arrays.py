# the Jacobian, by the rules
assert np.allclose(J, [[3, 2, 0], [0, 1, 2]])
assert np.allclose(np.array([1, 10]) @ J, [3, 12, 20])
assert np.allclose(np.array([0, 1]) @ J, J[1])
assert (2500 * 512) ** 2 > 1e12

# the linear layer
assert np.isclose(dx_by_moving[0, 1], -3) and np.isclose(dw_by_moving[1, 2], -2)
assert np.allclose(dw, dw_by_moving)

# broadcasting
assert np.allclose(dr, dr_by_moving) and np.allclose(db, db_by_moving)

# a sum and a mean repeat
ds = np.array([1.0, -2.0])
of_sum = numeric_gradient(lambda x: x.sum(1), x_small, ds)
of_mean = numeric_gradient(lambda x: x.mean(1), x_small, ds)
assert np.allclose(of_sum, np.repeat(ds[:, None], 3, 1)) and np.allclose(3 * of_mean, of_sum)

# the head of the translator
assert q.size == 160 and 4 * q.size == 640 and 4 * q.size * 64 == 40960
assert np.allclose(q, sentence.attention("encoder.layers.1.self_attention")["q"][1], atol=1e-5)
assert np.flatnonzero(abs(dx).max(1) > 1e-9).tolist() == [the]
assert (abs(new_q - q).max(1) > 1e-4).all()
assert scores[:, the].round(2).tolist() == [2.16, 2.8], scores
before, after = (np.exp(rows @ k.T / 4) for rows in (q, new_q))
weights = [(e / e.sum(-1, keepdims=True))[the, radio].round(2) for e in (before, after)]
assert weights == [0.48, 0.61], weights
rise = scores[1] - scores[0]
more = [tokens[i] for i in np.flatnonzero(rise > 0.05)]
assert more == ["the", "new", "radio", "every"], rise
assert (rise < 0).sum() == 5
