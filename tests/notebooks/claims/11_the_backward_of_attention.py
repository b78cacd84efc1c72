# the three words
small_x = np.array([2.0, 1, 0])
small_dy = np.array([2.0, 1, -1])
small_y = softmax(small_x)
assert small_y.round(3).tolist() == [0.665, 0.245, 0.09]
assert abs(small_y @ small_dy - 1.49) < 0.005
assert abs(softmax_backward(small_dy, small_y)[1] + 0.12) < 0.005
assert np.allclose(dx, softmax_backward(small_dy, small_y)) and abs(dx.sum()) < 1e-12

# the small attention: key 2 loses in row 0, and the others lose in row 1
assert falling == [(0, 2), (1, 0), (1, 1)]

# das and die
layer = "decoder.layers.1.cross_attention.sublayer.attention"
looked = {word: place for place, word in enumerate(read)}
assert row.argmax() == looked["radio"] and row[looked["radio"]] > 0.9
assert drow.argmax() == looked["radio"] and drow.argmin() == looked["off"]
assert pushed.argmax() == looked["radio"] and pushed.argmin() == looked["day"]
assert row[looked["off"]].round(3) == 0.003 and row[looked["day"]].round(2) == 0.05
assert abs(drow[looked["day"]]) < 0.02 and abs(row @ drow - 0.38) < 0.005
of_layer = trace[f"{layer}.softmax"].output
found = attention_backward(trace[layer].dy, *trace[layer].inputs[:3], of_layer)
for mine, theirs in zip(found, trace[layer].dinputs[:3], strict=True):
    assert relative_error(mine, theirs) < 1e-5

# the division: eight queries, and a thousand
left = []
for one in softmax(queries[:8, :, :64] @ keys[:8, :, :64].swapaxes(-1, -2))[:, 0]:
    left.append(np.linalg.norm(np.diag(one) - np.outer(one, one)))
assert min(left[0], left[5]) > 0.39 and left[4].round(3) == 0.001
medians = {key: np.median(values) for key, values in norms.items()}
of_query = {key: (np.median(values), values.mean()) for key, values in dq_norms.items()}
for d_k in sizes:
    assert 0.29 < medians["divided", d_k] < 0.31 and 0.25 < of_query["divided", d_k][0] < 0.31
assert abs(medians["not divided", 64] - 0.04) < 0.005
assert abs(medians["not divided", 256] - 0.001) < 0.0005
assert norms["not divided", 256].max() > 0.8 * norms["divided", 256].max()
assert np.allclose(of_query["not divided", 64], (0.29, 1.03), atol=0.05)
assert np.allclose(of_query["divided", 64], (0.30, 0.32), atol=0.01)
assert of_query["not divided", 256][0] < 0.03 and of_query["not divided", 256][1] > 1.03

# question 2: a position without dy
of_heads = rng.normal(size=(1, 2, 3, 4))
no_second = np.array([1.0, 0, 1])[:, None] * of_heads
some = softmax(rng.normal(size=(1, 2, 3, 3)))
dq_0, dk_0, dv_0 = attention_backward(no_second, of_heads, of_heads, of_heads, some)
assert not dq_0[:, :, 1].any() and dk_0[:, :, 1].any() and dv_0[:, :, 1].any()
