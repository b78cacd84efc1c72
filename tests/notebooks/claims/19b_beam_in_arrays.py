# a step: the search of the picture
from helpers.phrase_tree import GUTEN_TAG

assert open_ones == ["good", "hello"]
joint = P * next_P
assert words[int(joint.max(0).argmax())] == "there" and abs(joint.max() - 0.2) < 1e-9
assert abs(joint.sum() - (200 - GUTEN_TAG["how do you do"]) / 200) < 1e-9

# the translator
assert [search(beam, 0.6)[0] for beam in (1, 2, 4)] == [
    "Darf sie die Männer die Männer anrufen?",
    "Darf sie die Männer anrufen?",
    "Darf sie die Männer anrufen?",
]
assert long_text.startswith(
    "Darf sie die Männer die Männer anrufen, weil es anrufen Darf? ist? ist? alten Männer"
)
penalty = length_penalty(MAX_LEN, 5)
assert n_tokens == MAX_LEN and abs(long_score * penalty + 171) < 0.5
assert abs(penalty - 149_000) < 500
