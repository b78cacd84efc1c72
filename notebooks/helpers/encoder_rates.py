"""Train five encoders with three learning rates each, and print how well they read.

    cd notebooks && python -m helpers.encoder_rates

It prints the table of notebook 28c, and a row for "near first", as Markdown, in some minutes.
"""

from __future__ import annotations

import argparse

from npformer.tasks import evaluate
from npformer_course import yours

from .classifying import ENCODERS, EPOCHS, Sentences, train
from .encoder_seeds import new_model


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        description="Print the accuracy of five encoders by learning rate, as a Markdown table."
    )
    parser.add_argument("--rates", type=float, nargs="+", default=[0.001, 0.003, 0.01])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0, help="of parameters and batches")
    given = parser.parse_args()

    sentences = Sentences()
    near_first, _ = yours("near_first")
    print("| encoder |", " | ".join(str(rate) for rate in given.rates), "|")
    print("|---|" + "---|" * len(given.rates))
    for name in (*ENCODERS, "near first"):
        shares = []
        for rate in given.rates:
            model = new_model(sentences, name, given.seed, near_first)
            classifier, _ = train(sentences, model, epochs=given.epochs, rate=rate, seed=given.seed)
            shares.append(f"{100 * evaluate(classifier, sentences.test).accuracy:.1f} %")
        print(f"| {name} |", " | ".join(shares), "|", flush=True)


if __name__ == "__main__":
    main()
