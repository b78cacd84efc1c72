def cross_attention_backward(dy, q, k, v, weights, w_query, w_key, w_value, w_output):
    return cross_attention_backward_slowly(dy, q, k, v, weights, w_query, w_key, w_value, w_output)


def decoder_backward(dy, backwards):
    if not backwards:
        return dy, 0
    below, top = backwards[-1](dy)
    dx, others = decoder_backward(below, backwards[:-1])
    return dx, others + top
