"""The last lines of a training say what all of it has cost."""

import pytest

from npformer import runs
from npformer.paper.macs import cost_in_words, multiplications


@pytest.fixture(autouse=True)
def quick(without_pictures):
    pass


@pytest.fixture
def train(command, small, text_files, tmp_path):
    """Train on the thirty lines with further options; return what was printed of the cost."""

    def run(*options, name="run"):
        files = ["--src", text_files[0], "--tgt", text_files[1]]
        status, out, err = command("train", *files, *small, "--run", tmp_path / name, *options)
        assert (status, err) == (0, "")
        return said(out)

    return run


def said(out):
    """Return the two lines of the cost, which stand before the last."""
    *_, own, papers, blank, last = out.splitlines()
    assert blank == "" and last.startswith("translate with")
    return f"{own}\n{papers}"


def expected(run, epochs):
    batches = [batch for epoch in epochs for batch in run.trainer.batches.epoch(epoch)]
    return cost_in_words(counted(run.config, batches))


def counted(config, batches):
    shapes = [(len(batch.inputs[0]), *(ids.shape[1] for ids in batch.inputs)) for batch in batches]
    tokens = [[int((ids != 0).sum()) for ids in batch.inputs] for batch in batches]
    return sum(multiplications(config, *sizes).total for sizes in zip(shapes, tokens, strict=True))


def test_it_is_that_of_all_batches(train, tmp_path):
    found = train("--epochs", 3)
    assert (
        found == expected(runs.resume(tmp_path / "run"), [1, 2, 3]) != expected(runs.resume(tmp_path / "run"), [1, 2])
    )


def test_a_run_gone_on_with_says_what_an_unbroken_one_says(train, command, tmp_path):
    whole = train("--epochs", 3, name="whole")
    assert train("--epochs", 1) != whole
    for update in (resumed := runs.resume(tmp_path / "run", epochs=3)).updates():
        if update.epoch == 2:
            resumed.save()  # in the middle of an epoch
            break
    status, out, _ = command("train", "--resume", tmp_path / "run")
    assert (status, said(out)) == (0, whole)


@pytest.mark.parametrize(
    ("source", "content"),
    [("--train", "".join(f"x\ta {n % 7}\ny\t{n} b c\n" for n in range(40))), ("--text", "a b c a\n" * 300)],
)
def test_other_tasks_have_a_cost_too(command, tmp_path, source, content):
    (tmp_path / "file").write_text(content)
    sizes = "--d-model 16 --d-ff 24 --n-heads 2 --max-len 16 --batch-tokens 64 --warmup-steps 3 --epochs 2".split()
    status, out, err = command("train", source, tmp_path / "file", *sizes, "--run", tmp_path / "run")
    assert (status, err) == (0, "")
    run = runs.resume(tmp_path / "run")
    batches = [batch for epoch in (1, 2) for batch in run.trainer.batches.epoch(epoch)]
    total = counted(run.config, batches)
    assert run.cost() == total and cost_in_words(total) in out
