import re

from npformer.datasets import phrasebook

german = translator.translate(["I turn off the new radio every day."])
assert german == ["Ich schalte jeden Tag das neue Radio aus."], german
assert translator.unknown(with_phone) == ["phone"]
for noun, form in (("radio", "das neue"), ("lamp", "die neue"), ("computer", "den neuen")):
    [german] = translator.translate([f"I turn off the new {noun} every day."])
    assert f" {form} " in german, german

# unknown words are guesses, and the same ones
words, ids, probabilities = probabilities_of(translator, "I turn off the new phone every day.")
sure = dict(zip(words, pick(probabilities, ids)[0], strict=True))
assert round(sure["Computer"], 2) == 0.11 and 0.6 < sure["das"] < 0.7, sure
for other in ("robot", "zebra"):
    same = probabilities_of(translator, f"I turn off the new {other} every day.")
    assert np.array_equal(same[2], probabilities), other
words, ids, probabilities = probabilities_of(translator, "I turn off the new radio every day.")
assert pick(probabilities, ids).min() > 0.75 and pick(probabilities, ids).max() < 0.95
assert {"chased", "slow"} < set(translator.unknown("The dog chased the cat: it was slow."))
assert sum(parameter.data.size for parameter in translator.model.parameters()) == 286_272

# what the encoder brings to the other words
others = [0, 1, 2, 3, 4, 6, 7, 8, 9]
assert not apart_before[others].any() and apart_after[others].min() > 0
assert set(np.argsort(apart_after[others])[-2:]) == {3, 4}, apart_after  # "the" and "new"

# the map
most = [read[place] for place in weights.argmax(1)]
assert most == ["I", "I", "every", "day", "the", "new", "radio", "<eos>", "<eos>", "<eos>"], most
assert read[np.argsort(weights[written.index("schalte")])[-2]] == "turn"
assert round(weights[written.index("schalte"), read.index("off")], 2) == 0.03
of_heads = looked.cross[-1][:, written.index("schalte")]
assert (of_heads[:, read.index("I")] > 0.9).sum() == 2, of_heads
assert (of_heads[:, read.index("turn")] > 0.9).sum() == 1, of_heads
assert read[np.argsort(weights[written.index("das")])[-2]] == "radio"
assert {read[j] for j in np.argsort(weights[written.index("aus")])[-3:]} == {"off", "turn", "<eos>"}

# the hint
two_verbs = "I turn off the radio because the old man opens the window."
assert not translator.unknown(two_verbs)
right = "Ich schalte das Radio aus, weil der alte Mann das Fenster aufmacht."
assert translator.translate(two_verbs) != [right]

# question 1
english = set()
turning = []
meeting = set()
for line in phrasebook.split()[0]:
    in_line = set(re.findall("[a-z]+", line.source.lower()))
    if in_line & {"turn", "turns"}:
        turning.append(in_line)
    english |= in_line
    meeting |= {(one, other) for one in in_line for other in in_line}
n_pairs = len(english) ** 2
assert len(english) == 253 and round(n_pairs, -3) == 64_000
assert 0.45 < 1 - len(meeting) / n_pairs < 0.5, len(meeting) / n_pairs

# "turn" is never without "off" or "on"
assert len(turning) > 1000 and all(words & {"off", "on"} for words in turning)
