"""Train five encoders with three seeds each, each at its best rate; print how well they read.

    cd notebooks && python -m helpers.encoder_seeds

It prints what `MEASURED` of `helpers.classifying` has, in some minutes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from npformer.models import Classifier
from npformer.tasks import evaluate
from npformer_course import yours

from .classifying import Sentences, new_classifier, put_bias, train

SEEDS = (0, 1, 2)  # of parameters and batches
EPOCHS = 6  # two more than in the notebook
RATES = {  # the best of three, as printed by encoder_rates.py
    "self-attention": 0.003,
    "neighbors only": 0.003,
    "LSTM": 0.01,
    "convolution": 0.01,
    "near first": 0.003,
}
SLOPE = np.log(20) / 3  # a word three places away has a twentieth of the weight


def new_model(sentences: Sentences, name: str, seed: int, near_first: Callable) -> Classifier:
    """Return an untrained classifier with one of ENCODERS, or with "near first"."""
    if name != "near first":
        return new_classifier(sentences, name, seed)

    plain = new_classifier(sentences, "self-attention", seed)
    return put_bias(plain, near_first, SLOPE)


def main() -> None:
    """Print accuracies and F1 of the class "adjective", a line for each encoder."""
    sentences = Sentences()
    near_first, _ = yours("near_first")
    adjective = sentences.labels.names.index("adjective")
    for name in RATES:
        accuracies = []
        of_adjectives = []
        for seed in SEEDS:
            model = new_model(sentences, name, seed, near_first)
            rate = RATES[name]
            classifier, _ = train(sentences, model, epochs=EPOCHS, rate=rate, seed=seed)
            result = evaluate(classifier, sentences.test)
            accuracies.append(round(float(result.accuracy), 3))
            of_adjectives.append(round(float(result.f1()[adjective]), 3))
        print(f"{name!r}: ({tuple(accuracies)}, {tuple(of_adjectives)}),", flush=True)


if __name__ == "__main__":
    main()
