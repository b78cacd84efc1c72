# case 1: only A starts far from ln V, and falls steeply
assert abs(knows_nothing - 2.64) < 0.005
assert losses["A"][0] > 3 * knows_nothing and max(firsts[1:]) < 1.2 * knows_nothing, firsts
assert losses["A"][20] < 2.2

# case 2: D stops where a model without the source must stop, in training and on one batch
assert abs(of_d[-1] - 0.50) < 0.01 and abs(plateau - 0.49) < 0.005, (of_d[-1], plateau)
assert of_b[-1] < 0.01
assert losses["D"][-20:].mean() > 2 > 1 > losses["B"][-20:].mean()

# case 3: C has the best loss, passes the first two tests, and copies
assert losses["C"][40:].max() < 0.05 and repeated("C", suspect_batch("C", pairs), 100)[-1] < 0.01
assert written["C"] != [3, 2, 1, 0]
assert healthy_changes[:3].max() == 0 < healthy_changes[3:].min()
assert changes[:2].max() == 0 and changes[2] > 1

# case 4: all three tests pass, the training is slow at each rate, and one attention stands out
first = losses["B"][0]
assert repeated("unseen", suspect_batch("B", pairs), 75, n_layers=2)[-1] < 0.02
assert abs(of_rate[0.003][0] / first - 1) < 0.2
assert min(curve[-20:].mean() for curve in of_rate.values()) > healthy_losses[-20:].mean() + 0.2
assert of_rate[0.003][-20:].mean() < min(of_rate[rate][-20:].mean() for rate in (0.001, 0.01))
ratios = {name: found["unseen"][name][0] / found["B"][name][0] for name in names}
assert 4 < ratios["encoder 0 self"] < 5.5 and sorted(ratios.values())[-2] < 1.05, ratios
assert found["unseen"]["encoder 0 self"][1] > 0.8 > 0.5 > found["unseen"]["encoder 1 self"][1]
assert found["B"]["decoder 0 self"][1] > found["B"]["encoder 0 self"][1] + 0.1

# the comparison: the source embedding first, and everything follows from it
assert comparison.first.place.module == "encoder.input_embedding.embedding", comparison.first
assert len(comparison.origins) == 1, comparison.origins
assert 0.7 < len(comparison.differences) / comparison.n_arrays < 0.8
