# what the text says of the models, with npformer's own search
from npformer import datasets

# the tree
assert found[1][0] == ("good", "day", "<eos>") and found[2][0] == ("hello", "there", "<eos>")
assert found[3] == found[4] and found[3][0] == ("how", "do", "you", "do", "<eos>")
assert abs(guten_tag.next_words(())["good"] - 0.40) < 1e-9
assert max(GUTEN_TAG, key=GUTEN_TAG.get) == "how do you do"

# greedy decoding in the translator
assert [text_of(row) for row in ids] == [
    "Ich schalte jeden Tag das neue Radio aus.",
    "Der Hund schläft.",
    "Darf sie die Männer die Männer anrufen?",
]
assert abs(np.exp(log_p[0]) - 0.277) < 0.0005 and abs(0.9**10 - 0.35) < 0.005

assert round(float(np.prod(right) / np.prod(written))) == 18
assert abs(right[4] - 0.30) < 0.005 and abs(written[4] - 0.35) < 0.005
assert right[5:].min() > 0.89 and written[5] < 0.06
of_tokens = token_probabilities(sources[0], text_of(ids[0]))[1]
assert len(of_tokens) == 10
assert round(float(of_tokens.min()), 2) == 0.80 and round(float(of_tokens.max()), 2) == 0.93

# the length penalty
for alpha, best in ((0.272, "thanks"), (0.274, "thank you very much")):
    scores = {}
    for sentence, n in DANKE.items():
        scores[sentence] = np.log(n / 200) / length_penalty(len(sentence.split()) + 1, alpha)
    assert max(scores, key=scores.get) == best
crossing = np.log(np.log(0.28) / np.log(0.315)) / np.log(10 / 7)
assert abs(crossing - 0.2722) < 5e-5
assert abs((5 / 2) ** 0.6 - 1.73) < 0.005 and abs((10 / 7) ** 0.6 - 1.24) < 0.005

# beam search in the translator
for K, right_text in ((1, False), (2, True), (4, True)):
    [text] = translator().translate([MAY_SHE], beam=K)
    assert (text == "Darf sie die Männer anrufen?") == right_text, text

# 500 sentences
[held_out] = datasets.get("phrasebook").load("held_out")
apples = ("I buy forty-six good apples.", "Ich kaufe sechsundvierzig gute Äpfel.")
for beam, n_right in ((1, 498), (4, 499)):
    outputs = translator().translate([pair.source for pair in held_out], beam=beam)
    wrong = [
        (tuple(pair[:2]), out)
        for pair, out in zip(held_out, outputs, strict=True)
        if out != pair.target
    ]
    assert len(held_out) - len(wrong) == n_right
    assert (apples, "Ich kaufe sechsundvierzig Äpfel.") in wrong
for target, expected_p in ((apples[1], 0.0002), ("Ich kaufe sechsundvierzig Äpfel.", 0.42)):
    p = np.prod(token_probabilities(apples[0], target)[1])
    assert abs(p / expected_p - 1) < 0.2
assert round(np.log10(float(sum(37_000**t for t in range(20))))) == 87
