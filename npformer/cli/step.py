"""Write a page that steps through one update of a trained model, line by line."""

from typing import Any

import numpy as np

from ..decoding import Sampler
from ..decoding.greedy import greedy_decode
from ..runs.folder import RunFolder
from ..tasks import (
    Batch,
    ClassificationBatch,
    LanguageModelBatch,
    Objective,
    Predictor,
    TextClassifier,
    TextGenerator,
    TranslationBatch,
    Translator,
)
from ..training import Adam
from ..utils import InputError, threads_for
from ..visualization import step_through, what_if
from ..visualization.viewer import page_format
from .argument_parser import RUN_HELP, file_name, utf8_text
from .predict import report_unknown
from .standard_streams import print_error

LEARNING_RATE = 1e-3  # of the update that a comparison shows


def add_options(parser: Any) -> None:
    """Add the options."""
    add = parser.add_argument
    add("run", type=file_name, metavar="RUN", help=RUN_HELP)
    add("source", type=utf8_text, metavar="SOURCE", help="the text that the model reads")
    add(
        "target",
        nargs="?",
        type=utf8_text,
        metavar="TARGET",
        help="what follows from it (default: the model's own)",
    )
    add(
        "--html",
        type=file_name,
        metavar="FILE",
        default="step.html",
        help="the page (default step.html)",
    )
    add(
        "--only",
        type=utf8_text,
        metavar="LAYER",
        help="a part of a large model, such as decoder.layers.1",
    )
    changes = parser.add_mutually_exclusive_group()
    changes.add_argument(
        "--what-if",
        nargs=2,
        type=utf8_text,
        metavar=("FILE:LINE", "CODE"),
        help="compare with an update in which a line of npformer is another, such as "
        'layers/layer_norm.py:60 "return rstd * dxhat"',
    )
    changes.add_argument(
        "--bug",
        type=utf8_text,
        metavar="NAME",
        help="compare with an update that has a planted bug, such as "
        '"LayerNorm.backward: no mean term"',
    )


def run(options: Any) -> int:
    """Write the page, print its name, and return the exit status."""
    page_format(options.html)
    predictor = RunFolder.find(options.run).load()
    report_unknown(predictor, options.source)
    with threads_for(predictor.model.config.d_model):
        batch = _make_batch(predictor, options.source, options.target)
        objective = Objective(predictor.model)
        # load returns a model in eval mode, which has no backward
        objective.train()
        record = {"only": options.only, "vocabularies": predictor.vocabularies}
        change = options.bug
        if options.what_if:
            place, code = options.what_if
            change = {place: code}

        if change is None:
            step_through(objective, batch, **record).save(options.html)
        else:
            adam = _adam_with_moments(objective, batch)
            model = f"that of {options.run}"
            if options.run == "phrasebook":
                model = "the translator that ships (phrasebook)"
            history = (
                f"The model is {model} as it was trained. Adam has seen the same batch once "
                "before without moving a weight, so that its moments are not 0."
            )
            comparison = what_if(objective, batch, change, adam, history=history, **record)
            print(f"{comparison}\n{comparison.gradient_check}")
            comparison.save(options.html)
    print(options.html)
    return 0


def _adam_with_moments(objective: Objective, batch: Batch) -> Adam:
    """Return an Adam whose moments are those after an update, while no weight has moved.

    In a first update the moments are 0, and a wrong beta would not show.
    """
    adam = Adam(objective.parameters(), lambda step: 0.0 if step == 1 else LEARNING_RATE)
    objective.zero_grad()
    objective.forward(batch)
    objective.backward()
    adam.step()
    return adam


def _make_batch(predictor: Predictor, source: str, target: str | None) -> Batch:
    """Return a batch of one example; the model completes what is missing."""
    if isinstance(predictor, Translator):
        return _translation_batch(predictor, source, target)

    ids = predictor.encode(source)
    if isinstance(predictor, TextClassifier):
        label = target
        if label is None:
            label = predictor.classify(source)[0].label
        without_bos = ids[1:]
        return ClassificationBatch.collate([(without_bos, predictor.label.id(label))])
    if isinstance(predictor, TextGenerator):
        if target is None:
            following = list(predictor.tokens(ids, 1, Sampler(top_k=1)))
        else:
            report_unknown(predictor, target, "target: ")
            following = predictor.encode(target)
        return LanguageModelBatch.collate([[*ids, *following]])
    raise InputError(
        f"a model of the task {predictor.task} makes no batch here: use npf.step_through in Python"
    )


def _translation_batch(translator: Translator, source: str, target: str | None) -> Batch:
    config = translator.model.config
    src = np.array([translator.encode(source)])  # (1, S)
    if target is None:
        [tgt] = greedy_decode(translator.model, src)
    else:
        tgt = translator.target.encode(target)
        unknown = translator.target.unknown(target)
        if unknown:
            print_error(f"target: unknown, read as <unk>: {', '.join(unknown)}")
    return TranslationBatch.of(
        [translator.source.encode(source)],
        [tgt],
        start_id=config.start_id,
        source_special_tokens=config.source_special_tokens,
    )
