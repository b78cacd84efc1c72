# five trainings
assert ends["residual"] > 1.4 and max(ends["LayerNorm"], ends["network"]) < 0.7, ends
assert (
    0.05 < curves["whole"][-1] < min(curve[-1] for name, curve in curves.items() if name != "whole")
)
assert abs(ends["residual"] - 1.6) < 0.1 and curves["whole"][-1] < 0.15

# vectors
assert alike["without residual"][2] > 0.99 and max(alike["whole"][:3]) < 0.6
assert alike["whole"][-1] > 0.95 and alike["pre-norm"][-1] < 0.75
assert np.allclose(np.diag(cosines), 1)

# sizes
assert abs(growth - 2.7) < 0.05 and 170_000 < grown[0] * growth**12 < 190_000, growth
assert np.allclose(sizes["whole"][1:], 1, atol=0.01)

# computing
assert abs(by_attention - 0.5).max() < 0.01 and abs(by_network - [0, 1, 1, 0]).max() < 0.1

# dropout
with_dropout, without_dropout = few.values()
assert (
    without_dropout[-1] > without_dropout.min() + 0.02 and with_dropout[-1] < without_dropout.min()
)
assert 0.15 < without_dropout[-1] - with_dropout[-1] < 0.25

# question 2
assert round((4.5 * np.log(10) + np.log(4)) / 5.5, 2) == 2.14
