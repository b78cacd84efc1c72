import npformer as npf
from helpers.pictures.positions import wavelengths
from npformer.datasets import phrasebook

# the embedding
assert sentence.translator.source.tokens[109:112] == ["it", "new", "heute"]
assert tokens == "I turn off the new radio every day . <eos>".split()
assert 0.12 < table.std() < 0.14 and table.shape == (825, 64)
model = translator.model
assert model.generator.table is model.encoder.input_embedding.embedding.table

# order
assert [words[i] for i in order] == [*second.lower()[:-1].split(), ".", "<eos>"]
assert np.allclose(y_second, attention(x_second, x_second, x_second)[0], atol=1e-5)
assert np.allclose(y[0], y[4], atol=1e-5)
mask = np.ones((1, 1, 9), bool)
layers = model.encoder.layers
memory = layers[1].forward(layers[0].forward(x[None], mask), mask)
memory_second = layers[1].forward(layers[0].forward(x_second[None], mask), mask)
assert np.allclose(memory[:, order], memory_second, atol=1e-5)

# waves
assert waves[1, [0, 1, 62, 63]].round(2).tolist()[:2] == [0.84, 0.54]
assert sinusoids(2, 4)[1].round(2).tolist() == [0.84, 0.54, 0.01, 1.0]
assert 40 < wavelengths(64)[7] < 50  # the slowest of the 8 fastest
steps = np.diff(waves.reshape(100, 32, 2), axis=0)  # (99, 32, 2)
assert np.ptp(np.linalg.norm(steps, axis=2), axis=0).max() < 1e-5  # a pair's steps have one length
hands = sinusoids(100, 16).reshape(100, 8, 2)
moved = np.linalg.norm(hands[73] - hands[10], axis=1)
assert moved[[0, 2]].max() < 0.2 and moved[[1, 3, 4]].min() > 0.6, moved
assert np.isclose(waves[5] @ waves[0], waves[50] @ waves[45], atol=1e-4)
for step in (7, 8):
    changed = (step ^ (step + 1)).bit_count()
    assert changed == {7: 4, 8: 1}[step]

# what the translator writes
assert np.allclose(exchanged, x + waves[order])
first_story, second_story = stories
assert translator.translate([first, second]) == [first_story, second_story]
assert translate_vectors(translator, with_waves) == first_story
assert written == second_story
assert translate_vectors(translator, x) == translate_vectors(translator, x + slow) == "."
assert translate_vectors(translator, x + fast) == first_story
for start in (1, 2):
    shifted = add_positions(x[None], waves, start)[0]
    assert translate_vectors(translator, shifted) == first_story, start
assert translate_vectors(translator, add_positions(x[None], waves, 3)[0]) == "."
without = translate_vectors(translator, with_waves, decoder_positions=False)
again = " sieht die junge Frau"
assert without == f"Der alte Mann{3 * again}.", without
assert translator.translate([first]) == [first_story]  # nothing has changed
assert max(len(line.source.split()) for line in phrasebook.split()[0]) > 12

# question 2: the order of the words before the last one, with one layer and with two
causal = npf.layers.causal_mask(9)
earlier = [0, 5, 6, 3, 4, 1, 2, 7, 8]  # the last word stays
one, two = (layer.self_attention for layer in model.decoder.layers)
after_one = one.forward(x[None], causal), one.forward(x[None, earlier], causal)
after_two = two.forward(after_one[0], causal), two.forward(after_one[1], causal)
assert np.allclose(after_one[0][0, -1], after_one[1][0, -1], atol=1e-5)
assert abs(after_two[0][0, -1] - after_two[1][0, -1]).max() > 0.01
