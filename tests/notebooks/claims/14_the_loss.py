from npformer.tasks import LabelSmoothingLoss

# what a prediction costs
assert np.log([2, 825, 1000]).round(2).tolist() == [0.69, 6.72, 6.91]
toy = np.array([2.0, 1, 0, -1, 0])
assert abs(cross_entropy(toy, np.eye(5)[0]) - 0.524) < 5e-4
of_model = softmax(sentence.arrays("generator")["output"])  # (10, 825)
assert (of_model.argmax(-1) == ids).all()
assert abs(of_right.mean() - 0.88) < 0.005 and of_right.max() < 0.935, of_right
assert abs(losses.mean() - 0.128) < 5e-4 and abs(np.exp(0.128) - 1.14) < 0.005

# the gradient
assert np.isclose(gradient(toy, np.eye(5)[0]).sum(), 0)
assert sentence.target_tokens[losses.argmax()] == "jeden"
assert {"das", "die", "mit"} < {tokens[i] for i in moved}
assert abs(dz).max() == -dz[ids[place]] and abs(dz[ids[place]] + 0.2) < 0.005

# the pull of both targets
for step in (1000, 10_000):
    assert abs(gaps[0.0][step - 1] - gaps[0.0][step // 10 - 1] - np.log(10)) < 0.05
assert np.isclose(gaps[0.1][-1], np.log(0.92 / 0.02)) and round(np.log(0.92 / 0.02), 2) == 3.83
assert round(0.9 + 0.1 / 825, 4) == 0.9001
period = sentence.target_tokens.index(".")
assert 0.905 < of_right[period] < 0.915 and sentence.read_tokens[period] == "aus"

# the floor
of_a_token = smooth_targets(ids[None], V, 0.1)[0, 0]
assert abs(-(of_a_token * np.log(of_a_token)).sum() - 0.99542) < 1e-5
assert abs(smoothed - 1.041) < 5e-4

# the footnote: V with eps is V - 1 with eps (V - 1) / V, and what V adds to the right token
other = 0.1 * 36_999 / 37_000
assert np.isclose(1 - other, 0.9 + 0.1 / 37_000) and np.isclose(other / 36_999, 0.1 / 37_000)
assert 2e-6 < 0.1 / 37_000 < 3e-6

# a batch
loss_layer = LabelSmoothingLoss(eps=0.1)
loss_layer.forward(batch_logits, batch.tgt_out)
assert np.allclose(loss_layer.backward(), dlogits, atol=1e-6)
assert N == 17 and not dlogits[1, 7:].any()
place_of_das = sentence.target_tokens.index("das")
assert of_right[place_of_das] > 0.925 and dlogits[0, place_of_das, ids[place_of_das]] > 0

# question 2
assert round(np.log(0.1 / 0.001), 1) == 4.6 and round(np.log(100) / np.log(0.999 / 0.9)) == 44

# where the smoothed loss of 1.04 comes from
log_p = np.log(softmax(logits))
assert abs(-log_p.mean() - 9.25) < 0.01 and abs(0.9 * losses.mean() - 0.115) < 0.001
