from npformer.evaluation import bleu_and_chrf

# the file has what the translators write
assert np.abs(all_a[:500] - a).max() < 0.01
assert np.abs(all_b[:500] - b).max() < 0.01
assert abs(a.mean() - 97.0) < 0.05 and abs(b.mean() - 96.3) < 0.05
assert np.mean(a > 99.99) > 0.8 and min(a) < 5
assert abs(a.std() - 11.1) < 0.05

# one score
assert abs(error - 0.5) < 0.01
assert abs(means.std() / error - 1) < 0.2, means.std()
assert abs(np.mean(np.abs(means - all_a.mean()) < error) - 2 / 3) < 0.1

# the interval
assert abs(truth - 0.68) < 0.005
low, high = bootstrap_interval(a, b, draws, 0.95)
assert -0.2 < low < -0.05 and 1.35 < high < 1.5, (low, high)
n_missing = sum(not low <= truth <= high for low, high in intervals)
assert 45 <= n_above <= 55 and n_missing == 7, (n_above, n_missing)
n_containing = 0
for test in tests[100:500]:
    low, high = bootstrap_interval(all_a[test], all_b[test], draws, 0.95)
    n_containing += low <= truth <= high
assert abs(n_containing / 400 - 0.94) < 0.03, n_containing

# the same sentences
assert abs(apart - 0.70) < 0.005 and abs(same.std() - 0.39) < 0.005
assert abs(on_others.std() - 0.68) < 0.005
assert 2.8 < apart**2 / ((a - b).var() / 500) < 3.3
assert np.sum(np.abs(a - b) < 1e-9) == 441

# how many
assert abs(needed - 1136) < 5
at_1000, at_1500 = shares[error_bars.EVERY_N.index(1000)], shares[error_bars.EVERY_N.index(1500)]
assert at_1000 < 0.83 and at_1500 > 0.8
assert abs((2.8 * s / 0.5) ** 2 - 2100) < 50
assert abs(2.8**2 * (all_a.var() + all_b.var()) / 0.5**2 - 5600) < 50

# BLEU
whole_test = np.arange(500)[None]
bleus = [error_bars.drawn_bleu(texts, references, whole_test)[0] for texts in (texts_a, texts_b)]
assert abs(bleus[0] - 94.7) < 0.1 and abs(bleus[1] - 92.7) < 0.1, bleus
low, high = np.quantile(bleu_a - bleu_b, [0.025, 0.975])
assert 0.3 < low < 0.8 and 3.3 < high < 3.9, (low, high)
assert abs((bleu_a - bleu_b).std() * np.sqrt(500 / 3000) - 0.3) < 0.05
assert "." in texts_a
words = [" ".join(error_bars.words_of(text)) for text in (*texts_a, *references)]
library = bleu_and_chrf(words[:500], words[500:], tokenize="none").bleu
assert abs(library - bleus[0]) < 1e-6
