"""Train a translation model in a loop of your own, and translate with beam search.

    python examples/translation.py

The loop clips gradients, and keeps the weights with the least held-out loss.
"""

import math

import npformer as npf
from npformer.datasets import phrasebook


def held_out_loss(model, loss, pairs, source, target):
    """Return the mean loss per token of pairs that are not trained on."""
    total = 0.0
    n_tokens = 0
    model.eval()
    for batch in npf.batches(pairs, source, target, rng=0):
        total += batch.n_tokens * loss(model(batch.src, batch.tgt_in), batch.tgt_out)
        n_tokens += batch.n_tokens
    model.train()
    return total / n_tokens


def main(n_pairs=8000, epochs=6):
    train, held_out = phrasebook.split(n_pairs, 200)
    train = [(pair.source, pair.target) for pair in train]
    held_out = [(pair.source, pair.target) for pair in held_out]
    source = npf.Vocabulary.build(source for source, _ in train)
    target = npf.Vocabulary.build(target for _, target in train)

    model = npf.Transformer.tiny(len(source), len(target), rng=0)
    loss = npf.LabelSmoothingLoss(eps=0.1)
    schedule = npf.WarmupSchedule(d_model=64, warmup_steps=400)
    adam = npf.Adam(model.parameters(), schedule)
    least = math.inf
    for epoch in range(1, epochs + 1):
        for batch in npf.batches(train, source, target, tokens=1000, rng=epoch):
            loss(model(batch.src, batch.tgt_in), batch.tgt_out)
            model.backward(loss.backward())
            adam.clip_gradient(1.0)
            adam.step()
            adam.zero_grad()
        now = held_out_loss(model, loss, held_out, source, target)
        print(f"epoch {epoch}   held-out loss {now:.2f}")
        if now < least:
            least = now
            best = model.state_dict()

    model.load_state_dict(best)
    translator = npf.Translator(model.eval(), source, target)
    for sentence, _ in held_out[:4]:
        print(sentence)
        print("   ", *translator.translate(sentence))


if __name__ == "__main__":
    main()
