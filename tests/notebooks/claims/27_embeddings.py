assert len(names) == 486 and tables.tied.shape == (486, 32)
gender_of = {noun.german.lower(): noun.gender for noun in word_tables.singular_nouns()}
assert {gender_of[word] for word in ("hund", *found["hund"][:3])} == {"m"}
assert found["hund"] == ["vogel", "freund", "computer", "hunde"]
assert {"freitags", "sonntags"} < set(found["montags"]) and set(found["kaffee"]) > {
    "tee",
    "milch",
    "wasser",
}

# the picture
assert abs(share - 0.30) < 0.01 and len(rows) == 47
assert share > 1.3 * word_tables.first_two_components(tables.untrained[rows])["share"]

# gender against kind
chance = [
    np.mean([(all_of == one).sum() - 1 for one in all_of]) / 46 for all_of in (genders, kinds)
]
assert [round(float(one), 2) for one in chance] == [0.34, 0.18], chance
assert shares["output"]["same gender"] > 0.75 > 0.6 > shares["output"]["same kind"]
assert shares["input"]["same kind"] > 0.85
nearest_of_input = np.array([neighbors(tables.input[rows], i, 3) for i in range(47)])
shuffled_shares = []
rng = np.random.default_rng(0)
for _ in range(500):  # genders are exchanged among nouns of one kind
    shuffled = genders.copy()
    for kind in set(kinds):
        shuffled[kinds == kind] = rng.permutation(genders[kinds == kind])
    shuffled_shares.append(np.mean(shuffled[nearest_of_input] == shuffled[:, None]))
assert abs(np.mean(shuffled_shares) - 0.28) < 0.01, np.mean(shuffled_shares)
assert shares["input"]["same gender"] < np.quantile(shuffled_shares, 0.9)
assert (
    shares["input"]["same gender"] < shares["tied"]["same gender"] < shares["output"]["same gender"]
)
assert round(float(np.log(len(names))), 2) == 6.19

# rows that nobody uses
untouched = word_tables.new_model("none").decoder.input_embedding.embedding.table.data
assert np.array_equal(tables.input[unused], untouched[unused])
counts = word_tables.counts_of_words()
rare = (counts > 0) & (counts < 100)
lengths = np.linalg.norm(tables.output, axis=1)
assert lengths[unused].mean() > lengths[rare].mean()
