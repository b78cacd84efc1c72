# the first picture
best = {way: eps[errors[way].argmin(), 0] for way in errors}
assert 1e-9 < best["one-sided"] < 1e-7 and 1e-6 < best["central"] < 1e-4, best
assert 1e-4 < best["fourth order"] < 1e-2 and errors["fourth order"].min() < 1e-12, best
assert errors["central, in float32"].min() > 1e-6

# the four bugs: one shows, the rows of the table for seed 0, and every bug was at work
found = [healthy_end, *ends.values()]
assert np.allclose(found, [0.306, 0.314, 1.607, 0.306, 0.279], atol=0.05), found
assert ends["diagonal only"] > 1 and sorted(ends.values())[-2] < healthy_end + 0.1
assert all((curve != healthy).any() for curve in curves.values())

# the numbers of the first check hide all, those of the sentence one
first = [check_norm(gains), check_softmax(scores), check_embedding(ids), check_attention(q, k, v)]
assert all(report.ok for report in first)
assert [report.ok for report in reports.values()] == [False, False, True, False]
shown = [check_norm([1, 2]), check_softmax([[2.0, 1]]), check_embedding([0, 1, 0])]
assert not any(report.ok for report in shown)
assert min(report.largest_error for report in shown) > 1e-3

# a wrong gradient that points almost the same way
assert abs(cosine - 0.9996) < 5e-5, cosine
assert abs(learned.min() - 1.04) < 0.005 and abs(learned.max() - 1.69) < 0.005

# the clues
[of_x, of_gain, of_bias] = report.rows
assert of_x.error > 0.1 and max(of_gain.error, of_bias.error) < 1e-9
assert np.abs(dx.sum(-1)).max() < 1e-9 and np.abs((dx * xhat).sum(-1)).min() > 0.1

# what if this line were wrong: nothing differs before the changed line
assert comparison.first.place.function == "backward", comparison.first
assert comparison.first.file.endswith("layers/layer_norm.py"), comparison.first
assert comparison.a.loss == comparison.b.loss
assert len(comparison.origins) >= 1
assert len(npf.testing.gallery()) > 30
