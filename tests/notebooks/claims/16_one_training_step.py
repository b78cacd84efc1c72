# one step on the sentence
assert (after > before).all(), after - before
sources = ("I turn off the new radio every day.",)
p_of_das = {}
for rate, written in (
    (0.0003, "Ich schalte jeden Tag das neue Radio aus."),
    (0.001, "Ich schalte jeden Tag das neue Radio aus."),
    (0.003, "Ich schalte jeden Tag jeden Tag jeden Tag das neue Radio aus."),
):
    stepped = CourseSentence()
    src, ids = one_step.batch_of_sentence(stepped)
    model = one_step.Translation(stepped.model, src)
    optimizer = one_step.Adam(model.parameters())
    old = [p.data.copy() for p in model.parameters()]
    training_step(model, optimizer, ids, 1.0, rate)
    p = one_step.probabilities_of_right(model, ids)
    p_of_das[rate] = p[stepped.target_tokens.index("das")]
    if rate == 0.001:
        assert (p > after).sum() == 9 and (p < before).sum() == 1, p
    assert stepped.translator.translate(sources, beam=1) == [written], rate

    gradient = np.concatenate([p.grad.ravel() for p in model.parameters()])
    moved = np.concatenate(
        [abs(p.data - was).ravel() for p, was in zip(model.parameters(), old, strict=True)]
    )
    assert gradient.size == 286_272
    assert round((gradient == 0).mean(), 3) == 0.006
    assert (moved > 0.99 * rate).mean() > 0.98
assert abs(p_of_das[0.001] - 0.40) < 0.02 and before[4] > 0.92

# what was left out
first = same[""][0]
assert same["step"][-1] == first
assert same[""][-1] < 0.05 and 0.5 < same["zero_grad"][-1] / same[""][-1] < 2
assert 1.3 < same["zero_grad and clipping"][-1] < 2
assert np.sum(np.array(same["zero_grad"][5:100]) > np.array(same[""][5:100])) > 85
ends = {name: [np.mean(losses[-10:]) for losses in both] for name, both in other.items()}
assert max(ends[""]) < 0.35 and min(ends["zero_grad"]) > 1.5 * max(ends[""]), ends

# the broken batch
at_50 = {name: losses[50] for name, losses in broken.items()}
assert at_50["wrong and too large"] > 1.5 > at_50["only too large"] > 1.1, at_50
assert at_50["only wrong"] < 0.65 and at_50["wrong and too large, clipped at 1"] < 0.5
assert max(broken["wrong and too large"][25:50]) > broken["wrong and too large"][21] + 0.02
coasting = 0.0
for t in range(21, 300):
    m = 0.1 * 0.9 ** (t - 21) / (1 - 0.9**t)
    v = 0.02 * 0.98 ** (t - 21) / (1 - 0.98**t)
    coasting += m / math.sqrt(v)
assert abs(coasting - 5.5) < 0.05, coasting
assert round(0.98**100, 2) == 0.13

# the hunt: the recording has what the helper expects


def found(words, hit=0):
    _, array = recording.find(words)[hit]
    return recording[array]


tables = [found("table.grad", hit) for hit in range(3)]
changed = [abs(tables[0]).max(-1) > 0]
for hit in (1, 2):
    changed.append(abs(tables[hit] - tables[hit - 1]).max(-1) > 0)
expected = one_step.HUNT.arrays
assert np.flatnonzero(np.all(changed, axis=0)).tolist() == expected["tokens"].tolist()
assert len(recording.find("table.grad")) == 3

dlogits = found("loss returned", -1)[0]
assert dlogits[0].argmin() == 6 and dlogits[0].argmax() == expected["wrong"]

dscores = found("decoder.layers.0.self_attention dscores", -1)
assert dscores.size == 32 and (dscores == 0).sum() == expected["n_zero"]

hidden = found("encoder.layers.0.feed_forward.sublayer.activation y")[0]
assert np.flatnonzero((hidden == 0).all(0)).tolist() == expected["dead"].tolist()

table = npf.Transformer(small.config, rng=0).encoder.input_embedding.embedding.table
change = found("Adam encoder.input_embedding.embedding.table")[5, [0, 4]] - table.data[5, [0, 4]]
assert np.allclose(change, expected["changes"], atol=1e-4), change
assert np.allclose(tables[2][5, [0, 4]], [-1.01, 0.008], atol=0.005), tables[2][5]
bias = small.encoder.layers[0].self_attention.sublayer.w_key.bias
assert 0 < abs(bias.grad).max() < 1e-8
