ANSWERS = {"precision = ...  # (7,), from bag": "precision = np.diag(bag) / bag.sum(0)"}
WRONG = {
    "precision = ...  # (7,), from bag": "precision = np.diag(bag) / bag.sum(1)",
    "mean_pool": "def mean_pool(x, mask):\n    return x.mean(1)\n",
    "mean_pool_backward": "def mean_pool_backward(dy, mask):\n    return mask[..., None] * dy[:, None]\n",
}
