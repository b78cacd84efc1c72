"""Every command and code block of the pages runs, each page in a folder of its own.

A block of `console` has commands after "$ " and, below a command, what it prints. The blocks of
`python` and `pycon` of a page run in one fresh interpreter, after its commands. An output that a
page shows is compared, with "..." for what is left out. A page can import the base installation
and the extras that it names, and nothing else.

What would take minutes runs smaller, or not at all: the tables below say what and why.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from configparser import ConfigParser
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from npformer_course.course import stem

pytestmark = pytest.mark.documented

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "npformer_course" / "README.md",
    ROOT / "docs" / "index.md",
    ROOT / "docs" / "pypi.md",
]
for folder in ("tutorials", "how_to", "explanation", "reference"):
    PAGES += sorted((ROOT / "docs" / folder).glob("*.md"))

SECONDS_PER_PAGE = 300

TINY = "--epochs 1 --d-model 16 --d-ff 16 --n-heads 2 --batch-tokens 4096"
TINY_TRANSLATOR = f"{TINY} --n-encoder-layers 1 --n-decoder-layers 2"
TINY_ENCODER = f"{TINY} --n-encoder-layers 1"
TINY_DECODER = f"{TINY} --n-decoder-layers 1"

# Not run: the beginning of a command, and why.
SKIPPED = {
    ".ci/run": "it runs this test",
    "NPFORMER_BACKEND=cupy": "needs a GPU",
    "bash benchmarks/gpu.sh": "needs a GPU; tests/test_benchmarks.py",
    "check-manifest": ".ci/run has it",
    "codespell": ".ci/run has it",
    "git -C numpy-transformer": "needs the clone",
    "git clone": "needs a download",
    "lint-imports": ".ci/run has it",
    "mpiexec -n 8": "needs two machines",
    "mypy": ".ci/run has it",
    "npformer ablate": "takes half an hour; tests/cli/test_ablate.py",
    "npformer evaluate runs/multi30k": "the run takes an hour",
    "npformer import Helsinki-NLP": "needs a download; tests/verification/parity has small models",
    "npformer import model.pt": "needs a model of that program; tests/interop",
    "npformer train multi30k": "takes an hour",
    "npformer train trec": "needs a download",
    "npformer translate runs/opus": "needs a download",
    "pip install": "the environment of the tests has it",
    "pre-commit": "it needs a repository of its own; .ci/run has its checks",
    "pytest": "these are the tests",
    "python -m sphinx": "tests/docs/test_site.py runs it",
    "python -m venv": "the tests have an environment",
    "python benchmarks/growth.py": "takes seven minutes; tests/test_benchmarks.py",
    "python benchmarks/peers.py": "needs a clone of another program; tests/test_benchmarks.py",
    "python benchmarks/translate.py": "takes a minute; tests/test_benchmarks.py",
    "python examples/character_language_model.py": "takes a minute; tests/examples",
    "python examples/transformer.py": "takes most of a minute; tests/examples",
    "python examples/translation.py": "takes a minute; tests/examples",
    "python tools/browser_course.py": "tests/docs/test_site.py runs it",
    "python tools/make.py": "tests/notebooks/test_make.py",
    "python tools/playground.py": "tests/browser/test_playground.py",
    "python tools/time_playground.py": "needs Pyodide and a browser",
    "ruff": ".ci/run has it",
    "zizmor": ".ci/run has it",
}

# Run smaller: the beginning of a command, and the options that are added. The output is not
# compared, here and in the next table.
WITH_OPTIONS = {
    "npformer train --src": TINY_TRANSLATOR,
    "npformer train --tsv": TINY_ENCODER,
    "npformer train english": TINY_DECODER,
    "npformer train mistakes": TINY_ENCODER,
}

# Run something smaller: a command, and what runs in its place.
SMALLER = {
    "mpiexec -n 4 npformer train multi30k --workers 1 --run /shared/runs/big": (
        f"mpiexec -n 2 npformer train copy {TINY_TRANSLATOR} --workers 1 --run runs/big"
    ),
    "npformer course": "npformer course list",
    "npformer course train": "npformer course train --epochs 1",
    "npformer course train phrasebook": "npformer course train phrasebook --epochs 1",
    "npformer course train --rotary": "npformer course train --rotary --epochs 1",
    "npformer course step softmax": "(cd my-course && npformer course step softmax)",
    "npformer gradcheck": "npformer gradcheck Linear",
    "npformer gradcheck --brief": "npformer gradcheck --brief Linear",
    "npformer train": f"npformer train few_phrases {TINY_TRANSLATOR} --run runs/phrasebook",
    "python benchmarks/profile_step.py --d-model 256": (
        "python benchmarks/profile_step.py --d-model 64 --steps 1"
    ),
    "python benchmarks/profile_step.py --d-model 256 --torch": (
        "python benchmarks/profile_step.py --d-model 64 --steps 1 --torch"
    ),
    "python benchmarks/train_step.py": "python benchmarks/train_step.py --check --d-model 64",
    "python data/generate.py [NAMES]": "python data/generate.py dates",
    "python data/train_translator.py": "python data/train_translator.py --into runs/t --epochs 1",
    "python data/write.py [NAMES]": "python data/write.py copy",
    "python tools/draw.py runs/phrasebook": "python tools/draw.py runs/phrasebook --out runs",
}

# Python that runs smaller: pieces of a page, and what runs in their place.
SMALLER_PYTHON = {
    "README.md": {"range(5000)": "range(500)", "epochs=10": "epochs=1"},
    "docs/how_to/cluster.md": {
        '"phrasebook", epochs=3': '"few_phrases", epochs=1, d_model=16, n_heads=2'
    },
    "docs/how_to/look_inside.md": {
        "AttentionViewer('the girl sees a small dog . <eos>' -> "
        "'Das Mädchen sieht einen kleinen Hund . <eos>')\n": ""
    },
    "docs/how_to/python.md": {
        '"phrasebook", epochs=3': '"few_phrases", epochs=1, d_model=16, n_heads=2',
        "1 0.764\n2 0.235\n3 0.168\n": "",
        "['Meine Schwester muss aufstehen.']\n": "",
        "epochs=8": "epochs=2",
    },
}

# Python that is not run, and why.
SKIPPED_PYTHON = {
    "docs/how_to/import_weights.md": "needs a model of another program; tests/interop",
    "docs/how_to/write_a_notebook.md": "these are lines of a notebook; tests/notebooks",
}

# The output depends on the weights: the beginning of a command.
OUTPUT_OF_A_TRAINED_MODEL = (
    "npformer translate runs/phrasebook",
    # the tests have small models with random weights
    "npformer import gpt2",
    "npformer import llama",
)

# Pages that begin with the run that `npformer train` writes.
RUN = f"npformer train few_phrases {TINY_TRANSLATOR} --run runs/phrasebook"
PREPARATIONS = {
    "CONTRIBUTING.md": RUN,
    "README.md": RUN,
    "docs/how_to/classify_texts.md": (
        'cp "$ROOT/data/mistakes/train.tsv" mails.tsv; cp mails.tsv more.tsv'
    ),
    "docs/how_to/gpt2_and_llama.md": (
        "for kind in gpt2 llama; do python -m tests.interop.language_models $kind $kind; done"
    ),
    "docs/how_to/import_weights.md": f"{RUN}; npformer export runs/phrasebook model.safetensors",
    "docs/how_to/in_the_browser.md": "echo '{}' > progress.json",
    "docs/how_to/look_inside.md": RUN,
    "docs/how_to/step_through.md": (
        f"{RUN}; npformer course start my-course"
        f"; sed -i 's/raise NotImplementedError.*/return x/' my-course/{stem('softmax')}.py"
    ),
    "docs/how_to/your_transformer.md": (
        "npformer course start my-course; cd my-course; python -c '"
        "from pathlib import Path; from npformer_course import course\n"
        'for id in ("masks", "linear", "tied_generator", "top_p"):\n'
        '    Path(course.stem(id) + ".py").write_text(course.load(id).key)\''
    ),
    "docs/how_to/train_on_your_data.md": (
        "for language in en de; do for part in train held_out test; do"
        ' cp "$ROOT/data/few_phrases/train.$language" $part.$language; done; done'
    ),
}

# Pages about a clone of the repository.
IN_A_CLONE = ("CONTRIBUTING.md", "docs/explanation/one_file.md", "docs/explanation/speed.md")


class Command(NamedTuple):
    line: int
    text: str
    output: str


def name_of(page):
    return page.relative_to(ROOT).as_posix()


def blocks_of(page, language):
    """Yield the first line and the text of each code block of a language."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        if match[2] == language:
            yield text.count("\n", 0, match.start()) + 2, textwrap.dedent(match[3])


