"""What each verb loads before it answers: no library and no room that it does not need. No times, which vary."""

import subprocess
import sys

import pytest

from npformer.cli.classroom import VERBS as EXERCISING
from npformer.cli.main import VERBS
from npformer.decoding import Translator

LIBRARIES = {"numpy", "safetensors", "threadpoolctl", "tqdm", "matplotlib", "sacrebleu", "tokenizers", "sentencepiece"}
LIBRARIES |= {"pooch", "mpi4py", "cupy", "IPython", "torch"}
EVERY_DAY = ["train"], ["translate"], ["class", "check"]
HEAVY = {"asyncio", "email", "http", "importlib.metadata", "multiprocessing", "socket", "ssl", "unittest"}
WORK = HEAVY | {"concurrent.futures", "logging", "subprocess", "tempfile"}  # what work with other processes needs
MAIN = "import sys; from npformer.cli import main; main(); print(*sys.modules, file=sys.stderr)"


def loaded_with(*libraries):
    """What libraries load by themselves, as NumPy 2.0 does `subprocess`."""
    program = f"import sys, {', '.join(libraries)}; print(*sys.modules)"
    return {*subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()}


def loaded_by(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", MAIN, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout or arguments == ("no-verb",)
    return set(done.stderr.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["class", "--help"], ["no-verb"]])
def test_what_needs_no_verb_loads_no_library_and_no_room(arguments):
    loaded = loaded_by(*arguments)
    assert not loaded & (LIBRARIES | WORK | {"argparse", "inspect", "json"})
    assert {name.split(".")[1] for name in loaded if name.startswith("npformer.")} == {"cli"}


@pytest.mark.parametrize(
    "verb",
    [
        pytest.param(verb, marks=() if verb in EVERY_DAY else pytest.mark.long, id=" ".join(verb))
        for verb in [[verb] for verb in VERBS if verb != "class"] + [["class", verb] for verb in EXERCISING]
    ],
)
def test_the_help_of_a_verb_needs_numpy_at_most(verb):
    loaded = loaded_by(*verb, "--help")
    assert loaded & LIBRARIES <= {"numpy"} and not loaded & HEAVY


@pytest.mark.parametrize("verb", ["translate", "classify", "generate"])
def test_the_help_of_what_uses_a_model_leaves_training_alone(verb):
    loaded = loaded_by(verb, "--help")
    assert not loaded & WORK - loaded_with("numpy")
    assert not loaded & {"npformer.training", "npformer.runs"}


def test_a_sentence_is_translated_with_what_a_model_needs(trained_run):
    sentence = Translator.load(trained_run).source.tokens[-1]
    loaded = loaded_by("translate", trained_run, sentence)
    libraries = {"numpy", "safetensors", "threadpoolctl"}
    assert loaded & LIBRARIES == libraries and not loaded & WORK - loaded_with(*libraries)
    rooms = {name.split(".")[1] for name in loaded if name.startswith("npformer.")}
    assert rooms == {"base", "cli", "datasets", "decoding", "layers", "models", "module", "tasks", "text"}
    assert not {
        name
        for name in loaded
        if name.startswith(("npformer.datasets.synthetic.dates", "npformer.datasets.synthetic.phrasebook"))
    }
