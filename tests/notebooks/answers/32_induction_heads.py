ANSWERS = {"best = ...  # (7,)": "best = np.log(26 - t)"}
WRONG = {
    "best = ...  # (7,)": "best = np.full(7, np.log(26))",
    "induction_scores": (
        "def induction_scores(weights, ids):\n"
        "    period = np.flatnonzero(ids == ids[0])[1]\n"
        "    return np.diagonal(weights, -period, axis1=1, axis2=2).mean(-1)\n"
    ),
    "logit_lens": (
        "def logit_lens(states, gain, bias, eps, table):\n    return states @ table.T\n"
    ),
}
