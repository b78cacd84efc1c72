from helpers.course_sentence import SOURCE
from npformer.visualization import sentence_attention

assert np.isclose(mine.sum(), 1)

# by hand
assert scores(x[0], x).tolist() == [4, 2, 0]
exponentials = np.exp([2.0, 1, 0])
assert exponentials.round(3).tolist() == [7.389, 2.718, 1.0]
assert round(exponentials.sum(), 3) == 11.107
assert (exponentials / exponentials.sum()).round(3).tolist() == [0.665, 0.245, 0.09]
assert np.allclose(weights[0], [0.665, 0.245, 0.090], atol=5e-4)
assert mean.round(2).tolist() == [1, 0.82, 1, 0.33], mean

# all words
assert np.allclose(weights.sum(-1), 1) and np.diagonal(weights).min() > 0.5
assert not np.allclose(weights, weights.T)  # of symmetric scores
assert (projected.argmin(-1) == [0, 1, 2]).all()
in_plane = (x @ w_q)[1, [1, 3]] @ x[:, [1, 3]].T
assert in_plane.tolist() == [0, -2, 0]
assert np.allclose(projected[1], [0.422, 0.155, 0.422], atol=5e-4)
assert means[0].round(2).tolist() == [-0.33, -0.82], means
assert v[2].tolist() == [-1, -1]

# the head
head = heads["weights"][1]
the, radio, turn, off = (tokens.index(token) for token in ("the", "radio", "turn", "off"))
assert np.allclose(softmax(scores(heads["q"][1][the], heads["k"][1]) / 4), head[the], atol=1e-5)
assert round(head[the, radio], 2) == 0.48 and round(head[radio, the], 2) == 0.10
assert head[turn].argmax() == off and head.min() > 0
sentence = CourseSentence()
n_heads = sentence.model.config.n_heads * sentence.model.config.n_encoder_layers
assert n_heads == 8
assert ["I", *sentence.source_tokens[1:]] == tokens
assert np.allclose(head_weights, head[tokens.index(word)], atol=1e-4)
for noun in ("lamp", "computer", "book"):  # the noun is found less well than "radio"
    line = f"I turn off the new {noun} every day."
    looked = sentence_attention(sentence.translator, line).encoder[1][1]
    assert looked[the, radio] < 0.4, (noun, looked[the])

# without the values of this head the sentence has the same translation, with "das"
w_value = sentence.model.encoder.layers[1].self_attention.sublayer.w_value
w_value.weight.data[:, 16:32] = 0
w_value.bias.data[16:32] = 0
german = sentence.translator.translate([SOURCE])
assert german == ["Ich schalte jeden Tag das neue Radio aus."], german

# the tally
sizes = [p.data.size for name, p in sentence.model.named_parameters() if ".w_query." in name]
assert sum(sizes) == 6 * (64 * 64 + 64) == 24_960

# question 1
longer = x * [[1], [2], [1]]
assert np.allclose(softmax(x[0] @ longer.T / 2), [0.468, 0.468, 0.063], atol=5e-4)

# question 2
order = [2, 0, 1]
shuffled = softmax(x[order] @ x[order].T / 2) @ x[order]
assert np.allclose(shuffled, (softmax(x @ x.T / 2) @ x)[order])
