"""Make a run folder of a model from elsewhere. Nothing is downloaded."""

from typing import Any

from ..interop import KINDS, load
from ..runs import save
from ..runs.folder import RunFolder
from ..tasks import Translator
from ..utils import Setting
from .argument_parser import add_settings, file_name
from .standard_streams import report_warnings


def add_options(parser: Any) -> None:
    """Add the options."""
    parser.add_argument(
        "source", type=file_name, metavar="SOURCE", help="the file or folder of a model"
    )
    parser.add_argument("run", type=file_name, metavar="DIR", help="the run folder to make")
    settings: dict[str, Setting] = {}
    for _, options in KINDS.values():
        settings |= options.options()
    add_settings(parser, settings)


def run(options: Any) -> int:
    """Read the model, write the folder, print its name, and return the exit status."""
    arguments = dict(vars(options))
    source = arguments.pop("source")
    folder = arguments.pop("run")
    # before the model is read, which takes longest
    RunFolder(folder).check_is_free()
    with report_warnings():
        predictor = load(source, **arguments)
    save(predictor, folder)

    config = predictor.model.config
    layers = f"{config.n_decoder_layers} layers"
    tokens = f"{len(predictor.vocabularies[-1]):,} tokens"
    if isinstance(predictor, Translator):
        layers = f"{config.n_encoder_layers}+{layers}"
        tokens = f"{len(predictor.source):,} source and {len(predictor.target):,} target tokens"
    widths = f"d_model {config.d_model}, d_ff {config.d_ff}, {config.n_heads} heads"
    print(f"model   {layers}, {widths}, {predictor.model.n_parameters:,} parameters")
    print(f"tokens  {tokens}")
    print(f"folder  {folder}")
    return 0
