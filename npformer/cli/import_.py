"""Make a run folder of a model from elsewhere. translate, evaluate and attend read it; nothing is downloaded."""

from ..interop import KINDS, load
from ..models.model_folder import ModelFolder
from ..utils import Setting, settings_of
from .options import add_settings, file_name


def add_options(parser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("source", type=file_name, metavar="SOURCE", help="the file or folder of a model")
    add("run", type=file_name, metavar="DIR", help="the run folder to make")
    kinds = "; ".join(f"{name}: {kind.what}" for name, kind in KINDS.items())
    add("--kind", choices=KINDS, help=f"{kinds} (default: the kind that SOURCE looks like)")
    added = {}
    for name, kind in KINDS.items():
        known = settings_of(kind.options)
        again = ", ".join(_describe_repeated(known[option], added[option]) for option in known if option in added)
        text = f"also {again}" if again else None if known else "nothing need be said: the folder says it all"
        group = parser.add_argument_group(name, text)
        add_settings(group, known, [option for option in known if option not in added])
        added = {**known, **added}


def _describe_repeated(setting: Setting, before: Setting) -> str:
    """Return the name of an option that another kind has too, with its default where that is another.

    >>> _describe_repeated(Setting("n_heads", int, True, None, none_is="theirs"), Setting("n_heads", int, True, 8))
    '--n-heads (default theirs)'
    """
    defaults = [one.none_is if one.default is None else one.default for one in (setting, before)]
    option = f"--{setting.name.replace('_', '-')}"
    return option if defaults[0] == defaults[1] else f"{option} (default {defaults[0]})"


def run(options) -> int:
    """Read the model, write the folder, print its name, and return the exit status."""
    given = vars(options)
    source, folder, kind = given.pop("source"), given.pop("run"), given.pop("kind")
    ModelFolder(folder).check_is_free()
    translator = load(source, kind, **given)
    translator.save(folder)
    config = translator.model.config
    n_parameters = sum(parameter.data.size for parameter in translator.model.parameters())
    layers = f"{config.n_encoder_layers}+{config.n_decoder_layers} layers"
    widths = f"d_model {config.d_model}, d_ff {config.d_ff}, {config.n_heads} heads"
    print(f"model   {layers}, {widths}, {n_parameters:,} parameters")
    print(f"tokens  {len(translator.source):,} source and {len(translator.target):,} target tokens")
    print(f"folder  {folder}")
    return 0
