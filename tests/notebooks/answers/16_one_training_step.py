"""What is written in notebook 16, right and wrong."""

TOKENS = "tokens = ...  # 1: three ids"
N_ZERO = "n_zero = ...  # 3: a number"

ANSWERS = {
    TOKENS: "tokens = [4, 5, 6]",
    "wrong = ...  # 2: an id": "wrong = 5",
    N_ZERO: "n_zero = 14",
    "dead = ...  # 4: three features, counted from 0": "dead = [1, 4, 9]",
    "changes = ...  # 5: two numbers, after minus before": "changes = [0.01, -0.01]",
}
WRONG = {
    "training_step": """\
def training_step(model, optimizer, ids, max_norm, lr):
    logits = model.forward(ids[:, :-1])
    loss, dlogits = cross_entropy(logits, ids[:, 1:])
    model.backward(dlogits)
    norm = math.sqrt(sum((p.grad**2).sum() for p in model.parameters()))
    if norm > max_norm:
        for p in model.parameters():
            p.grad *= max_norm / norm
    optimizer.step(lr)
    return loss
""",
    TOKENS: "tokens = [2, 3, 4, 5, 6]",
    N_ZERO: "n_zero = 12",
}
