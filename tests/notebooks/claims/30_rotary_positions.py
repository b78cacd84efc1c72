from helpers import paired_runs

# a query at seven positions
assert np.allclose(turned[6, :2], [1, 0], atol=0.3) and np.allclose(turned[:, 2], 1, atol=0.01)
assert np.allclose(np.linalg.norm(turned, axis=1), 2**0.5)

# the same words 50 positions later
assert np.allclose(grids["turned, at 0"], grids["turned, at 50"], atol=1e-5)
assert abs(grids["added, at 0"] - grids["added, at 50"]).max() > 1

# what either kind is worth, over the three seeds; the first is trained in the notebook
measured = {name: np.mean(values) for name, values in rotary_runs.MEASURED.items()}
assert round(measured["none"] - measured["sinusoids"], 2) == 0.39
assert round(measured["sinusoids"] - measured["rotary"], 2) == 0.34
assert len(paired_runs.vocabulary) == 47
counts = np.bincount(paired_runs.train_ids, minlength=len(paired_runs.vocabulary))
of_frequencies = -np.log((counts[paired_runs.held_out_ids] + 1e-9) / counts.sum()).mean()
assert abs(of_frequencies - 3.05) < 0.01, of_frequencies
for name, loss in losses.items():
    assert abs(loss - rotary_runs.MEASURED[name][0]) < 0.02, (name, loss)

# beyond the texts of training: rotary stays good for some characters, then it is the worst
assert beyond["rotary"][32:36].max() < 1.5, beyond["rotary"][32:36]
late = {name: values[56:].mean() for name, values in beyond.items()}
assert late["none"] < late["sinusoids"] < late["rotary"], late
assert late["none"] - losses["none"] < 0.3, late
assert late["rotary"] > np.log(len(paired_runs.vocabulary)), late
assert np.allclose(full_turn, [6.28, 62.8, 628, 6283], rtol=1e-3)

# one pair is to blame: without its new angles longer texts are read as well as shorter ones
at_end = {name: values[56:].mean() for name, values in held.items()}
assert abs(at_end["no pair held"] - 4.4) < 0.3, at_end
assert at_end["pair 1 held"] < losses["rotary"] + 0.05, at_end
assert min(at_end[f"pair {pair} held"] for pair in (0, 2, 3)) > 4, at_end
assert np.allclose(held["pair 1 held"][:32], beyond["rotary"][:32], atol=1e-3)
assert abs(31 * rotary_runs.RATES[2] - 0.31) < 0.01
