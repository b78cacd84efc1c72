from npformer import layers

# the norms: LayerNorm sees no difference, RMSNorm only that of the mean
assert np.allclose(layer_normed[0, 0], layer_normed[0, 1], atol=1e-4)
assert np.allclose(layer_normed[0, 0], layer_normed[0, 2], atol=1e-4)
assert np.allclose(rms_normed[0, 0], rms_normed[0, 2], atol=1e-4)
assert np.ptp(rms_normed[0, 1]) < 0.1 < np.ptp(rms_normed[0, 0])

# the gate multiplies, and a ReLU network doubles
assert np.allclose(y[..., 0], x[..., 0] * x[..., 1]) and np.allclose(y_of_2x, 4 * y)
assert np.allclose(relu_of_2x, 2 * relu)
assert np.allclose(dx, dy * x[..., ::-1])
b = np.linspace(-10, 0, 10_001)
left = b * silu(b)
assert left.max().round(2) == 0.48 and b[left.argmax()].round(1) == -2.2

# four heads, two groups: as npformer's
rng = np.random.default_rng(0)
q, k, v = (
    rng.normal(size=(1, 4, 3, 2)),
    rng.normal(size=(1, 2, 5, 2)),
    rng.normal(size=(1, 2, 5, 2)),
)
expected_y = layers.GroupedAttention(2).forward(q, k, v)
assert np.allclose(grouped_attention(q, k, v)[0], expected_y)
assert in_gib == {32: 4.0, 8: 1.0, 1: 0.125}

# the experiment
means = {name: values.mean() for name, values in differences.items()}
errors = {name: values.std(ddof=1) / 5**0.5 for name, values in differences.items()}
assert (differences["SwiGLU"] < 0).all() and abs(means["SwiGLU"] + 0.128) < 0.001
assert abs(means["SwiGLU"] / errors["SwiGLU"] + 8.5) < 0.5
for name in ("RMSNorm", "G = 2", "G = 1", "G = 1, wider"):
    assert abs(means[name]) < 2 * errors[name], name
of_five = np.random.default_rng(0).normal(size=(200_000, 5))
t_values = of_five.mean(-1) / (of_five.std(-1, ddof=1) / 5**0.5)
assert abs(np.quantile(abs(t_values), 0.95) - since_2017.N_ERRORS) < 0.05
assert differences["RMSNorm"][0] > 0.05 and differences["RMSNorm"][2] < 0
sizes = {name: since_2017.model_of(name, 0).n_parameters for name in since_2017.VARIANTS}
assert (
    sizes["G = 1"]
    < sizes["G = 2"]
    < sizes["SwiGLU"]
    < sizes["G = 1, wider"]
    < 1.01 * sizes["paper"]
)
