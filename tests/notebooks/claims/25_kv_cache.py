# two layers, and a token that is appended
causal = [keys_of_layer_1(x[:length], np.tri(length)) for length in (3, 4)]
everywhere = [keys_of_layer_1(x[:length], np.ones((length, length))) for length in (3, 4)]
assert np.allclose(causal[0], causal[1][:3])
assert (abs(everywhere[0] - everywhere[1][:3]).max(1) > 0.1).all()

# the step in the translator: only the words of the prompt that looked ahead differ
masked, prompt, unmasked = apart.values()
assert max(*masked, *prompt) < 1e-5, apart
assert min(unmasked[:5]) > 0.1 and max(unmasked[5:]) < 1e-5, apart
_, logits = cached_decoding.read_with_cache(
    sentence, [1] * 10, self_attention_step, new_positions_mask
)
whole = sentence.model.forward(sentence.batch.src, sentence.batch.tgt_in)[0]
assert np.allclose(logits, whole[-1], atol=1e-4)
assert list(next_words.values()) == ["jeden", "das"], next_words

# counts: 8, 4 and 2, and the formula against what really passes through the layers
assert [round(made[199] / made[99]) for made in (without, with_cache, step)] == [8, 4, 2]
counted = cached_decoding.multiplications_counted(sentence, cached=True)
tokens = np.arange(1, 11)
assert np.array_equal(
    counted, 2 * cached_decoding.multiplications_with_cache(64, 256, 10, tokens)
), counted
counted = cached_decoding.multiplications_counted(sentence, cached=False)
of_table = 6 * tokens * 64**2 + 2 * tokens**2 * 64 + 2 * tokens * 10 * 64 + 2 * tokens * 64 * 256
assert np.array_equal(counted, 2 * (of_table + 2 * 10 * 64**2)), counted

# the rise of the lower line, and what costs most in a long text
assert round(100 * (cached[-1] / cached[0] - 1), 1) == 5.5
assert 2e5 * D / cached_decoding.multiplications_with_cache(D, F, S, 100_000) > 0.95
# with the logits of 37,000 tokens: the whole decoder of the base model
of_logits = D * 37_000
assert round((6 * plain[-1] + of_logits) / (6 * cached[-1] + of_logits)) == 115
# the small decoder whose time is measured
layer = dict(D=64, F=256, S=12, t=t)
of_logits = 200 * 64 * 800
few = 2 * cached_decoding.multiplications_with_cache(**layer).sum() + of_logits
many = 6 * t * 64**2 + 2 * t**2 * 64 + 2 * 12 * 64**2 + 2 * t * 12 * 64 + 2 * t * 64 * 256
assert round((2 * many.sum() + of_logits) / few) == 80

# memory
per_token = 4 * 2 * 512 * 6
assert per_token == bytes_per_token and round(65e6 * 4 / per_token, -2) == 10_600
assert round(250 * per_token / 1e6, 1) == 6.1
assert round(64 * (4 * 200 + 50) * per_token / 1e9, 1) == 1.3

# question 2, with four tokens of which the second is replaced
changed = np.concatenate([x[:1], [[2.0, -1.0]], x[2:]])
stays = np.isclose(keys_of_layer_1(x, np.tri(4)), keys_of_layer_1(changed, np.tri(4))).all(1)
assert stays.tolist() == [True, False, False, False]
