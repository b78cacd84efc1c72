ANSWERS = {}
WRONG = {
    "mean_pool": "def mean_pool(x, mask):\n    return x.mean(1)\n",
    "mean_pool_backward": "def mean_pool_backward(dy, mask):\n    return mask[..., None] * dy[:, None]\n",
}
