"""Train a classifier on texts in memory.

It has to learn what "not" does to the next word: python examples/classifier.py
"""

import itertools

import numpy as np

import npformer as npf
from npformer.models import Classifier, ClassifierConfig
from npformer.tasks import Batches, ClassificationBatch, Objective
from npformer.text import Labels

SUBJECTS = ["the room", "our room", "the breakfast", "the staff", "the view"]
VERBS = ["was", "is", "seemed", "looked"]
GOOD = ["lovely", "great", "perfect", "charming"]
BAD = ["awful", "poor", "terrible", "disappointing"]


def make_examples():
    """Return pairs (label, text)."""
    examples = []
    for subject, verb in itertools.product(SUBJECTS, VERBS):
        examples += [("good", f"{subject} {verb} {word}") for word in GOOD]
        examples += [("bad", f"{subject} {verb} {word}") for word in BAD]
        examples += [("bad", f"{subject} {verb} not {word}") for word in GOOD]
        examples += [("good", f"{subject} {verb} not {word}") for word in BAD]
    return examples


def main(epochs=20):
    examples = np.random.default_rng(0).permutation(make_examples()).tolist()
    held_out, train = examples[:50], examples[50:]
    vocabulary = npf.Vocabulary.build(text for _, text in train)
    labels = Labels.build(label for label, _ in train)

    sizes = {"vocab_size": len(vocabulary), "n_classes": len(labels), "max_len": 16}
    sizes |= {"d_model": 32, "d_ff": 64, "n_heads": 2, "n_encoder_layers": 1}
    config = ClassifierConfig(**sizes)
    model = Classifier(config, rng=0)
    ids = [(vocabulary.encode(text), labels.id(label)) for label, text in train]
    collate = ClassificationBatch.collate
    batches = Batches(ids, batch_tokens=256, collate=collate, n_special_tokens=(1,))
    adam = npf.Adam(model.parameters(), learning_rate=0.003)
    for record in npf.Trainer(Objective(model), adam, batches).updates(epochs):
        if record.ends_epoch:
            print(f"epoch {record.epoch:2}   loss {record.loss:.2f}")

    classifier = npf.TextClassifier(model.eval(), vocabulary, labels)
    n_right = 0
    for label, text in held_out:
        n_right += classifier.classify(text)[0].label == label
    print(f"{n_right} of {len(held_out)} held-out texts are right")
    [prediction] = classifier.classify("our room was not awful")
    print(f"our room was not awful: {prediction.label}")


if __name__ == "__main__":
    main()
