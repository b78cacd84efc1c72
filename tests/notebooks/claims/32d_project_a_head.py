# the examples are pairs of the held-out phrasebook, and each is translated rightly
sources = {pair.source for pair in head_project.held_out()}
assert len(examples) == 10 and all(example.source in sources for example in examples)
assert all(head_project.measure(example) > 4 for example in examples)
assert all(head_project.measure(example, source=example.other) < -4 for example in examples)
assert all(len(row) == 2 and row[0] > 0 > row[1] for row in measured)

# both heads look equally much, and one of them matters
assert abs(weights_in_encoder - 0.5) < 0.03 and abs(weights_in_decoder - 0.48) < 0.03
assert abs(without_in_encoder) < 0.5 and without_in_decoder < -6.5
assert abs(table[5, 2] - share) < 0.01 and np.delete(table.ravel(), 22).max() < 0.05

# the weekday: looked at by one, carried by four
assert weight > 0.97 and 0.2 < moved < 0.33 and -2 < change < -0.8
by_head = head_project.table_of(shares_of_x)
assert by_head[5].min() > 0.1 and np.abs(by_head[:5]).max() < 0.05

assert len(head_project.ALL_HEADS) == 24 and head_project.model.config.d_model // 4 == 16

# the mean hides two kinds of sentences
for example, (of_word, of_verb) in zip(examples, looks, strict=True):
    assert (of_word > 0.9) if example.looks_at == "off" else (of_word < 0.01 and of_verb > 0.95)

# what is suggested can be done: the translator gets both sentences right
SUGGESTED = [
    Example("The dog sleeps.", "The cat sleeps.", "", "Der", "Die", "dog"),
    Example("Can the boy sleep?", "Can the boys sleep?", "", "Kann", "Können", "boy"),
    Example(
        "I must help my friend.", "I must visit my friend.", "Ich muss", "meinem", "meinen", ""
    ),
    Example("We buy fresh bread.", "We buy fresh milk.", "Wir kaufen", "frisches", "frische", ""),
    Example("I buy two books.", "I buy nine books.", "Ich kaufe", "zwei", "neun", "two"),
]
for example in SUGGESTED:
    there = head_project.measure(example)
    back = head_project.measure(example, source=example.other)
    assert there > 3 and back < -3, (example, there, back)
    assert (
        abs(
            head_project.table_of(
                [head_project.share_of(h, [example]) for h in head_project.ALL_HEADS]
            )
        ).max()
        > 0.2
    )
