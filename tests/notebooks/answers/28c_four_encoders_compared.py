ANSWERS = {}
WRONG = {
    "near_first": "def near_first(scores, slopes):\n"
    "    place = np.arange(scores.shape[-1])\n"
    "    return scores - slopes[:, None, None] * (place[:, None] - place)\n",
    "slope_for": "def slope_for(distance, ratio):\n    return np.log(ratio) / distance\n",
}
