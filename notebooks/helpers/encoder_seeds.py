"""Train five encoders with three seeds each, and print how well they read.

    cd notebooks && python -m helpers.encoder_seeds

It prints what `MEASURED` of `helpers.classifying` has, in some minutes.
"""

from __future__ import annotations

import numpy as np

from npformer.tasks import evaluate
from npformer_course import yours

from .classifying import ENCODERS, Sentences, new_classifier, put_bias, train

SEEDS = (0, 1, 2)  # of parameters and batches
EPOCHS = 6  # two more than in the notebook
SLOPE = np.log(20) / 3  # a word three places away has a twentieth of the weight


def main() -> None:
    """Print accuracies and F1 of the class "adjective", a line for each encoder."""
    sentences = Sentences()
    near_first, _ = yours("near_first")
    adjective = sentences.labels.names.index("adjective")
    for name in (*ENCODERS, "near first"):
        accuracies = []
        of_adjectives = []
        for seed in SEEDS:
            if name == "near first":
                plain = new_classifier(sentences, "self-attention", seed)
                model = put_bias(plain, near_first, SLOPE)
            else:
                model = new_classifier(sentences, name, seed)
            classifier, _ = train(sentences, model, epochs=EPOCHS, seed=seed)
            result = evaluate(classifier, sentences.test)
            accuracies.append(round(float(result.accuracy), 3))
            of_adjectives.append(round(float(result.f1()[adjective]), 3))
        print(f"{name!r}: ({tuple(accuracies)}, {tuple(of_adjectives)}),", flush=True)


if __name__ == "__main__":
    main()
