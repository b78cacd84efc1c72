"""Sixty steps of training, side by side."""

import numpy as np
import pytest

import npformer as npf
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam, WarmupSchedule

from .parity import D_FF, D_MODEL, HEADS, SOURCE, TARGET, VOCAB, padded_ids
from .torch_transformer import TorchTransformer
from .weights import copy_weights, torch, transformer

STEPS, WARMUP, FACTOR = 60, 40, 0.2
CONFIG = dict(src_vocab_size=VOCAB, tgt_vocab_size=VOCAB, d_model=D_MODEL, d_ff=D_FF, n_heads=HEADS)
CONFIG |= dict(n_encoder_layers=2, n_decoder_layers=2, dropout=0.0, max_len=8, dtype="float64")


def our_losses(model, batches):
    loss = LabelSmoothingLoss(eps=0.1, pad_id=0)
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule(D_MODEL, WARMUP, factor=FACTOR))
    for src, tgt in batches:
        yield loss.forward(model.forward(src, tgt[:, :-1]), tgt[:, 1:])
        dlogits = loss.backward()
        model.zero_grad()
        model.backward(dlogits)
        adam.step()


def their_losses(model, batches):
    adam = torch.optim.Adam(
        model.parameters(), lr=FACTOR * D_MODEL**-0.5, betas=(0.9, 0.98), eps=1e-9
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        adam, lambda done: min((done + 1) ** -0.5, (done + 1) * WARMUP**-1.5)
    )
    for src, tgt in batches:
        src, tgt = torch.tensor(src), torch.tensor(tgt)
        logits, targets = model(src, tgt[:, :-1]).flatten(0, 1), tgt[:, 1:].flatten()
        loss = torch.nn.functional.cross_entropy(
            logits, targets, ignore_index=0, label_smoothing=0.1
        )
        yield loss
        adam.zero_grad()
        loss.backward()
        adam.step()
        schedule.step()


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_sixty_training_steps(agree, rng, norm):
    config = npf.TransformerConfig(norm=norm, **CONFIG)
    ours, theirs = npf.Transformer(config, rng=rng), TorchTransformer(config)
    copy_weights(transformer(ours, theirs))
    batches = [
        [padded_ids(rng, length, VOCAB, pad_id=0) for length in (SOURCE, TARGET + 1)]
        for _ in range(4)
    ]
    batches = batches * (STEPS // len(batches))
    pairs = zip(our_losses(ours, batches), their_losses(theirs, batches), strict=True)
    history = []
    for step, (our_loss, their_loss) in enumerate(pairs, 1):
        agree(f"{norm}-norm, loss of step {step}", our_loss, their_loss, tolerance=1e-8)
        history.append(our_loss)
    # it learned, so that the weights really moved
    assert np.mean(history[-4:]) < 0.7 * np.mean(history[:4])
