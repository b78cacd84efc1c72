from npformer.utils.wrap_methods import wrap_methods

assert (V, C) == (465, 7) and abs(bag_accuracy - 0.555) < 0.001
place = {name: names.index(name) for name in names}
n_all = len(sentences.train) + len(sentences.held_out) + len(sentences.test)
assert n_all == 9500 and len(sentences.test) == 1000
for parts in (sentences.train, sentences.test):
    assert abs(np.mean([one.label == "right" for one in parts]) - 0.5) < 0.001
examples = {text: label for label, text in sentences.train}
for line in (
    "Isst mein klugen Freund freitags Käse?",
    "Mein netter Freund spielt mit deine Mutter.",
    "Warum will mein Vater diese Hemd suchen?",
    "Diese Frau aufmacht deine Türen.",
    "Ich esse einen Apfel, weil ich bin hungrig.",
    "Diese Kinder nicht sind hungrig.",
):
    assert line in examples, line

# a bag of words
assert names[precision.argmax()] == "prefix" and precision[place["prefix"]] > 0.9
last, case, prefix, right = (place[name] for name in ("verb_last", "case", "prefix", "right"))
assert bag[:, last].sum() == 164 and abs(bag[right, last] / 164 - 0.5) < 0.05
assert bag[case, case] == bag[prefix, prefix] == 76 and bag[case].sum() == 83
assert bag[:, case].sum() == 123 and bag[right, case] == 42

# pooling
assert np.allclose(dx[0].sum(0), dy[0]) and not dx[0, ~mask[0]].any()

# the encoder
incorrect = result.confusion * (1 - np.eye(C, dtype=int))
with_right = incorrect[right].sum() + incorrect[:, right].sum()
assert abs(result.macro_f1 - 0.73) < 0.03
assert with_right > 0.75 * incorrect.sum()
assert result.confusion[last, last] / result.confusion[:, last].sum() > 0.9
assert 35 < result.confusion[last, last] < 55
worst = [names[i] for i in np.argsort(result.f1())[:2]]
assert set(worst) == {"adjective", "gender"} and result.f1()[place["verb_second"]] > 0.8
always = np.zeros((C, C))
always[:, right] = bag.sum(1)
f1 = 2 * np.diag(always) / (always.sum(0) + always.sum(1))
assert abs(f1.mean() - 0.095) < 0.001 and abs(f1[right] - 0.67) < 0.01


# question 1: without positions the order does not matter
def no_positions(plain, x, start=0):
    return x


both = sentences.batch("Heute will der Mann schlafen.", "Heute der Mann will schlafen.")
seeing = model.forward(both.ids)
with wrap_methods([(model.encoder.input_embedding.positions, "forward", no_positions)]):
    blind = model.forward(both.ids)
assert abs(seeing[0] - seeing[1]).max() > 1 and abs(blind[0] - blind[1]).max() < 1e-4
