assert len(names) == 486 and tables.tied.shape == (486, 32)
assert found["hund"] == ["vogel", "freund", "computer", "hunde"]
assert {"freitags", "sonntags"} < set(found["montags"]) and set(found["kaffee"]) > {"tee", "milch", "wasser"}

# the picture
assert abs(share - 0.30) < 0.01 and len(rows) == 47
random_share = (sizes[:2] ** 2).sum() / (sizes**2).sum()
assert share > 1.3 * random_share

# gender against kind
chance = [np.mean([(all_of == one).sum() - 1 for one in all_of]) / 46 for all_of in (genders, kinds)]
assert [round(float(one), 2) for one in chance] == [0.34, 0.18], chance
assert shares["output"]["same gender"] > 0.75 > 0.6 > shares["output"]["same kind"]
assert shares["input"]["same kind"] > 0.85 and shares["input"]["same gender"] < chance[0]
assert shares["input"]["same gender"] < shares["tied"]["same gender"] < shares["output"]["same gender"]
assert tables.losses["two tables"] < tables.losses["tied"]

# rows that nobody uses
untouched = word_tables.new_model("none").decoder.input_embedding.embedding.table.data
assert np.array_equal(tables.input[unused], untouched[unused])
counts = word_tables.counts_of_words()
rare = (counts > 0) & (counts < 100)
lengths = np.linalg.norm(tables.output, axis=1)
assert lengths[unused].mean() > lengths[rare].mean()
