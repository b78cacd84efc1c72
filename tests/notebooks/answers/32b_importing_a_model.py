ANSWERS = {"w_key = ...  # (64, 64)": "w_key = stacked[64:128].T"}
WRONG = {
    "w_key = ...  # (64, 64)": "w_key = stacked[64:128]",
    "first_differing_layer": (
        "def first_differing_layer(theirs, ours, tolerance):\n"
        "    for n, (a, b) in enumerate(zip(theirs, ours)):\n"
        "        if a.shape != b.shape or not np.allclose(a, b, rtol=0, atol=tolerance):\n"
        "            return n\n"
        "    return len(theirs)\n"
    ),
}
