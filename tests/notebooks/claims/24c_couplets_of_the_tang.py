from npformer.tasks import TranslationBatch
from npformer.visualization import sentence_attention

# five answers
assert list(same) == [0, 1, 2, 2, 2]
assert all(lengths) and list(changed) == [True] * 4 + [False]
assert list(kept) == [False, True, True, False, True, True, False]
assert round(873 / 1043, 1) == 0.8 and abs(873 / 1043 - 5 / 6) < 0.01

# the invented language
assert len(tang.kind_of) == 37 and len(tang.KINDS) == 7
kept_by_answers = [
    tang.keeps_rules(*pair) for pair in zip([p.source for p in test], answers, strict=True)
]
assert np.mean(kept_by_answers, axis=0).min() > 0.97

# where it looks
maps = [sentence_attention(translator, p.source) for p in test if tang.repeats(p.source)]
at_first_line = np.mean([one.cross[0].max(0) for one in maps], axis=0)
at_own_line = np.mean([one.decoder[0].max(0) for one in maps], axis=0)
assert at_first_line[[1, 3, 4], [1, 3, 4]].min() > 0.9
assert at_first_line[2, 2] < at_first_line[2].max() + 0.01 and at_first_line[2, 2] < 0.5
assert at_own_line[2, 1] > 0.95
shown = sentence_attention(translator, line).decoder[0].max(0)[2, :3]
assert np.allclose(shown, [1, 1, 0.9], atol=0.05), shown
shown = sentence_attention(translator, line).cross[0].max(0)[0]
assert min(shown[0], shown[2]) > 0.4 > max(shown[1], *shown[3:5])
of_references = []
for pair in test:
    if tang.repeats(pair.source):
        of_references.append(sentence_attention(translator, pair.source, pair.target).decoder[0])
at_bos = np.mean([weights[:, 2, 0] for weights in of_references], axis=0)
assert abs(at_bos.max() - 0.67) < 0.05 and np.sort(at_bos)[-2] < 0.3, at_bos

# what is hidden
plain, unanswered, no_first, no_second, no_bos = found.values()
by_chance, third_by_chance, _ = tang.chances(test)
assert plain[0] < 0.03 and plain[1] > 0.97 and unanswered[1] > 0.95
assert abs(unanswered[0] / by_chance - 0.75) < 0.12
assert max(no_first[0], no_second[0]) < 0.03 and no_first[1] < 0.5 and no_second[1] > 0.9
assert no_first[2] > 0.9 and no_second[2] > 0.9 and no_bos[2] < 0.5
assert no_bos[1] > 0.9 * no_bos[2]
assert abs(third_by_chance - 1 / 3) < 1e-9

# place 1 is needed at the input: with a color there, the first character does not come again
repeating = [pair for pair in test if tang.repeats(pair.source)]
src, tgt = TranslationBatch.collate(tang.encoded(translator.source, repeating)).inputs
for color in tang.KINDS["color"]:
    with_color = tgt.copy()
    with_color[:, 2] = translator.source.ids[color]
    logits = translator.model.forward(src, with_color)[:, 2]
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    assert np.take_along_axis(p, tgt[:, 1:2], -1).mean() < 0.005
