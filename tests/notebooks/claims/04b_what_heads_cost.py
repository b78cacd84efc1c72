from npformer.layers import MultiHeadAttention

# the same cost for every number of heads of d_model / h features
formula = 4 * T * d_model**2 + 2 * T**2 * d_model
for n_heads, (narrow, exponentials, full) in costs.items():
    assert narrow == formula and full == n_heads * formula and exponentials == n_heads * T**2

# narrow heads point less sharply
assert found[4] < 0.25 and 0.4 < found[16] < 0.6 and found[64] > 0.95
assert correct[4] < 0.6 and correct[16] > 0.98

# larger queries: sharper, also where they are incorrect
rng = np.random.default_rng(1)
for d_k in (4, 16):
    keys = rng.normal(size=(100, 30, d_k))
    plain, _, _ = ask_for_the_word_before(keys)
    sharp, weight, share = ask_for_the_word_before(keys, 4)
    if d_k == 16:
        assert abs(weight - 0.96) < 0.015, weight
    else:
        missed = sharp.argmax(-1) != before
        assert missed.mean() > 0.5 and sharp.max(-1)[missed].mean() > plain.max(-1)[missed].mean()

# the questions
for h, d in ((8, 64), (16, 32), (16, 64)):
    layer = MultiHeadAttention(512, h, d_k=d, d_v=d, bias=False, rng=rng)
    assert sum(p.data.size for p in layer.parameters()) == 4 * 512 * h * d
