ANSWERS = {
    "attention = ...  # from n and d": "attention = 2 * n**2 * d",
    "recurrence = ...  # from n and d": "recurrence = 2 * n * d**2",
    "crossing = ...  # a length": "crossing = d",
    "layers = ...  # four numbers": "layers = [1, 1, 32, 8]",
}
WRONG = {
    "attention = ...  # from n and d": "attention = n**2 * d",
    "crossing = ...  # a length": "crossing = 2 * d",
    "layers = ...  # four numbers": "layers = [1, 1, 16, 4]",
}
