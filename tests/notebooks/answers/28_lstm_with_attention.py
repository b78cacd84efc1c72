ANSWERS = {"f = ...": "f = 0.1 ** (1 / 40)"}
WRONG = {
    "lstm_step": "def lstm_step(x, h_old, c_old, w, u, b):\n"
    "    i, f, g, o = np.split(x @ w + h_old @ u + b, 4, axis=-1)\n"
    "    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)\n"
    "    c = f * c_old + i * g\n"
    "    return o * c, c, np.concatenate([i, f, g, o], axis=-1)\n",
    "lstm_backward": "def lstm_backward(dh, dc, gates, c_old, c, u):\n    return dh\n",
    "f = ...": "f = 0.1 / 40",
}
