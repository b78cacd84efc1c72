"""Name the class of texts, or of standard input line by line. After -- a text may begin with -."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from ..tasks import Prediction, TextClassifier
from ..utils import one_line
from .predict import add_text_arguments, load_predictor, print_predictions


def add_options(parser: Any) -> None:
    """Add the options."""
    add_text_arguments(parser)
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON object per line: text, label, probabilities, unknown",
    )


def run(options: Any) -> int:
    """Print the classes; return 2 if a text cannot be used, else 0."""
    classifier = load_predictor(options.run, "classification")
    predict = partial(_classify, classifier, options)
    return print_predictions(classifier, options.texts, predict)


def _classify(
    classifier: TextClassifier, options: Any, texts: list[str | None], first: int
) -> Iterator[str]:
    """Yield a line for each text, also for one that is None because it cannot be used."""
    usable = [text for text in texts if text is not None]
    remaining = iter(classifier.classify(usable, batch_tokens=options.batch_tokens))
    width = max(len(name) for name in classifier.label.names)
    for text in texts:
        prediction = None
        if text is not None:
            prediction = next(remaining)

        # a text that cannot be used has a line too: lines of input and output correspond
        if options.json:
            yield _as_json(classifier, text, prediction)
        elif prediction is None:
            yield ""
        else:
            yield _as_line(prediction, width)


def _as_line(prediction: Prediction, width: int) -> str:
    """Return the class and its probability, then the other classes."""
    (label, probability), *others = prediction.probabilities.items()
    rest = [f"{name} {share:.2f}" for name, share in others]
    return one_line(f"{label:<{width}}  {probability:.2f}   {'  '.join(rest)}")


def _as_json(classifier: TextClassifier, text: str | None, prediction: Prediction | None) -> str:
    """Return a prediction as a JSON object."""
    answer: dict[str, Any] = {"text": text, "label": None, "probabilities": {}, "unknown": []}
    if text is not None and prediction is not None:
        answer["label"] = prediction.label
        answer["probabilities"] = prediction.probabilities
        answer["unknown"] = classifier.unknown(text)
    return json.dumps(answer)
