"""Export a translation model as a state dict of PyTorch's nn.Transformer."""

from pathlib import Path
from typing import Any

from ..interop import save_nn_transformer
from ..runs.folder import RunFolder
from .argument_parser import RUN_HELP, file_name


def add_options(parser: Any) -> None:
    """Add the options."""
    parser.add_argument("run", type=file_name, metavar="RUN", help=RUN_HELP)
    parser.add_argument(
        "file",
        type=file_name,
        metavar="FILE",
        help="the .safetensors file to write; one that is there is overwritten",
    )


def run(options: Any) -> int:
    """Write the file, print its name, and return the exit status."""
    folder = Path(options.file).resolve().parent  # of the file that a link leads to
    if folder.name == "epochs":  # the weights of an epoch belong to a run
        folder = folder.parent
    RunFolder(folder).check_holds_no_run()
    save_nn_transformer(RunFolder.find(options.run).load("translation").model, options.file)
    print(options.file)
    return 0
