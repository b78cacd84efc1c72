"""What is written in notebook 19b, wrong; the right functions are the exercise's."""

ANSWERS = {}
WRONG = {
    "finished_and_open": (
        "def finished_and_open(tokens, eos, beam):\n"
        "    return tokens == eos, np.flatnonzero(tokens != eos)[:beam]\n"
    ),
    "is_over": (
        "def is_over(best_score, open_log_p, max_len, alpha):\n    return best_score >= open_log_p\n"
    ),
}
