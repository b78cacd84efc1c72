# a step: the search of the picture
from helpers.phrase_tree import GUTEN_TAG
from helpers.shipped_search import token_probabilities

assert open_ones == ["good", "hello"]
assert tokens[0] == "there" and parents[0] == 1
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
assert abs(long_score + 0.001) < 5e-4

_, p_right = token_probabilities(MAY_SHE, "Darf sie die Männer anrufen?")
right_log_p = np.log(p_right).sum()
assert len(p_right) == 7 and abs(right_log_p + 1.8) < 0.05
assert abs(right_log_p / length_penalty(7, 5) + 0.057) < 5e-4

# question 2: four equal rows at the start
model, state = reads_tokens(MAY_SHE, 4)
open_log_p = np.zeros(4)
read = np.full(4, BOS)
for _ in range(9):
    next_log_p, state = model(read, state)
    open_log_p, parents, read = best_continuations(open_log_p, next_log_p, 4)
    state = state[parents]
    assert len(set(read)) == 1
written_ids = [*state[0][1:9], read[0]]
assert text_of(written_ids) == "Darf sie die Männer die Männer anrufen?" and read[0] == EOS
