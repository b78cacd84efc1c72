import re

from helpers.language_model import english
from helpers.live_figures.temperature import temperature_numbers

letters = generating.characters
assert len(letters) == 43 and generating.writer.model.n_parameters == 103_104

# what can be turned off, in the text and in the model
learned_text, held_out = english()
turned_off = set(re.findall(r"turns? off (?:\w+ )?(?:new )?(\w+?)s? ", learned_text))
assert {"lamp", "radio", "computer"} <= turned_off, turned_off
assert {letters[i] for i in best[:3]} == set("lcr")
assert np.abs(drawn - p[0]).max() < 0.04

# the two texts
first = write("I turn off the ", 200, most_probable).split("\n")
assert first[2:-1] == [first[2]] * (len(first) - 3) and first[2].startswith(first[-1])
before_woffice = "Does my father see sixty-four years old.\nWe believe that he must drink this wo"
wo = softmax(generating.next_logits(before_woffice))[0]
assert abs(wo[letters.index("m")] - 0.61) < 0.05 and abs(wo[letters.index("f")] - 0.27) < 0.05

# the live figure, and question 1
three = {}
for read in (8, 9, 19):
    at_2, _ = temperature_numbers(logits[read], 2, 43, 1)
    three[read] = np.sort(at_2)[::-1]
assert abs(1 - three[8][:2].sum() - 0.08) < 0.005 and abs(three[9][0] - 0.97) < 0.005
assert abs(1 - three[19][:3].sum() - 0.29) < 0.005
kept_at = [(temperature_numbers(logits[0], t, 43, 0.9)[1] > 0).sum() for t in (0.5, 1, 2)]
assert kept_at == [5, 9, 13], kept_at

# rare characters in held-out text, and how surprising texts are (question 3)
starts = [t for t in range(len(held_out) - 64) if t == 0 or held_out[t - 1] == "\n"]
real = [held_out[t : t + 64] for t in starts[::5]]


def probabilities_in(text):
    ids = [letters.index(character) for character in text]
    p = softmax(generating.logits_of("\n" + text[:-1]))
    return p, -np.log(p[np.arange(len(ids)), ids])


def mean_surprise(texts):
    return np.mean([probabilities_in(text)[1] for text in texts])


of_real = np.concatenate([probabilities_in(text)[0] for text in real])
rare = of_real < 0.01
assert abs(np.median(rare.sum(1)) - 41) < 1.5 and abs(rare.sum(1).mean() - 40) < 0.5
assert abs((of_real * rare).sum(1).mean() - 0.004) < 0.0005
assert abs(1 - 0.996**200 - 0.55) < 0.005
surprises = {"held out": mean_surprise(real)}
for name, choose in {
    "1": any_character,
    "0.5": partial(any_character, temperature=0.5),
    "top-p": without_tail,
}.items():
    surprises[name] = mean_surprise(generating.write_many(choose))
for name, nats in {"held out": 0.49, "1": 0.49, "0.5": 0.40, "top-p": 0.45}.items():
    assert abs(surprises[name] - nats) < 0.02, surprises

# the cuts
assert kept["top-p 0.9"]["I "].sum() == 14 and kept["top-p 0.9"]["I turn o"].sum() == 2
of_i = after["I "][0]
is_in = {character: kept["top-k 5"]["I "][letters.index(character)] for character in "was"}
assert not any(is_in.values())
last_kept = of_i[kept["top-p 0.9"]["I "]].min()
for character in "ei":
    place = letters.index(character)
    assert not kept["top-p 0.9"]["I "][place] and of_i[place] > 0.85 * last_kept

# new sentences, and good ones
assert 0.02 < known < 0.09
every, cut = good["all characters"], good["top-p 0.9"]
assert cut[0] < every[0] < 0.4 and every[-1] < 0.35 and cut[-1] > 0.65
assert (
    min(every[2:4] + cut[2:4]) > 0.85
    and max(abs(a - b) for a, b in zip(every[2:4], cut[2:4], strict=True)) < 0.06
)
