def generator(x, table):
    return np.einsum("btd,vd->btv", x, table)


def generator_backward(dlogits, x, table):
    dx = np.einsum("btv,vd->btd", dlogits, table)
    dtable = np.einsum("btv,btd->vd", dlogits, x)
    return dx, dtable


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    V, D = dgenerator.shape
    one_hot_src = np.eye(V)[src]
    one_hot_tgt = np.eye(V)[tgt]
    of_src = np.tensordot(one_hot_src, dsrc, ((0, 1), (0, 1)))
    of_tgt = np.tensordot(one_hot_tgt, dtgt, ((0, 1), (0, 1)))
    return dgenerator + D**0.5 * (of_src + of_tgt)
