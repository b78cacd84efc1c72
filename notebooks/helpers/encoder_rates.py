"""Train four encoders with three learning rates each, and print how well they read.

    cd notebooks && python -m helpers.encoder_rates

It prints the table of notebook 28c, as Markdown, in some minutes.
"""

from __future__ import annotations

import argparse

from npformer.tasks import evaluate

from .classifying import ENCODERS, EPOCHS, Sentences, new_classifier, train


def main() -> None:
    """Print the table, row by row."""
    parser = argparse.ArgumentParser(
        description="Print the accuracy of four encoders by learning rate, as a Markdown table."
    )
    parser.add_argument("--rates", type=float, nargs="+", default=[0.001, 0.003, 0.01])
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--seed", type=int, default=0, help="of parameters and batches")
    given = parser.parse_args()

    sentences = Sentences()
    print("| encoder |", " | ".join(str(rate) for rate in given.rates), "|")
    print("|---|" + "---|" * len(given.rates))
    for name in ENCODERS:
        shares = []
        for rate in given.rates:
            model = new_classifier(sentences, name, given.seed)
            classifier, _ = train(sentences, model, epochs=given.epochs, rate=rate, seed=given.seed)
            shares.append(f"{100 * evaluate(classifier, sentences.test).accuracy:.1f} %")
        print(f"| {name} |", " | ".join(shares), "|", flush=True)


if __name__ == "__main__":
    main()
