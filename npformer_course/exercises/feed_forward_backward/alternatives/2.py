def feed_forward_backward(dy, x, hidden, w1, w2):
    back = np.sign(hidden) * np.einsum("btd,fd->btf", dy, w2)
    return (
        np.einsum("btf,df->btd", back, w1),
        np.einsum("btd,btf->df", x, back),
        back.sum((0, 1)),
        np.einsum("btf,btd->fd", hidden, dy),
        dy.sum((0, 1)),
    )
