"""Export a translation model as a state dict of PyTorch's nn.Transformer."""

from pathlib import Path

from ..interop import save_nn_transformer
from ..runs.folder import RunFolder
from .argument_parser import file_name


def add_options(parser) -> None:
    """Add the options."""
    parser.add_argument(
        "run", type=file_name, metavar="RUN", help="a run folder of `npformer train` or import"
    )
    parser.add_argument(
        "file",
        type=file_name,
        metavar="FILE",
        help="the .safetensors file to write; one that is there is overwritten",
    )


def run(options) -> int:
    """Write the file, print its name, and return the exit status."""
    folder = Path(options.file).parent.resolve()
    RunFolder(
        folder.parent if folder.name == "epochs" else folder
    ).check_is_free()  # an epoch's weights are a run's
    save_nn_transformer(RunFolder(options.run).load("translation").model, options.file)
    print(options.file)
    return 0
