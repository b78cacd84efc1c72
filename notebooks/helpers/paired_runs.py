"""Small language models on English by characters, trained on the same batches.

Notebooks 30 and 31 compare them.
"""

import numpy as np

from npformer import datasets
from npformer.models import LanguageModelConfig
from npformer.tasks import Objective, TextChunks
from npformer.text import Vocabulary
from npformer.training import Adam, CosineSchedule, Trainer

D = 32  # d_model
H = 4  # heads
LENGTH = 32  # of a text, in characters

train_part, held_out_part = datasets.get("english").load("train", "held_out")
train_text = str(train_part[0])
vocabulary = Vocabulary.build([train_text], tokenizer="character", running=True)
train_ids = vocabulary.encode(train_text)
held_out_ids = np.array(vocabulary.encode(str(held_out_part[0])))


# of a language model with the paper's parts
PAPER = LanguageModelConfig(
    vocab_size=len(vocabulary),
    d_model=D,
    d_ff=4 * D,
    n_heads=H,
    n_decoder_layers=2,
    max_len=2 * LENGTH,
    dropout=0.0,
    norm="pre",
)


def trained(model, seed, n_updates=300, rate=0.005):
    """Train a model on the text, with this learning rate at its peak, and return it."""
    chunks = TextChunks(train_ids, length=LENGTH, batch_tokens=512, seed=seed)
    schedule = CosineSchedule(rate, warmup_steps=30, decay_steps=n_updates, final=rate / 10)
    adam = Adam(model.parameters(), learning_rate=schedule)
    # 10 epochs have more updates than are done
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, chunks).updates(10):
        if record.step == n_updates:
            return model


def losses_by_place(model, length=LENGTH):
    """Return the mean held-out loss at each place of texts of this length, (T,)."""
    n_texts = (len(held_out_ids) - 1) // length  # one more id: the last target
    ids = held_out_ids[: n_texts * length + 1]
    inputs = ids[:-1].reshape(-1, length)  # (B, T)
    targets = ids[1:].reshape(-1, length)
    with model.evaluating():
        logits = model.forward(inputs).astype(float)  # (B, T, V)

    # cross-entropy: log sum exp(logits) - logit of the target; the maximum keeps exp from overflow
    logits -= logits.max(-1, keepdims=True)
    of_targets = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    losses = np.log(np.exp(logits).sum(-1)) - of_targets
    return losses.mean(0)
