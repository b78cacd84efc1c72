by_change = {row.change: row for row in rows}
one_head = by_change["h 1, d_k 64, d_v 64"]
four_layers = by_change["N 4+4"]

# three seeds
assert len(rows) == 20 and base.change == "base"
assert [round(float(limit), 1) for limit in limits.values()] == [4.3, 2.8, 2.3, 2.1, 2.0]
at_first = [
    row
    for row, difference, width in zip(rows, differences, widths, strict=True)
    if abs(difference) > width
]
assert one_head in at_first
assert four_layers not in at_first and by_change["h 4, d_k 16, d_v 16"] not in at_first
assert min(rows, key=lambda row: row.bleu).change == "init per_head"
assert np.isclose((2 / (64 + 8)) / (2 / (64 + 64) / 2), 3.6, atol=0.05)

# the standard deviations
every = [row.deviation for row in (base, *rows)]
assert min(every) == 0.4 and max(every) == 5.0
assert abs(np.mean(drawn <= 0.4) - 1 / 15) < 0.005 and sum(s <= 0.4 for s in every) == 2
# the variance of three draws is true^2 times an exponential variable
assert sorted(every)[-2] == 3.2 and np.exp(-((3.2 / 1.5) ** 2)) > 0.01
assert abs(np.exp((5.0 / 1.5) ** 2) / 70_000 - 1) < 0.1
assert abs(by_change["init glorot_normal"].bleu - base.bleu - 0.4) < 1e-6

# one s
assert len(ordinary) * 3 == 60 and abs(s - 1.7) < 0.05
assert abs(one_row - 2.7) < 0.05, one_row
n_free = 2 * len(ordinary)
chance = rng.standard_normal(400_000) / np.sqrt(rng.chisquare(n_free, 400_000) / n_free)
of_one = np.quantile(abs(chance), 0.95)
of_any = np.quantile(abs(chance), 1 - 0.05 / 20)
assert abs(of_one - 2.0) < 0.05 and abs(of_any - 3.2) < 0.05, (of_one, of_any)
assert abs(of_any * s * np.sqrt(2 / 3) - 4.4) < 0.05
of_one_head = by_change["h 1, d_k 64, d_v 64"].bleu - base.bleu
assert one_row < of_one_head < of_any * s * np.sqrt(2 / 3)
assert one_head in clear and abs(one_head.bleu - base.bleu - 4.0) < 1e-6
for counts in n_different.values():
    assert abs(counts.mean() - 0.9) < 0.05
assert np.mean(n_different["one base"] == 0) > 0.5
assert five["one base"] > 10 * five["20 bases"]

# against the paper
both = [row for row in rows if row.paper_bleu is not None]
ranked = ([row.bleu for row in both], [row.paper_bleu for row in both])
assert table_3.rank_correlation(*ranked) == 0.56
same_sign = [
    row
    for row in both
    if row in clear and (row.bleu - base.bleu) * (row.paper_bleu - base.paper_bleu) > 0
]
other_sign = [
    row
    for row in both
    if row in clear and (row.bleu - base.bleu) * (row.paper_bleu - base.paper_bleu) < 0
]
assert len(same_sign) >= 6 and len(other_sign) <= 2 and one_head in other_sign

# how many seeds
for delta, n in ((0.8, 68), (4.0, 3)):
    assert np.ceil(2 * (2.8 * s / delta) ** 2) == n, (delta, 2 * (2.8 * s / delta) ** 2)
assert abs(seeds - 68) < 0.6
of_paper = [abs(row.paper_bleu - base.paper_bleu) for row in both]
assert np.median(of_paper) < 0.45 and len(of_paper) % 2 and abs(20 * 3 * 12 / 24 - 30) < 1e-9
assert max((row for row in both if row.letter == "A"), key=lambda row: row.bleu) is one_head
assert min((row for row in both if row.letter == "A"), key=lambda row: row.paper_bleu) is one_head
found = {}
for n_seeds in (3, 4):
    chance_limit = np.quantile(abs(table_3.t_values(n_seeds, rng)), 0.95)
    found[n_seeds] = np.mean(abs(table_3.t_values(n_seeds, rng, shift=4.0 / s)) > chance_limit)
assert found[3] < 0.8 < found[4], found
best = rng.normal(size=(20_000, 20)).max(-1).mean()
assert abs(best - 1.9) < 0.05 and abs(s * best - 3) < 0.15
