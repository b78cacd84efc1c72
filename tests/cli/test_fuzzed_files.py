"""Whatever chance does to a file of a run folder: a verb works as before, or says in one line what is wrong."""

import random
import shutil
from functools import cache

import pytest

from npformer.cli import main

DESCRIBED = {"words": ["source_vocabulary.json", "target_vocabulary.json"], "subwords": ["subwords.json"]}
VERBS = {
    "translate": lambda run: ["translate", run, "the dog sleeps ."],
    "evaluate": lambda run: ["evaluate", run],
    "resume": lambda run: ["train", "--resume", run, "--epochs", 3],
}
FOR_TRAINING = ["checkpoint.safetensors", "log.csv", "epochs/0002.safetensors", "epochs/0003.safetensors"]


def flip_bits(data, rng, run):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 3])):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def cut(data, rng, run):
    return data[: rng.randrange(len(data))]


def insert(data, rng, run):
    place = rng.randrange(len(data))
    return data[:place] + rng.randbytes(rng.randint(1, 20)) + data[place:]


def zero_a_stretch(data, rng, run):
    place, length = rng.randrange(len(data)), rng.randint(1, 40)
    return (data[:place] + bytes(length) + data[place + length :])[: len(data)]


def append_garbage(data, rng, run):
    return data + rng.randbytes(rng.randint(1, 40))


def repeat_a_stretch(data, rng, run):
    start, length = rng.randrange(len(data)), rng.randint(1, 200)
    return data[: start + length] + data[start:]


def swap_for_another(data, rng, run):
    others = sorted(path.read_bytes() for path in run.rglob("*") if path.is_file())
    others.remove(data)
    return rng.choice(others)


DAMAGES = [flip_bits, cut, insert, zero_a_stretch, append_garbage, repeat_a_stretch, swap_for_another]
READ = {
    kind: [(file, verb) for file in ["config.json", "weights.safetensors", *vocabularies] for verb in VERBS]
    + [(file, "resume") for file in FOR_TRAINING]
    for kind, vocabularies in DESCRIBED.items()
}
CASES = [(kind, *read, damage) for kind in READ for read in READ[kind] for damage in DAMAGES]


@pytest.fixture(autouse=True)
def quick(without_pictures):
    pass


@pytest.fixture(scope="module")
def finished(tmp_path_factory, text_files, small):
    """Return a run folder of a kind after three epochs, of which the last two are averaged; not to be changed."""

    @cache
    def run(kind):
        if kind == "subwords":
            pytest.importorskip("tokenizers")
        files = ["--src", str(text_files[0]), "--tgt", str(text_files[1])]
        unit = ["--unit", kind, "--vocab-size", "280", "--dropout", "0.1", "--max-len", "60"]
        folder = tmp_path_factory.mktemp("runs") / kind
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("npformer.cli.train.finish", lambda run: None)
            options = [*files, *small, *unit, "--epochs", "3", "--average", "2"]
            assert main(["train", *options, "--run", str(folder)]) == 0
        return folder

    return run


def contents(run):
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in run.rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.parametrize(("kind", "file", "verb", "damage"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_a_verb_works_as_before_or_refuses_in_one_line(command, finished, tmp_path, kind, file, verb, damage):
    run = shutil.copytree(finished(kind), tmp_path / "run")
    whole = contents(run)
    damaged = damage(whole[file], random.Random(f"{kind} {file} {verb} {damage.__name__}"), run)
    (run / file).write_bytes(damaged)
    status, out, err = command(*VERBS[verb](run))
    if status == 0:
        if file == "weights.safetensors" and verb == "resume":  # averages the epochs anew, which mends it
            damaged = whole[file]
        assert err == ""
    else:
        assert (status, err[:10], err.count("\n")) == (2, "npformer: ", 1), err
        assert "Traceback" not in err
    assert contents(run) == {**whole, file: damaged}
    if status == 0 and file != "config.json":
        (run / file).write_bytes(whole[file])
        assert command(*VERBS[verb](run)).out == out
