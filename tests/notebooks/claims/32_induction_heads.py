# the losses, and when they fall
assert round(induction.best_first_round(), 2) == 2.90
assert one.later[-1] > 2.4 and two.later[-1] < 0.2
assert max(one.first_round[-1], two.first_round[-1]) < 3.6 and two.first_round[-1] > np.log(26)
dropped = np.array(two.later)
assert dropped[two.updates.index(160)] > 2.3 and dropped[two.updates.index(240)] < 0.6

# a word that both have never seen
assert p[1][13:].min() > 0.9 > 0.5 > p[0].max()

# the heads, and when they appear
assert [round(score, 2) for score in chance] == [0.1, 0.05]
assert previous[0].max() > 0.65 and inducing[1].max() > 0.65
assert np.sort(previous[0])[2] > 0.35 and np.sort(inducing[1])[1:3].min() > 0.35
assert previous[1].max() < 0.12 and inducing[0].max() < 0.12
first_previous, first_induction = (
    two.updates[int(np.argmax(scores.max(1) > 0.3))] for scores in (previous_0, inducing_1)
)
assert abs(first_previous - first_induction) <= 20
fastest = two.updates[int(np.argmin(np.diff(two.later)))]
assert abs(fastest - first_induction) <= 40

# each layer's strongest head is missed most, and the others do a part of its work
assert without[0].argmax() == note and without[1].argmax() == find
assert 0.35 < way < 0.75

# the patch, and that the lens at the last state is the model
assert abs(patched["keys"] - without[0, note]) < 0.1 and without[0, note] > 0.8
assert max(patched["queries"], patched["values"]) < two.later[-1] + 0.02
second = int(np.argsort(previous[0])[-2])
with induction.ablated(model, 0, note), induction.ablated(model, 0, second):
    assert second == 1 and induction.losses(model)[1] > one.later[-1]
text = induction.test_ids[0]
np.testing.assert_allclose(
    logit_lens(induction.states(model, text[:-1]), *parameters)[-1],
    model.forward(text[None, :-1])[0],
    rtol=1e-4,
    atol=1e-4,
)
assert abs(mean_rank[0] - 12.5) < 1.5 and abs(mean_rank[1] - 11) < 1 and mean_rank[2] < 0.1
