from helpers.live_figures.ravine import ravine_paths
from npformer.training import WarmupSchedule

# the ravine
at_limit, _ = ravine_paths(descent_rate=0.02, adam_rate=0.2, beta1=0.9)
slowly, _ = ravine_paths(descent_rate=0.01, adam_rate=0.2, beta1=0.9)
assert np.allclose(abs(at_limit[:, 1]), 1) and round(slowly[-1, 0], 2) == -2.19

# gradients of the translator
assert sum(g.size for g in gradients) == 286_272 and len(gradients) == 85
every = np.abs(np.concatenate([g.ravel() for g in gradients]))
every = every[every > 0]
assert 0.075 < every.max() < 0.085
assert 250 < every.max() / np.median(every) < 350
assert 50_000 < every.max() / np.percentile(every, 1) < 70_000
names = [name for name, _ in sentence.model.named_parameters()]
of_keys = [i for i, name in enumerate(names) if name.endswith("w_key.bias")]
assert len(of_keys) == 6
assert max(abs(gradients[i]).max() for i in of_keys) < 1e-8

# three numbers
assert np.allclose(thetas[:2], -0.1 * np.arange(7)) and np.isclose(thetas[2, 1], -0.1)
assert (abs(np.diff(thetas[2, 1:])) < 0.035).all()

# the ravine of another steepness, and Adam's two ways
assert np.allclose(across[100], across[10_000])
_, path = ravine_paths(descent_rate=0.01, adam_rate=0.2, beta1=0.9)
assert np.allclose(across[100], path[:, 1])
_, without_momentum = ravine_paths(descent_rate=0.01, adam_rate=0.2, beta1=0)
assert without_momentum[:, 0].max() < 0.2 < path[:, 0].max()

# the first update of the translator
step_sizes = [abs(steps[i]) for i in range(85) if i not in of_keys]
sizes = np.concatenate([size.ravel() for size in step_sizes])
assert np.percentile(sizes[sizes > 0], 0.1) > 0.99 * lr and sizes.max() < 1.001 * lr
bias_steps = np.concatenate([abs(steps[i]) for i in of_keys])
# processors round differently
assert 5e-5 < np.median(bias_steps) < 2e-4, np.median(bias_steps)
assert state["t"] == 1

# warm-up
paper = WarmupSchedule(512, 4000)
assert np.allclose(rates["paper: 512 features, 4,000 steps"], [paper(int(t)) for t in updates])
schedule = WarmupSchedule.with_peak(0.01, 32, 50)
for step in (1, 20, 50, 160):
    assert np.isclose(with_warmup(step), schedule(step))

# the trainings
end, end_without = (run[0][-20:].mean() for run in runs.values())
assert abs(end - 1.15) < 0.2 and abs(end_without - 2.38) < 0.2, (end, end_without)
assert abs(end_without - guessing_by_frequency()) < 0.2
assert runs["without"][1][3] < 0.005 < 0.1 < runs["with warm-up"][1][-1]

# question 2
for t, factor_02, factor_001 in ((1, 0.71, 3.16), (10, 1.52, 6.53)):
    for beta2, expected_factor in ((0.98, factor_02), (0.999, factor_001)):
        assert abs((1 - 0.9**t) / (1 - beta2**t) ** 0.5 - expected_factor) < 0.006
