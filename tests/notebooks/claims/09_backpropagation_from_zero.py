from helpers.backpropagation import losses_of_descent

# moving, the chain and the graph agree
assert np.allclose(by_moving, [-12, -4, -8, 4], atol=1e-6), by_moving
assert by_itself.tolist() == [-12, -4, -8, 4] and dw == -12
assert round(forward(2.001, c, x, t)["L"], 3) == 3.988
n_parameters = sum(parameter.data.size for parameter in sentence.model.parameters())
assert n_parameters == 286272 and 2 * n_parameters == 572544

# the relu that is dead, and the kink
dead = [Value(number) for number in (2.0, -7.0, 3.0, 7.0)]
model(*dead).backward()
assert [value.grad for value in dead[:3]] == [0, 0, 0] and dead[3].grad == 14
kink = [Value(number) for number in (2.0, -6.0, 3.0, 7.0)]
model(*kink).backward()
assert kink[0].grad == 0
moved = numeric_gradient(loss_of, np.array([2.0, -6.0, 3.0, 7.0]), np.array([1.0]))
assert round(moved[0], 2) == -21, moved

# used twice
u = Value(1.0)
x_of_u = u * Value(3.0)
(x_of_u.square() + x_of_u).backward()
assert x_of_u.grad == 7 and u.grad == 21

# the weight of attention
radio = tokens.index("radio")
weight = weights[radio].number
assert round(weight, 2) == 0.48 and round(slopes[radio], 2) == 0.25
assert np.allclose(slopes, [weight * ((i == radio) - w.number) for i, w in enumerate(weights)])
assert abs(sum(slopes)) < 1e-12

# descent
assert np.allclose(losses_of_descent(model, Value, 0.01), 4 * 0.8 ** (2 * np.arange(9)))
assert np.allclose(losses_of_descent(model, Value, 0.05)[1:], 0)
assert np.allclose(losses_of_descent(model, Value, 0.1), 4)
assert np.allclose(losses_of_descent(model, Value, 0.12)[-3:], 49)