def commands_of(page):
    """Return the commands of a page's console blocks, each with the output that follows it."""
    commands = []
    for first, block in blocks_of(page, "console"):
        continues = False
        for number, line in enumerate(block.splitlines(), first):
            if continues:
                last = commands.pop()
                commands.append(last._replace(text=f"{last.text}\n{line}"))
            elif line.startswith("$ "):
                commands.append(Command(number, line.removeprefix("$ "), ""))
            else:
                last = commands.pop()
                commands.append(last._replace(output=f"{last.output}{line}\n"))
            continues = line.endswith("\\")
    return commands


def without_comment(text):
    return re.sub(r"\s+#.*", "", text)


def is_skipped(text):
    return text.startswith(tuple(SKIPPED))


def smaller(text):
    """Return what runs in place of a command: mostly the command itself."""
    for beginning, options in WITH_OPTIONS.items():
        if text.startswith(beginning):
            return f"{text} {options}"
    return SMALLER.get(text, text)


# -- what a page may import --


def requirements_of(page):
    """Return what a page has its reader install: the base, and what it names."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    required = config["options"]["install_requires"].split("\n")

    text = page.read_text(encoding="utf-8")
    for names in re.findall(r"\.\[([\w,-]+)\]|npformer\[([\w,-]+)\]", text):
        for extra in "".join(names).split(","):
            required += config["options.extras_require"][extra].split("\n")
    for line in re.findall(r"^\$ pip install ([^#\n]*)", text, re.MULTILINE):
        required += [word for word in line.split() if re.fullmatch(r"[a-z][\w=.-]+", word)]
    return [line for line in required if line]


def distributions_of(requirements):
    """Return the names of the distributions that requirements install, with all that these need."""
    found = set()
    pending = [Requirement(text) for text in requirements]
    while pending:
        requirement = pending.pop()
        name = canonicalize_name(requirement.name)
        key = (name, *sorted(requirement.extras))
        if key in found:
            continue
        found.add(key)
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:  # not installed here: nothing to hide
            continue
        for text in needed:
            inner = Requirement(text)
            extras = [{"extra": extra} for extra in ("", *requirement.extras)]
            if inner.marker is None or any(inner.marker.evaluate(extra) for extra in extras):
                pending.append(inner)
    return {key[0] for key in found}


OWN = {"npformer", "pip", "setuptools"}


def modules_to_hide(page):
    """Return the modules that are installed here and would not be where a page is followed."""
    allowed = distributions_of(requirements_of(page)) | OWN
    hidden = []
    for module, owners in packages_distributions().items():
        if allowed.isdisjoint(canonicalize_name(owner) for owner in owners):
            hidden.append(module)
    return hidden


HIDE = """\
from npformer_course.course import stem
from importlib.machinery import PathFinder

