"""What knows no layer: the array library, parameters, settings and switches, errors, files, cores, ranks, memory.

Nothing of models, text or training may stand here. The other rooms take what they need from here by name.
"""

from .alone import Alone
from .backend import (
    add_at,
    check_numpy,
    check_workers,
    default_workers,
    keep_mask,
    kind_of,
    stretches,
    to_device,
    to_host,
    use_backend,
    xp,
)

from .errors import InputError, MissingExtraError, blamed, require
from .files import AnyPath, make_folder, read_json, read_text, remove_parts, write_json, write_whole
from .launcher import launched, unjoined, world
from .machine import OthersWatched, cores, n_cores
from .parameter import Parameter
from .randomness import check_seed, random_generator
from .settings import Setting, check_names, check_settings, setting, settings_of

from .tensors import load_tensors, save_tensors
from .threads import blas_threads, threads_for
