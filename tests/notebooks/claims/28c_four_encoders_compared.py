import npformer as npf
from helpers.multiply_adds import forward_multiply_adds

# four encoders of one size: 6 D^2 weights in each layer
D = classifying.D
sizes = {}
for name in classifying.ENCODERS:
    fresh = classifying.new_classifier(sentences, name)
    matrices = [p.data.size for p in fresh.encoder.layers[0].parameters() if p.data.size > 4 * D]
    assert sum(matrices) == 6 * D**2, name
    assert 490_000 < forward_multiply_adds(fresh.config, 10) < 520_000
    sizes[name] = sum(p.data.size for p in fresh.parameters())
assert max(sizes.values()) < 1.01 * min(sizes.values())

# what was trained here
assert accuracy["convolution"] > accuracy["self-attention"] + 0.08
gain = accuracy["near first"] - accuracy["self-attention"]
assert abs(gain - 0.06) < 0.035
assert abs(slope - 1) < 0.002
assert np.allclose(weights[0, 3], weights[0, 0] / 20)

# what was measured before
means = {name: 100 * np.mean(values[0]) for name, values in classifying.MEASURED.items()}
gain = means["near first"] - means["self-attention"]
assert abs(gain / (means["neighbors only"] - means["self-attention"]) - 2 / 3) < 0.04
of_adjectives = {name: 100 * np.mean(values[1]) for name, values in classifying.MEASURED.items()}
expected = {"near first": 87.6, "self-attention": 80.6, "neighbors only": 90.7}
for name, percent in expected.items():
    assert abs(means[name] - percent) < 0.06
rounded = {name: round(percent) for name, percent in of_adjectives.items()}
assert (rounded["neighbors only"], rounded["LSTM"], rounded["convolution"]) == (72, 72, 90)
missing = means["convolution"] - means["self-attention"]
assert 0.5 < (means["neighbors only"] - means["self-attention"]) / missing < 0.65
by_seed = np.array([values[0] for values in classifying.MEASURED.values()])
assert (by_seed.argmin(0) == 0).all() and (by_seed.argmax(0) == 4).all()
assert (by_seed[1] < by_seed[2]).all()  # question 3: in all three seeds

# question 1: how far two layers of neighbors reach
encoder = classifying.new_classifier(sentences, "neighbors only").encoder
batch = sentences.batch("Der Mann sieht den alte Mantel.")
with npf.trace(encoder) as trace:
    memory = encoder.forward(batch.ids)  # (1, S, D)
    encoder.backward(memory * (np.arange(batch.ids.size) == 0)[:, None])
reaches = abs(trace["input_embedding"].dy[0]).sum(-1) > 0  # (S,)
assert reaches.tolist() == [True] * 3 + [False] * (batch.ids.size - 3)

# question 3
errors = [np.sqrt(p * (1 - p) / 1000) for p in (0.902, 0.876)]
assert np.allclose(errors, 0.01, atol=0.001) and abs(np.hypot(*errors) - 0.014) < 0.0005
