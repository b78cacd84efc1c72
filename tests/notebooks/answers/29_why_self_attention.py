ANSWERS = {
    "attention = ...  # from n and d": "attention = 2 * n**2 * d",
    "recurrence = ...  # from n and d": "recurrence = 2 * n * d**2",
    "crossing = ...  # one length": "crossing = d",
    "whole = ...  # three numbers: self-attention, LSTM, convolution": (
        "whole = np.array([4 * d + 2 * n_words, 8 * d, 3 * d]) * n_words * d"
    ),
    "layers = ...  # four numbers": "layers = [1, 1, 32, 8]",
}
WRONG = {
    "attention = ...  # from n and d": "attention = n**2 * d",
    "whole = ...  # three numbers: self-attention, LSTM, convolution": (
        "whole = np.array([2 * n_words, 8 * d, 3 * d]) * n_words * d"
    ),
    "layers = ...  # four numbers": "layers = [1, 1, 16, 4]",
}
