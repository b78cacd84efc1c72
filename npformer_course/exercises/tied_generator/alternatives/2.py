def generator(x, table):
    return np.einsum("btd,vd->btv", x, table)


def generator_backward(dlogits, x, table):
    return np.einsum("btv,vd->btd", dlogits, table), np.einsum("btv,btd->vd", dlogits, x)


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    V, D = dgenerator.shape
    onehot_src, onehot_tgt = np.eye(V)[src], np.eye(V)[tgt]
    read = np.tensordot(onehot_src, dsrc, ((0, 1), (0, 1))) + np.tensordot(
        onehot_tgt, dtgt, ((0, 1), (0, 1))
    )
    return dgenerator + D**0.5 * read
