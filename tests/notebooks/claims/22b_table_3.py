by_change = {row.change: row for row in rows}
place = {row.change: i for i, row in enumerate(rows)}
one_head = by_change["h 1, d_k 64, d_v 64"]
means = by_seed.mean(-1)
own = by_seed.std(-1, ddof=1)

# three seeds
assert len(rows) == 20 and base.change == "base"
assert [round(float(limit), 1) for limit in limits.values()] == [4.3, 2.8, 2.3, 2.1, 2.0]
wide = limits[3] * errors
assert np.sum(abs(differences) > wide) == 4
assert abs(one_head.bleu - base.bleu - 5.1) < 1e-6
assert differences[place[one_head.change]] < wide[place[one_head.change]]
assert min(rows, key=lambda row: row.bleu).change == "init per_head"
assert np.isclose((2 / (64 + 8)) / (2 / (64 + 64) / 2), 3.6, atol=0.05)
assert by_change["init glorot_normal"].bleu > base.bleu

# seed by seed
bleu = np.array([row.of_seeds for row in (base, *rows)])
assert np.mean(bleu.argmin(-1) == 1) > 0.8
assert abs(limit - 4.3) < 0.1
shorter = limit * paired < wide
assert shorter.sum() >= 17 and np.sum(abs(means) > limit * paired) == 12
assert np.allclose(by_seed[place[one_head.change]], [5.3, 5.4, 4.7])

# the standard deviations
assert round(own.min(), 1) == 0.4 and round(own.max(), 1) == 3.1
assert abs(np.mean(drawn <= 0.4) - 1 / 15) < 0.005 and sum(own.round(1) <= 0.4) == 2
# the variance of three draws is true^2 times an exponential variable
assert np.exp(-((own.max() / 1.5) ** 2)) > 0.01
narrow_keys = place["d_k 2"]
assert np.allclose(by_seed[narrow_keys], [-9.5, -6.3, -4.1])
assert abs(means[narrow_keys]) < limit * paired[narrow_keys]

# one s
assert by_seed.size == 60 and abs(one_row - 1.7) < 0.05, one_row
of_single = np.sqrt(np.mean([row.deviation**2 for row in (base, *rows)]))
assert abs(2 * of_single * np.sqrt(2 / 3) - 4.6) < 0.05
n_free = 2 * len(rows)
chance = rng.standard_normal(400_000) / np.sqrt(rng.chisquare(n_free, 400_000) / n_free)
of_one = np.quantile(abs(chance), 0.95)
of_any = np.quantile(abs(chance), 1 - 0.05 / 20)
assert abs(of_one - 2.0) < 0.05 and abs(of_any - 3.2) < 0.05, (of_one, of_any)
of_all = of_any * s / np.sqrt(3)
assert abs(of_all - 2.7) < 0.05, of_all
for change in ("dropout 0.0", "h 1, d_k 64, d_v 64", "h 2, d_k 32, d_v 32", "positions learned"):
    assert abs(means[place[change]]) > of_all, change
assert abs(means[place["init glorot_normal"]] - 2.4) < 0.05
assert one_row < 2.4 < of_all
for counts in n_different.values():
    assert abs(counts.mean() - 0.9) < 0.05
assert np.mean(n_different["one base"] == 0) > 0.5
assert five["one base"] > 10 * five["20 bases"]

# against the paper
both = [row for row in rows if row.paper_bleu is not None]
ranked = ([row.bleu for row in both], [row.paper_bleu for row in both])
assert table_3.rank_correlation(*ranked) == 0.54, table_3.rank_correlation(*ranked)
same_sign = [
    row
    for row in both
    if row in clear and (row.bleu - base.bleu) * (row.paper_bleu - base.paper_bleu) > 0
]
assert len(same_sign) >= 6 and one_head in clear and one_head not in same_sign
assert abs(means[place["positions learned"]] + 3) < 0.2
assert abs(means[place["h 16, d_k 4, d_v 4"]] + 3) < 0.6

# how many seeds
assert np.ceil((2.8 * s / delta) ** 2) == np.ceil(seeds) == 27
assert abs(2 * (2.8 * of_single / delta) ** 2 - 200) < 5
of_paper = [abs(row.paper_bleu - base.paper_bleu) for row in both]
assert np.median(of_paper) < 0.45 and len(of_paper) % 2 and abs(20 * 3 * 12 / 24 - 30) < 1e-9
assert max((row for row in both if row.letter == "A"), key=lambda row: row.bleu) is one_head
assert min((row for row in both if row.letter == "A"), key=lambda row: row.paper_bleu) is one_head

# three questions
assert abs(means[place["smoothing 0.2"]] - 2.4) < 0.05
best = rng.normal(size=(20_000, 20)).max(-1).mean()
assert abs(best - 1.9) < 0.05 and abs(of_single - 2.9) < 0.1
assert abs(best * of_single - 5) < 0.5 and abs(best * of_run - 2) < 0.1
