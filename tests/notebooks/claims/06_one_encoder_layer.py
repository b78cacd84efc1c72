def norms(rows):
    return np.linalg.norm(rows, axis=-1)


# attention adds a little
assert 6.9 < norms(x).min() < norms(x).max() < 11.4
assert norms(attended).max() < 3 and (norms(attended) < 0.3 * norms(x)).all()
schematic = normalize(np.array([2.0, 0, 1, 1]), np.ones(4), np.zeros(4), 1e-6)
assert schematic.round(2).tolist() == [1.41, -1.41, 0, 0]

# LayerNorm
assert norm.eps == 1e-6 and abs(norms(normalized) - 8).max() < 0.25
library = sentence.arrays("encoder.layers.0.self_attention.norm")["output"]
assert np.allclose(normalized, library, atol=1e-5)

# the network
expected_hidden = sentence.arrays("encoder.layers.0.feed_forward.sublayer.activation")["output"]
assert np.allclose(hidden[0], expected_hidden, atol=1e-5)
assert n_on[tokens.index("the")] == 61
network_norms = norms(network_output[0])
assert (network_norms > 2 * norms(attended)).all()
sizes = [layer.feed_forward.sublayer.n_parameters, layer.n_parameters]
assert sizes == [33_088, 49_984] and round(sizes[0] / sizes[1], 2) == 0.66

# the layer
assert np.allclose(the_sum, before + added, atol=1e-4)  # the mistake that is named
relu = layer.feed_forward.sublayer.activation
assert type(relu).__module__ == "npformer.layers.activations"
assert np.allclose(result, sentence.arrays("encoder.layers.0")["output"][place], atol=1e-4)

# hidden feature 79
MASCULINE = """man teacher doctor boy brother friend father dog bird apple cake cheese tea
coffee letter coat computer suitcase garden park forest""".split()
OTHERS = """woman sister mother cat pear soup milk postcard jacket lamp door girl child horse egg
bread water book shirt radio window""".split()
nouns = MASCULINE + OTHERS
is_on = {feature: hidden_of_nouns(feature) > 0 for feature in range(256)}
assert is_on[79][:21].sum() == 19 and is_on[79][21:].sum() == 2 and len(OTHERS) == 21
tells = {feature: on[:21].mean() - on[21:].mean() for feature, on in is_on.items()}
assert max(tells, key=tells.get) == 79
assert is_on[46][:21].mean() > 0.75 and is_on[55][:21].mean() > 0.75

# question 2
of_twelve = "computer coat letter doctor apple man bird radio lamp book woman milk".split()
sentences = [f"I turn off the new {noun} every day." for noun in of_twelve]
translated = sentence.translator.translate(sentences)
old = b1[79].copy()
b1[79] = -100
assert sentence.translator.translate(sentences) == translated
b1[79] = old
