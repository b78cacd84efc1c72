def split_heads(x, n_heads):
    return split_heads_slowly(x, n_heads)


def merge_heads(heads):
    return merge_heads_slowly(heads)


def mask_of_heads(mask, n_heads):
    return mask_of_heads_slowly(mask, n_heads)
