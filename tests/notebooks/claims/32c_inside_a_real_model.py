# the sentence is translated right, and the source arrives in the first cross-attention
for name, translator in models.items():
    assert translator.translate(SENTENCE, beam=1) == [TRANSLATION]
    before_cross = [arrives[name][box] for box in ("embedding", "0 self")]
    assert max(before_cross) == 0 < 0.1 < arrives[name]["0 cross"]
    # German begins with another article
    assert translator.translate(OTHER, beam=1)[0].startswith("die ")

# in the embeddings of the encoder only the noun differs, and at the end the article too
for name, values in heard.items():
    the = 1 if models[name].model.config.source_special_tokens == "both" else 0
    assert np.delete(values[0], the + 2).max() == 0 and values[-1, the] > 0.05

# question 3: what the feed-forward networks add, and to what
pre_norm = following.vectors(encoders["nn.Transformer"])
sizes = np.linalg.norm(pre_norm, axis=-1).mean(-1)
added = np.linalg.norm(np.diff(pre_norm, axis=0), axis=-1).mean(-1)
assert np.allclose((added[1], added[3]), (9.2, 7.7), rtol=0.05), added
assert np.allclose((sizes[1], sizes[3]), (9.2, 15.3), rtol=0.05), sizes

# cross-attention: some heads align, best of all in layer 1, and some look at the noun
for name in models:
    things, found_shares, by_chance = measured[name]["cross"].table()
    aligned = found_shares[..., list(things).index("aligned")]
    of_noun = found_shares[..., list(things).index("noun")]
    assert aligned.max() > 0.6 and aligned[1].max() == aligned.max()
    assert of_noun.max() > 0.4 > 2.5 * by_chance[list(things).index("noun")]
    assert 2 <= (of_noun > 0.5).sum() <= 3
    assert aligned.argmax() != of_noun.argmax()

# no head of self-attention looks at the token before
assert largest["encoder"][:-1, 0].max() < 0.5 and largest["decoder"][:-1, 0].max() < 0.5

# the published model, where it is installed
if arabizi is not None:
    _, of_decoder, by_chance = real["decoder"].table()
    assert of_decoder[..., 0].max() > 0.5 > 2 * by_chance[0]
    _, of_cross, _ = real["cross"].table()
    assert of_cross[0, :, 1].max() > 0.7 and of_cross[1:, :, 1].max() < 0.4
    assert of_cross[2, :, 0].max() > 0.7

# question 1
output = following.traced(models["Marian"], SENTENCE, TRANSLATION)["generator"].output
assert output.mean() < -1e6 and abs(np.delete(output, 2, -1).mean() - 0.04) < 0.02
