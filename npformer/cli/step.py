"""Write a page that steps through one update of a trained model, line by line."""

from ..decoding import Sampler
from ..decoding.greedy import greedy_decode
from ..runs.folder import RunFolder
from ..tasks import (
    ClassificationBatch,
    LanguageModelBatch,
    Objective,
    Predictor,
    TextClassifier,
    TextGenerator,
    TranslationBatch,
    Translator,
)
from ..utils import InputError, threads_for
from ..visualization import step_through
from ..visualization.viewer import page_format
from .argument_parser import file_name, utf8_text
from .standard_streams import print_error


def add_options(parser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("run", type=file_name, metavar="RUN", help="a run folder of `npformer train` or import")
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


def run(options) -> int:
    """Write the page, print its name, and return the exit status."""
    page_format(options.html)
    predictor = RunFolder(options.run).load()
    if unknown := predictor.unknown(options.source):
        print_error(f"unknown, read as <unk>: {', '.join(unknown)}")
    with threads_for(predictor.model.config.d_model):
        batch, objective = (
            _make_batch(predictor, options.source, options.target),
            Objective(predictor.model).train(),
        )
        recording = step_through(
            objective, batch, only=options.only, vocabularies=predictor.vocabularies
        )
    recording.save(options.html)
    print(options.html)
    return 0


def _make_batch(predictor: Predictor, source: str, target: str | None):
    """Return a batch of one example; the model completes what is missing."""
    ids = predictor.encode(source)
    if isinstance(predictor, Translator):
        [own] = (
            greedy_decode(predictor.model, [ids])
            if target is None
            else [predictor.target.encode(target)]
        )
        return TranslationBatch.of(
            [predictor.source.encode(source)],
            [own],
            start_id=predictor.model.config.start_id,
            source_marks=predictor.model.config.source_marks,
        )
    if isinstance(predictor, TextClassifier):
        label = target or predictor.classify(source)[0].label
        return ClassificationBatch.collate([(ids[1:], predictor.label.id(label))])
    if not isinstance(predictor, TextGenerator):
        raise InputError(
            f"a model of the task {predictor.task} makes no batch here: use npf.step_through in Python"
        )
    following = (
        predictor.tokens(ids, 1, Sampler(top_k=1)) if target is None else predictor.encode(target)
    )
    return LanguageModelBatch.collate([[*ids, *following]])
