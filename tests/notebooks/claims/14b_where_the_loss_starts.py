# parameters of the paper's base model, in millions
attention = 4 * (512 * 512 + 512)
network = 2 * 512 * 2048 + 2048 + 512
layers = 6 * (attention + network + 2 * 1024) + 6 * (2 * attention + network + 3 * 1024)
of_table = 37_000 * 512
counts = [layers, of_table, layers + of_table, layers + 3 * of_table]
assert np.round(np.array(counts) / 1e6).tolist() == [44, 19, 63, 101], counts
with_all = npf.TransformerConfig.tiny(src_vocab_size=90, tgt_vocab_size=90)
with_none = npf.TransformerConfig.tiny(src_vocab_size=90, tgt_vocab_size=90, tie_embeddings="none")
n_all, n_none = (npf.Transformer(config).n_parameters for config in (with_all, with_none))
assert n_none - n_all == 2 * 90 * 64

# rows of the table
right = set(sentence.batch.tgt_out[0])
assert (norms > 0).all() and norms[tokens.index("jeden")] > 10 * norms[tokens.index("Hund")]
assert "Hund" not in sentence.target_tokens and norms.argmax() in right

# the factor
for d_model, (positions, embedded, row, logit) in sizes.items():
    assert np.isclose(positions, 0.5**0.5) and abs(embedded - 1) < 0.05 and abs(logit - 1) < 0.05
    assert np.isclose(row * d_model**0.5, embedded)
assert round(sizes[512][2], 2) == 0.04 and round(512**0.5, 1) == 22.6

# where the loss starts
for d_model in (64, 512):
    separate, _, _ = start(1, d_model=d_model, tie_embeddings="none")
    assert abs(separate - np.log(V) - 0.5) < 0.15, separate
assert abs(first - 13.3) < 0.1 and abs(cosine - 0.59) < 0.01
assert abs(0.59 * 512**0.5 - starts["post"][0, 2]) < 0.3
for norm in ("post", "pre"):
    logits = starts[norm][:, 2]
    assert np.allclose(logits, starts[norm][:, 1] * 512**0.5, atol=0.05)
    formula = np.log((V - 1) * np.exp(0.5) + np.exp(logits))
    assert abs(starts[norm][:, 0] - formula).max() < 0.4, starts[norm][:, 0] - formula
assert abs(starts["post"][3, 1] - 0.03) < 0.01 and abs(starts["pre"][3, 1] - 0.36) < 0.015
assert abs(starts["post"][3, 0] - np.log(V) - 0.5) < 0.3

# question 1
narrow, cosine_64, _ = start(1, d_model=64)
assert abs(narrow - 7.57) < 0.08 and abs(cosine_64 - 0.58) < 0.01, (narrow, cosine_64)
assert round(np.exp(4.6)) == 99 and abs(1000 * np.exp(0.5) - 1650) < 5
