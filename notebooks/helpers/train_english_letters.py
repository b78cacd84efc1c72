"""Train the language model of notebook 23 longer, and keep it for notebook 24.

    python -m helpers.train_english_letters

in the folder notebooks writes `npformer/datasets/trained/english_letters`, which
`npf.load("english_letters")` loads. It is the same on each run on one machine, and takes 209
seconds of one core (an AMD EPYC, family 25, model 1, with its other core busy).
"""

import shutil
import time

import npformer as npf
from npformer.runs.folder import SHIPPED
from npformer.tasks import Objective, TextChunks, TextGenerator, evaluate
from npformer.training import Adam, CosineSchedule, Trainer

from .language_model import WINDOW, characters_of, english, new_model

FOLDER = SHIPPED / "english_letters"
N_UPDATES = 5600


def trained(n_updates: int = N_UPDATES) -> TextGenerator:
    """Return a TextGenerator of the English letters.

    It is 23's model, with batches four times as large and a higher rate.
    """
    train, _ = english()
    vocabulary = characters_of(train)
    model = new_model(vocabulary)

    chunks = TextChunks(vocabulary.encode(train), length=WINDOW, batch_tokens=1024)
    schedule = CosineSchedule(
        0.006, warmup_steps=n_updates // 16, decay_steps=n_updates, final=0.0002
    )
    adam = Adam(model.parameters(), learning_rate=schedule)
    for record in Trainer(Objective(model, label_smoothing=0.0), adam, chunks).updates(100):
        if record.step % 400 == 0:
            print(f"update {record.step}: loss {record.loss:.2f}", flush=True)
        if record.step == n_updates:
            break
    return TextGenerator(model.eval(), vocabulary)


if __name__ == "__main__":
    began = time.process_time()
    writer = trained()
    print(f"{time.process_time() - began:.0f} s of the processor")

    _, held_out = english()
    print(evaluate(writer, [held_out]).table())

    shutil.rmtree(FOLDER, ignore_errors=True)
    npf.runs.save(writer, FOLDER)
