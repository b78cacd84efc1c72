from helpers.live_figures.head_off import head_off_numbers
from npformer.evaluation import alignment_baselines, attention_error_rates
from npformer.tasks import TranslationBatch

# the rates are those of the library, and its rivals those of the text
pairs = heads_off.held_out_pairs()
assert np.allclose(rates, attention_error_rates(sentence.translator, pairs))
rivals = alignment_baselines(pairs)
assert [round(rate, 2) for rate in rivals] == [0.46, 0.87, 0.05]
assert rates[1].argmin() == 4 and rates[1, 4] == rates.min() and rates[0].min() > rivals.diagonal
assert rate_of(1, 4, first_row=1) > rivals.random

# same maps, other words; other maps, same words
assert same_maps.max() < 0.5 and as_trained.min() > 0.75
assert flat["encoder 0"] == min(flat.values()) < 1.15 * loss
by_loss = sorted(flat, key=flat.get)
assert by_loss[-1] == "cross 1" and by_loss[-2] == "decoder 0"
assert max(softer.values()) < 1.15 * loss and round(loss, 2) == 0.12
assert round(flat["encoder 0"], 2) == 0.13 and round(flat["encoder 0 and 1"], 2) == 0.27


def log_p():
    """Return the log-probability of each right token of the 250 sentences, and the tokens."""
    found = []
    tokens = []
    for pair in pairs:
        tgt = sentence.translator.target.encode(pair.target)
        one = TranslationBatch.of([sentence.translator.source.encode(pair.source)], [tgt])
        found.append(np.log(heads_off.probabilities_of_right(model, one)))
        tokens += [sentence.translator.target.tokens[i] for i in one.tgt_out[0]]
    return np.concatenate(found), np.array(tokens)


# what the whole encoder's weights were for
before, tokens = log_p()
first, second = sublayers["encoder 0"], sublayers["encoder 1"]
with heads_off.scores_times(first, 0), heads_off.scores_times(second, 0):
    after, _ = log_p()
lost = before - after
assert round(np.mean(abs(lost) < 0.5), 2) == 0.94
for word in ("können", "Arbeitet"):
    assert lost[tokens == word].mean() > 3, word

# heads of the last cross-attention
das = sentence.target_tokens.index("das")
aus = sentence.target_tokens.index("aus")
jeden = sentence.target_tokens.index("jeden")
p = np.array(rows)
assert p[[0, 1, 3], das].round(2).tolist() == [0.93, 0.84, 0.19] and p[3, aus] < 0.005
assert p[[0, 1], jeden].round(2).tolist() == [0.8, 0.9]
looked = {word: place for place, word in enumerate(sentence.source_tokens)}
assert weights[2, das].argmax() == looked["radio"] and weights[2, aus].argmax() == looked["off"]
assert weights[0, das, looked["the"]].round(2) == 0.97
assert without.shape == (6, 4) and without[5].argmax() == 2 and without.argmax() == 22
assert without[:2].max() < 1.3 * loss

# the live figure: head 2 brings "off", head 1 "every day", heads 0 and 3 cover for each other
written = {}
for off in ((), (0,), (1,), (2,), (3,), (0, 3)):
    written[off] = head_off_numbers(sentence, sublayers["cross 1"], list(off))["translation"]
assert written[()] == written[0,] == written[3,] == "Ich schalte jeden Tag das neue Radio aus."
assert written[1,] == "Ich schalte das neue Radio aus."
assert written[2,] == "Ich schalte jeden Tag die neue Radio ein."
assert written[0, 3] == "Ich schaltet jeden Tag das neue Radio aus."
