from helpers.leaks import LIMITS, held_out, largest_where, written_by
from helpers.suspects import pairs_of_digits
from npformer.tasks import TranslationBatch

# no causal mask: the loss falls like a healthy one, and hardly anything is written
assert n_right == 0 and number_right(models["healthy"]) > 90
assert losses["no causal mask"][50] > 0.5 and losses["no causal mask"][-1] < 0.2
sources = [source for source, _ in held_out() if len(source) == 5]
written = written_by(models["no causal mask"], sources)
assert sum(map(bool, written)) <= 0.1 * len(written)

# who notices what
assert largest_where(grids["healthy"], allowed) == 0 < leak
assert grids["healthy"][allowed].min() > 0 and noticed.min() > 0
of_c = grids["no step (C of 18)"]
assert (of_c[~allowed] > 0).sum() == 4 and np.diag(of_c).min() > 0

# padding
assert {batch.src.shape[1] for batch in batches} == {7}
assert losses["padding leaks"][-20:].mean() < losses["healthy"][-20:].mean() + 0.05
assert (shares["healthy"] == shares["healthy"][:, :1]).all()
of_leaks = shares["padding leaks"]
assert of_leaks[:, ::-1].diagonal().min() > 0.7 > of_leaks.mean() + 0.2, of_leaks
healthy_change = change_by_company(*alone_and_together(model_with()))
assert 0 < healthy_change < 1e-6 and change > 0.01

# the table
fails = {
    name: [test for test, limit in LIMITS.items() if found[test] > limit]
    for name, found in results.items()
}
assert not fails["healthy"] and all(found for name, found in fails.items() if name != "healthy"), (
    fails
)
for name in ("C: no step", "no causal mask", "padding leaks"):
    assert set(fails[name]) <= {"target", "padding"}, fails

# question 2: batches without padding hide the bug
pairs = pairs_of_digits(6400)
unpadded = []
for length in range(3, 7):
    of_length = [pair for pair in pairs if len(pair[0]) == length]
    unpadded += [
        TranslationBatch.collate(of_length[i : i + 32]) for i in range(0, len(of_length) - 31, 32)
    ]
order = np.random.default_rng(0).permutation(3 * len(unpadded)) % len(unpadded)
by_length = model_with("padding leaks")
train(by_length, [unpadded[k] for k in order])
without, with_zeros = shares_with_padding(by_length, (0, 8)).mean(0)
assert without > 0.8 and with_zeros < 0.4, (without, with_zeros)
