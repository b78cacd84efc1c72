OF_D = 'of_d = ...  # (100,), with train, suspect_model("D") and one_batch'
ANSWERS = {
    "knows_nothing = ...  # one number": "knows_nothing = np.log(14)",
    OF_D: 'of_d = train(suspect_model("D"), [one_batch] * 100)',
    "changes = ...  # (5,), from before and after": "changes = abs(after - before).max(-1)",
    "culprit = ...": "culprit = 0",
}
WRONG = {
    "knows_nothing = ...  # one number": "knows_nothing = 1 / 14",
    "changes = ...  # (5,), from before and after": "changes = (after - before).mean(-1)",
    "culprit = ...": "culprit = 1",
}
