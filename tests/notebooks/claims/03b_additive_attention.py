# the additive score settles near 1, and the other two grow like the root of d_k
assert all(0.6 < size < 1.2 for size in deviations["addition"])
assert 0.85 < deviations["addition"][-1] < 1.05
for kind in ("dot product", "addition, v of variance 1"):
    assert np.allclose(
        deviations[kind] / np.sqrt(additive.SIZES), deviations[kind][-1] / np.sqrt(512), rtol=0.35
    )
assert all(weight < 0.31 for weight in largest["addition"])

# the table of hidden words
for dtype in ("float32", "float16"):
    assert left[dtype, -math.inf][:2, 2].tolist() == [0, 0]
    assert np.isnan(left[dtype, -math.inf][2]).all()
    assert left[dtype, -100][1, 2] == 1
    assert np.allclose(left[dtype, -100][2], [0.665, 0.245, 0.090], atol=0.01)
    assert not left[dtype, None][:, 2].any() and not left[dtype, None][2].any()
assert 0 < left["float32", -100][0, 2] < 1e-40
assert np.allclose(left["float32", -1e9][2], 1 / 3) and np.isnan(left["float16", -1e9][2]).all()
replaced = np.full((1, 3), -1e9, "float32")  # the scores replaced, not added to
assert np.allclose(Softmax().forward(replaced), 1 / 3)
assert np.finfo("float16").max == 65504 and np.spacing(np.float32(1e9)) == 64

# question 3: weights set to 0 after softmax
lost = plain_softmax(np.array([2.0, 1, 150])) * [1, 1, 0]
assert lost.sum() < 1e-60
