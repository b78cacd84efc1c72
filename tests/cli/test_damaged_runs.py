"""Whatever happens to a file of a run folder: a verb works, or says in one line what is wrong."""

import json
import shutil
import sys

import pytest

pytestmark = pytest.mark.usefixtures("without_pictures")
VERBS = {
    "translate": lambda run: ["translate", run, "the dog sleeps ."],
    "evaluate": lambda run: ["evaluate", run],
    "resume": lambda run: ["train", "--resume", run],
}
NEEDED_BY = {
    "config.json": {"translate", "evaluate", "resume"},
    "source_vocabulary.json": {"translate", "evaluate", "resume"},
    "target_vocabulary.json": {"translate", "evaluate", "resume"},
    "weights.safetensors": {"translate", "evaluate"},
    "checkpoint.safetensors": {"resume"},
    "log.csv": {"resume"},
    "epochs/0015.safetensors": {"resume"},
}


def flip(file, share=0.5, bits=0x01):
    data = bytearray(file.read_bytes())
    data[int(share * len(data))] ^= bits
    file.write_bytes(data)


def become_a_folder(file):
    file.unlink()
    file.mkdir()


DAMAGES = {
    "deleted": lambda file: file.unlink(),
    "emptied": lambda file: file.write_bytes(b""),
    "cut in half": lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
    "of wrong JSON": lambda file: file.write_text('{"some": ["other", "thing"]}'),
    "of bytes that are not UTF-8": lambda file: file.write_bytes(b"\xff\xfe" + file.read_bytes()),
    "a folder": become_a_folder,
}
CERTAIN = [(file, damage) for file in NEEDED_BY for damage in DAMAGES]


@pytest.mark.parametrize(("name", "damage"), CERTAIN, ids=[" ".join(case) for case in CERTAIN])
def test_damaged_file_fails_only_verbs_that_need_it(command, refused, run_copy, name, damage):
    DAMAGES[damage](run_copy / name)
    # which cannot be written over
    needed_by = NEEDED_BY[name] | ({"resume"} if damage == "a folder" else set())
    for verb, arguments in VERBS.items():
        if verb in needed_by:
            refused(*arguments(run_copy))
        else:
            status, _, err = command(*arguments(run_copy))
            assert (status, err) == (0, "")


@pytest.mark.parametrize(
    "name", ["source_vocabulary.json", "target_vocabulary.json", "weights.safetensors"]
)
@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.98])
def test_flipped_bit_in_weights_or_vocabularies_is_detected(refused, run_copy, name, share):
    flip(run_copy / name, share)
    refused(*VERBS["translate"](run_copy))


@pytest.mark.parametrize("share", [0, 0.01, 0.05, 0.2, 0.5, 0.9, 0.9999])
def test_flipped_bit_in_checkpoint_is_detected(refused, run_copy, share):
    flip(run_copy / "checkpoint.safetensors", share)
    refused(*VERBS["resume"](run_copy))


EDITS = {
    "another width": ("model", {"d_model": 32}, {"translate", "evaluate", "resume"}),
    "more tokens": (
        "model",
        {"src_vocab_size": 40, "tgt_vocab_size": 40},
        {"translate", "evaluate", "resume"},
    ),
    "an unknown setting": ("model", {"color": "blue"}, {"translate", "evaluate", "resume"}),
    "no seed": ("training", {"seed": None}, {"evaluate", "resume"}),
    "another seed": ("training", {"seed": 9}, {"evaluate", "resume"}),
    "other batches": ("training", {"batch_tokens": 70}, {"resume"}),
    "other updates": ("training", {"accumulate": 2}, {"resume"}),
    "another tokenizer": ("training", {"tokenizer": "character"}, {"resume"}),
    "no epochs": ("training", {"epochs": 0}, {"evaluate", "resume"}),
    "an unknown data set": ("training", {"src": None, "dataset": "latin"}, {"evaluate", "resume"}),
    "files that are gone": (
        "training",
        {"src": "/no/such/file", "tgt": "/nor/this"},
        {"evaluate", "resume"},
    ),
    "a file of no possible name": ("training", {"src": "/no/such/file\0b"}, {"evaluate", "resume"}),
    "a data set without its direction": (
        "training",
        {"src": None, "dataset": "multi30k"},
        {"evaluate", "resume"},
    ),
    "half of the files": ("training", {"tgt": None}, {"evaluate", "resume"}),
}


