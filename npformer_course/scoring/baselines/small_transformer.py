"""A small language model of npformer, trained until its time is over."""

import time

import numpy as np

from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import Objective, TextChunks
from npformer.training import Adam, CosineSchedule, Trainer

LENGTH = 64  # characters that the model sees
UPDATES = 1700  # after how many the learning rate is lowest: as many as there is time for


def train(text, seconds):
    """Train for this processor time, and return a function that predicts the next character."""
    end = time.process_time() + seconds - 1  # a second is left for the last update
    characters = sorted(set(text))
    ids = {character: i for i, character in enumerate(characters, 1)}  # 0 is padding

    config = LanguageModelConfig(
        vocab_size=len(characters) + 1,
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_decoder_layers=2,
        dropout=0.0,
        norm="pre",
        max_len=LENGTH,
    )
    model = LanguageModel(config, rng=0)
    chunks = TextChunks([ids[character] for character in text], length=LENGTH, batch_tokens=1024)
    schedule = CosineSchedule(0.004, warmup_steps=100, decay_steps=UPDATES, final=0.0004)
    adam = Adam(model.parameters(), learning_rate=schedule)
    trainer = Trainer(Objective(model, label_smoothing=0.0), adam, chunks)
    for _update in trainer.updates(1000):  # more epochs than there is time for
        if time.process_time() > end:
            break
    model.eval()

    def predict(beginnings):
        """Return the probabilities (n, V) of the next character of n beginnings."""
        contexts = []
        for beginning in beginnings:
            contexts.append([ids[character] for character in beginning[-LENGTH:]])
        logits = model.forward(np.array(contexts))[:, -1, 1:].astype(float)  # without padding
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        return powers / powers.sum(-1, keepdims=True)

    return predict
