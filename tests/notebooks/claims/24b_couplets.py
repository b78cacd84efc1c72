# the language
assert len(couplet_language.CHARACTERS) == 37 and len(couplet_language.KINDS) == 7
assert len(test) == 257 and right.shape == (1513, 37)
assert all(couplet_language.is_parallel(pair.source, pair.target) for pair in (*training, *test))
assert list(follow) == [True, False, False, True, False]

# the ceiling
assert abs(ceiling - 0.241) < 0.0005 and abs(best_perplexity - 4.27) < 0.005
assert np.isclose(ceiling, np.mean(1 / n_right))

# the model
assert abs(perplexity / best_perplexity - 1.10) < 0.03 and abs(perplexity - 4.7) < 0.1, perplexity
assert found.tokens.bleu < 6 and sum(found.equal) == 0
assert by_rules["the model"] > 0.99
error = np.sqrt(ceiling * (1 - ceiling) / len(right))
for name in ("the model", "drawn by the rules"):
    assert abs(at_place[name] - ceiling) < 2 * error, (name, at_place[name])
assert 0.255 - ceiling < 2 * error < 0.023
assert at_place["copy the first line"] == by_rules["copy the first line"] == 0
others = "another line's answer"
assert (
    abs(by_rules[others] - 1 / 7) < 0.01 and 0.55 < at_place[others] / at_place["the model"] < 0.75
)

# whole lines
assert round(1 / whole) == 2749

# the lazy answerer
lazy = ["".join(couplet_language.allowed(character)[0] for character in line) for line in sources]
assert abs(couplet_language.share_at_place(lazy, references) - 0.24) < 0.02
assert all(couplet_language.is_parallel(*both) for both in zip(sources, lazy, strict=True))