HIDDEN = {hidden}
find_spec = PathFinder.find_spec


def find_visible(name, path=None, target=None):
    return None if path is None and name in HIDDEN else find_spec(name, path, target)


PathFinder.find_spec = find_visible
"""


@pytest.fixture
def environment(tmp_path_factory):
    """Make the environment of a page's processes: `environment(hidden)`."""

    def make(hidden):
        folder = tmp_path_factory.mktemp("hidden")
        (folder / "sitecustomize.py").write_text(HIDE.format(hidden=hidden), encoding="utf-8")
        variables = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
            "PYTHONIOENCODING": "utf-8",
            "ROOT": str(ROOT),
        }
        return os.environ | variables

    return make


def run(arguments, folder, variables):
    """Run a program; return its status and everything that it printed."""
    done = subprocess.run(
        arguments,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS_PER_PAGE,
        text=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


@pytest.fixture
def clone(tmp_path):
    """A copy of what the repository has and is not made by it."""
    made = ("__pycache__", ".*", "site", "runs", "*.egg-info", "*.ipynb", "tests", "api")
    return shutil.copytree(ROOT, tmp_path / "clone", ignore=shutil.ignore_patterns(*made))


@pytest.fixture
def place(request, tmp_path):
    """Return the folder in which a page is followed: `place(page)`."""

    def place_(page):
        if name_of(page) in IN_A_CLONE:
            return request.getfixturevalue("clone")
        return tmp_path

    return place_


# -- tests --

WITH_COMMANDS = [page for page in PAGES if any(blocks_of(page, "console"))]
WITH_PYTHON = []
for page in PAGES:
    has_python = any(blocks_of(page, "python")) or any(blocks_of(page, "pycon"))
    if has_python and name_of(page) not in SKIPPED_PYTHON:
        WITH_PYTHON.append(page)

FOLLOWED = sorted({*WITH_COMMANDS, *WITH_PYTHON})


@pytest.mark.parametrize("page", FOLLOWED, ids=name_of)
def test_page_runs_as_it_is_written(page, place, environment):
    folder, variables = place(page), environment(modules_to_hide(page))
    follow_commands(page, folder, variables)
    if page in WITH_PYTHON:
        follow_python(page, folder, variables)


def follow_commands(page, folder, variables):
    """Run the commands of a page in one shell, and compare what they print."""
    commands = commands_of(page)
    lines = [PREPARATIONS.get(name_of(page), ":"), "echo", "echo =0= $?"]
    for number, command in enumerate(commands, 1):
        text = without_comment(command.text)
        if not is_skipped(text):
            lines += [smaller(text), "status=$?", "echo", f"echo ={number}= $status"]
    status, printed = run(["bash", "-c", "\n".join(lines)], folder, variables)
    assert status == 0, printed

    pieces = re.split(r"^\n?=(\d+)= (\d+)\n", printed, flags=re.MULTILINE)
    for output, number, status in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=False):
        if number == "0":
            assert status == "0", f"preparation of {name_of(page)}: {output}"
            continue
        command = commands[int(number) - 1]
        where = f"{name_of(page)}, line {command.line}: {command.text}\n"
        assert status == "0", where + output
        text = without_comment(command.text)
        comparable = smaller(text) == text and not text.startswith(OUTPUT_OF_A_TRAINED_MODEL)
        if command.output and comparable:
            assert_shown(command.output, output, where)