@pytest.mark.parametrize(("part", "edit", "refusing"), EDITS.values(), ids=EDITS)
def test_edited_config_fails_only_verbs_that_need_it(
    command, refused, run_copy, part, edit, refusing
):
    file = run_copy / "config.json"
    config = json.loads(file.read_text())
    config[part].update(edit)
    file.write_text(json.dumps(config))
    for verb in VERBS:
        if verb in refusing:
            assert str(run_copy) in refused(*VERBS[verb](run_copy)) or "/no/such/file" in str(edit)
        else:
            assert command(*VERBS[verb](run_copy)).status == 0


def test_changed_training_files_are_rejected(refused, run_copy, text_files, tmp_path):
    config = json.loads((run_copy / "config.json").read_text())
    copies = [shutil.copy(file, tmp_path) for file in text_files]
    config["training"].update(src=str(copies[0]), tgt=str(copies[1]))
    (run_copy / "config.json").write_text(json.dumps(config))
    for copy in copies:
        lines = (tmp_path / copy).read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / copy).write_text("".join(lines[:-3]), encoding="utf-8")
    # another random part is held out, which the run was trained on
    assert "bring back the files" in refused("evaluate", run_copy)
    assert "bring back the training files" in refused("train", "--resume", run_copy, "--epochs", 20)


def test_changed_held_out_files_are_rejected(command, refused, text_files, tmp_path):
    """Losses of other sentences are not to be compared with those before."""
    held_out = [shutil.copy(file, tmp_path) for file in text_files]
    run = tmp_path / "run"
    files = ("--src", text_files[0], "--tgt", text_files[1])
    files += ("--held-out-src", held_out[0], "--held-out-tgt", held_out[1])
    command("train", *files, "--recipe", "tiny", "--epochs", 1, "--run", run)
    before = (run / "config.json").read_bytes()
    for file in held_out:
        with open(file, "a", encoding="utf-8") as lines:
            lines.write("the dog\n")
    for verb in (("train", "--resume", run, "--epochs", 2), ("evaluate", run)):
        assert f"the held-out data are not those of {run}: bring" in refused(*verb)
    assert (run / "config.json").read_bytes() == before


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("path", ["missing", "", "empty", "file", "long" * 2000])
def test_folder_that_is_not_a_run_is_rejected(refused, tmp_path, monkeypatch, verb, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    message = refused(*VERBS[verb](path))
    expected = "is not a run folder" if path else "expected a name, got ''"
    assert expected in message or "name too long" in message


def test_run_with_only_json_files_is_rejected(refused, run_copy):
    shutil.rmtree(run_copy / "epochs")
    for file in run_copy.iterdir():
        if file.suffix != ".json":
            file.unlink()
    for verb, arguments in VERBS.items():
        assert "does not exist" in refused(*arguments(run_copy)), verb


def test_classifier_is_not_exported(refused, classifier_run, tmp_path):
    line = refused("export", classifier_run, tmp_path / "model.safetensors")
    assert (
        f"{classifier_run} holds a model of the task classification: expected one of translation"
        in line
    )


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize(
    "name", ["weights.safetensors", "checkpoint.safetensors", "epochs/0015.safetensors"]
)
def test_export_never_overwrites_a_run(refused, trained_run, run_copy, tmp_path, name):
    (tmp_path / "link").symlink_to((run_copy / name).parent)
    (tmp_path / "file").symlink_to(run_copy / name)
    for link in (tmp_path / "link" / "x.safetensors", tmp_path / "file"):
        assert f"{run_copy} holds a run already" in refused("export", trained_run, link)
    for run in (trained_run, run_copy):
        before = (run / name).read_bytes()
        assert f"{run} holds a run already: give another folder" in refused(
            "export", trained_run, run / name
        )
        assert (run / name).read_bytes() == before
