import npformer as npf

came_in_pieces = came

# the text and the model
assert len(vocabulary) == 47 and model.n_parameters == 103_104
assert set(held_out) <= set(text)
assert len(language_model.count(text, 5)) == 9105

# the rivals, each better than the one before, and the model between the last two
order = list(rivals.values())
assert order == sorted(order, reverse=True)
assert abs(rivals["knows nothing"] - 3.76) < 0.005
assert rivals["counts after 5"] < loss < 0.97 * rivals["counts after 3"]
from_sixth = nats[:, 5:].mean()
assert abs(from_sixth - 0.72) < 0.04 and from_sixth > rivals["counts after 5"]
assert 0.2 < (loss - from_sixth) / (loss - rivals["counts after 5"]) < 0.35
shipped = npf.load("english_letters")
longer = shipped.model.forward(read)
assert shipped.vocabularies[0].tokens == vocabulary.tokens
nats_of_shipped = [surprise(*pair).mean() for pair in zip(longer, came_in_pieces, strict=True)]
assert abs(np.mean(nats_of_shipped) - 0.52) < 0.01 < rivals["counts after 5"] - 0.52
assert "bus" not in text.lower().split()

# a new model expects what it has just read
new = language_model.new_model(vocabulary)
says = new.forward(read[:20]).argmax(-1)
assert (says == read[:20]).mean() > 0.95
assert losses[0] > 5.2

# words begin with a surprise
begins = np.array([before in " \n" for before in line[:-1]])
assert of_line[begins].mean() > 2 * of_line[~begins].mean()

# real text, where it is on this machine: counts after 5 are worse than after 3
if language_model.shakespeare():
    assert (
        bits["counts after 3"] < bits["counts after 5"] < bits["the model"] < bits["counts after 1"]
    )
    seen = {own[t : t + 6] for t in range(len(own) - 5)}
    unseen = [own_held_out[t : t + 6] not in seen for t in range(len(own_held_out) - 5)]
    assert np.mean(unseen) > 0.15

# GPT-2's sizes, without the table and positions
for layers, features, parameters in ((12, 768, 124e6), (48, 1600, 1558e6)):
    tables = (50257 + 1024) * features
    assert abs(12 * layers * features**2 + tables - parameters) < 0.005 * parameters
assert 3.2 / 5.2 < 0.65