def assert_shown(shown, printed, where):
    same = OutputChecker().check_output(shown, printed, ELLIPSIS | NORMALIZE_WHITESPACE)
    assert same, f"{where}shows\n{shown}and prints\n{printed}"


def follow_python(page, folder, variables):
    """Run the Python of a page in one interpreter."""
    text = page.read_text(encoding="utf-8")
    for piece, shorter in SMALLER_PYTHON.get(name_of(page), {}).items():
        assert piece in text, f"{name_of(page)} has no {piece!r} any more"
        text = text.replace(piece, shorter)
    copy = folder / "page.md"
    copy.write_text(text, encoding="utf-8")
    program = Path(__file__).with_name("python_of_a_page.py")
    status, printed = run([sys.executable, program, copy], folder, variables)
    assert status == 0, f"{name_of(page)}: {printed}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_shell_scripts_can_be_parsed(page, tmp_path):
    for line, block in blocks_of(page, "bash"):
        status, printed = run(["bash", "-n", "-c", block], tmp_path, os.environ)
        assert status == 0, f"{name_of(page)}, line {line}: {printed}"


def test_no_row_of_the_tables_is_unused():
    commands = set()
    for page in PAGES:
        commands |= {without_comment(command.text) for command in commands_of(page)}
    assert {*SMALLER} <= commands
    for beginning in (*SKIPPED, *WITH_OPTIONS, *OUTPUT_OF_A_TRAINED_MODEL):
        assert any(text.startswith(beginning) for text in commands), beginning
    names = {name_of(page) for page in PAGES}
    assert names >= {*SMALLER_PYTHON, *SKIPPED_PYTHON, *PREPARATIONS, *IN_A_CLONE}


def test_readme_trains_and_translates_with_numpy_alone(environment, tmp_path):
    [program] = [block for _, block in blocks_of(PAGES[0], "python") if "import npformer" in block]
    lines = program.rstrip().splitlines()
    assert lines[-1].startswith("npf.save(")
    allowed = {"numpy", "npformer", "npformer_course"}
    hidden = [module for module in packages_distributions() if module not in allowed]
    program = "\n".join(lines[:-1]).replace("epochs=10", "epochs=1").replace("5000", "500")
    status, printed = run([sys.executable, "-c", program], tmp_path, environment(hidden))
    assert status == 0, printed
