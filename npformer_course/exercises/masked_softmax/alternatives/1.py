def masked_softmax(x, mask):
    return masked_softmax_slowly(x, mask)


def masked_softmax_backward(dy, y):
    return masked_softmax_backward_slowly(dy, y)
