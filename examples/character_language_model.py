"""Train a character language model on a text of your own, and let it continue a line.

    python examples/character_language_model.py FILE

Without a file it reads the README. The longer the text, the fewer epochs it needs.
"""

import sys
from pathlib import Path

import npformer as npf
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import Objective, TextChunks

README = Path(__file__).parents[1] / "README.md"
LENGTH = 64  # characters that the model sees at once


def main(file=README, epochs=60):
    text = Path(file).read_text(encoding="utf-8")
    vocabulary = npf.Vocabulary.build([text], tokenizer="character", running=True)
    ids = vocabulary.encode(text)

    config = LanguageModelConfig(
        vocab_size=len(vocabulary),
        d_model=64,
        d_ff=256,
        n_heads=4,
        n_decoder_layers=2,
        max_len=4 * LENGTH,
        norm="pre",
    )
    model = LanguageModel(config, rng=0)
    chunks = TextChunks(ids, length=LENGTH, batch_tokens=16 * LENGTH)
    adam = npf.Adam(model.parameters(), learning_rate=0.003)
    trainer = npf.Trainer(
        Objective(model, label_smoothing=0.0), adam, chunks, clip_norm=1.0
    )

    print(f"{len(ids):,} characters, {len(vocabulary)} different ones")
    for record in trainer.updates(epochs):
        if record.ends_epoch and record.epoch % 10 == 0:
            print(f"epoch {record.epoch:3}   loss {record.loss:.2f} nats per character")

    writer = npf.TextGenerator(model.eval(), vocabulary)
    beginning = text[:16]
    rest = writer.generate(beginning, max_new_tokens=100, temperature=0.5, rng=0)
    print(beginning + rest)


if __name__ == "__main__":
    main(*sys.argv[1:2])
