def generator(x, table):
    return generator_slowly(x, table)


def generator_backward(dlogits, x, table):
    return generator_backward_slowly(dlogits, x, table)


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    return tied_gradient_slowly(dgenerator, src, dsrc, tgt, dtgt)
