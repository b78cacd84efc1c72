def training_step(model, optimizer, ids, max_norm, lr):
    logits = model.forward(ids)
    loss, dlogits = cross_entropy(logits[:, :-1], ids[:, 1:])
    model.backward(np.concatenate([dlogits, np.zeros_like(dlogits[:, :1])], axis=1))
    squares = 0
    for p in model.parameters():
        squares += np.vdot(p.grad, p.grad)
    if squares > max_norm**2:
        for p in model.parameters():
            p.grad /= np.sqrt(squares) / max_norm
    optimizer.step(lr)
    model.zero_grad()
    return loss
