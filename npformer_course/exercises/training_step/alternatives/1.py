def training_step(model, optimizer, ids, max_norm, lr):
    source = ids[:, :-1]
    target = ids[:, 1:]
    loss, dlogits = cross_entropy(model.forward(source), target)
    for p in model.parameters():
        p.grad = np.zeros_like(p.grad)
    model.backward(dlogits)
    g = np.concatenate([p.grad.ravel() for p in model.parameters()])
    factor = min(1.0, max_norm / np.linalg.norm(g))
    for p in model.parameters():
        p.grad = p.grad * factor
    optimizer.step(lr)
    return float(loss)
