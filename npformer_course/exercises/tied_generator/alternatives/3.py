def generator(x, table):
    return (table @ x.reshape(-1, x.shape[-1]).T).T.reshape(*x.shape[:-1], -1)


def generator_backward(dlogits, x, table):
    dtable = 0
    for b in range(len(x)):
        dtable = dtable + (x[b].T @ dlogits[b]).T
    return (table.T @ dlogits.swapaxes(1, 2)).swapaxes(1, 2), dtable


def tied_gradient(dgenerator, src, dsrc, tgt, dtgt):
    ids = np.concatenate([src, tgt], axis=1).reshape(-1)
    dy = np.concatenate([dsrc, dtgt], axis=1).reshape(len(ids), -1)
    rows = [dy[ids == v].sum(0) for v in range(len(dgenerator))]
    return dgenerator + np.array(rows) * math.sqrt(dy.shape[1])
