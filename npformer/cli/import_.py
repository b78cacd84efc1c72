"""Make a run folder of a model from elsewhere. translate, evaluate and attend read it; nothing is downloaded."""

from ..interop import KINDS, load
from ..runs import save
from ..runs.folder import RunFolder
from .argument_parser import add_settings, file_name


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument(
        "source", type=file_name, metavar="SOURCE", help="the file or folder of a model"
    )
    parser.add_argument("run", type=file_name, metavar="DIR", help="the run folder to make")
    add_settings(
        parser,
        {name: known for _, kind in KINDS.values() for name, known in kind.options().items()},
    )


def run(options) -> int:
    """Read the model, write the folder, print its name, and return the exit status."""
    arguments = vars(options)
    source, folder = arguments.pop("source"), arguments.pop("run")
    RunFolder(folder).check_is_free()
    translator = load(source, **arguments)
    save(translator, folder)
    config = translator.model.config
    n_parameters = sum(parameter.data.size for parameter in translator.model.parameters())
    layers = f"{config.n_encoder_layers}+{config.n_decoder_layers} layers"
    widths = f"d_model {config.d_model}, d_ff {config.d_ff}, {config.n_heads} heads"
    print(f"model   {layers}, {widths}, {n_parameters:,} parameters")
    print(f"tokens  {len(translator.source):,} source and {len(translator.target):,} target tokens")
    print(f"folder  {folder}")
    return 0
