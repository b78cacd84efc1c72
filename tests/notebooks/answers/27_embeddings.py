ANSWERS = {
    "coordinates = ...  # (47, 2)": "coordinates = U[:, :2] * S[:2]",
    "share = ...  # one number": "share = (S[:2] ** 2).sum() / (S**2).sum()",
}
WRONG = {
    "cosines": "def cosines(table, row):\n    return table @ table[row]\n",
    "coordinates = ...  # (47, 2)": "coordinates = U[:, :2]",
}
