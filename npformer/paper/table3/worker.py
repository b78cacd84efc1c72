"""A process of its own for one run of an ablation.

    python -m npformer.paper.table3.worker FOLDER SETTINGS

It ends when its standard input does, and so with the process that started it, however that ended.
"""

import json
import os
import sys
from threading import Thread

from ...evaluation import perplexity
from ...runs.api import begin, resume
from ...runs.folder import RunFolder
from ...utils import AnyPath, InputError, write_json
from ...utils.malloc import keep_freed_memory
from .plan import result_path


def train_one(folder: AnyPath, settings: dict) -> None:
    """Train the run in a folder to its end, from where it is, and write its result.json. It draws no pictures."""
    run = resume(folder) if RunFolder(folder).config_path.exists() else begin(folder=folder, **settings)
    for _ in run.updates():
        pass
    evaluation = run.evaluate()
    result = {
        "perplexity": perplexity(evaluation.loss),
        "bleu": evaluation.text.bleu,
        "parameters": sum(parameter.data.size for parameter in run.model.parameters()),
        "seconds": run.log.rows[-1]["seconds"],
    }
    write_json(result_path(folder), result)


def end_with_standard_input() -> None:
    """Wait until nobody can write to standard input any more, then end the process at once."""
    while os.read(0, 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    Thread(target=end_with_standard_input, daemon=True).start()
    keep_freed_memory()
    try:
        train_one(sys.argv[1], json.loads(sys.argv[2]))
    except (InputError, OSError, MemoryError) as error:
        sys.exit(str(error) or "out of memory")
