"""A run folder that `npformer import` made is used like any other, and is there whole or not at
all.
"""

import numpy as np
import pytest
from safetensors.numpy import save_file

import npformer as npf
from npformer.interop import formats
from npformer.interop.import_nn_transformer import StateDictOptions
from npformer.tasks import Translator
from npformer.text import BPEVocabulary, Vocabulary
from npformer.text.vocabulary import SPECIALS
from npformer.utils.safetensors_io import read_safetensors

from .conftest import SAID


@pytest.fixture
def their_file(their_arrays, tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({name: np.ascontiguousarray(array) for name, array in their_arrays().items()}, path)
    return path


@pytest.fixture
def options(vocabularies):
    return [
        text
        for name, value in {**SAID, **vocabularies}.items()
        for text in (f"--{name.replace('_', '-')}", value)
    ]


@pytest.fixture
def run(command, their_arrays, their_file, options, tmp_path):
    status, out, err = command("import", *options, their_file, tmp_path / "runs" / "theirs")
    assert (status, err) == (0, "")
    n_numbers = sum(array.size for array in their_arrays().values())
    assert out.splitlines() == [
        f"model   1+2 layers, d_model 16, d_ff 24, 2 heads, {n_numbers:,} parameters",
        "tokens  12 source and 12 target tokens",
        f"folder  {tmp_path / 'runs' / 'theirs'}",
    ]
    return tmp_path / "runs" / "theirs"


def test_imported_run_equals_model_loaded_in_python(run, their_file, vocabularies):
    imported, loaded = npf.interop.load(their_file, **SAID, **vocabularies), npf.load(run)
    assert loaded.model.config == imported.model.config
    assert (loaded.source.tokens, loaded.target.tokens) == (
        imported.source.tokens,
        imported.target.tokens,
    )
    weights = imported.model.state_dict()
    assert all((array == weights[name]).all() for name, array in loaded.model.state_dict().items())
    ids = np.array([[4, 5, 3]])
    assert (
        imported.model.forward(ids, ids) == loaded.model.forward(ids, ids)
    ).all()  # without dropout, both


def test_imported_run_can_be_used_by_all_verbs(command, run, tmp_path):
    translator = npf.load(run)
    [expected] = translator.translate("a b c")
    assert command("translate", run, "a b c") == (0, f"{expected}\n", "")
    (tmp_path / "a.txt").write_text("a b c\nb a\n")
    (tmp_path / "b.txt").write_text(f"{expected}\nA\n")
    status, out, err = command(
        "evaluate", run, "--src", tmp_path / "a.txt", "--tgt", tmp_path / "b.txt"
    )
    assert (status, err) == (0, "") and "exact match   50.0%" in out
    picture, page = tmp_path / "a.png", tmp_path / "a.html"
    assert command("attend", run, "a b c", "--out", picture, "--html", page) == (
        0,
        f"{picture}\n{page}\n",
        "",
    )
    assert picture.stat().st_size > 1000 and len(page.read_text("utf-8")) > 1000


def test_imported_run_cannot_be_resumed(refused, run, their_file, options):
    said = refused("evaluate", run).strip()
    assert said.endswith("there is nothing to resume, and an evaluation needs files")
    said = refused("train", "--resume", run).strip()
    assert "a model that was saved without its training: there is nothing to resume" in said
    said = refused("import", *options, their_file, run).strip()
    assert said.endswith("holds a run already: give another folder")


OTHER = {  # a value of each option that is not its default
    "source_vocabulary": "s",
    "target_vocabulary": "t",
    "tokenizer": "character",
    "lowercase": "both",
    "source_special_tokens": "none",
    "n_heads": 3,
    "norm": "pre",
    "activation": "gelu",
    "layer_norm_eps": 0.5,
    "embedding_scale": "1",
}


def test_each_import_option_is_passed_to_the_loader(command, monkeypatch, their_file, tmp_path):
    given = []

    def load(file, **options):
        given.append((file.path, options))
        raise npf.InputError("seen")

    monkeypatch.setitem(formats.KINDS, "nn.Transformer", (load, StateDictOptions))
    assert StateDictOptions.declared().keys() == OTHER.keys()
    for name, value in OTHER.items():
        option = f"--{name.replace('_', '-')}"
        assert (
            command("import", their_file, tmp_path / "run", option, value).err == "npformer: seen\n"
        )
        assert given.pop() == (their_file, {name: value})


def test_exported_model_is_imported_with_only_vocabularies(command, make_model, tmp_path):
    """A note says the rest, and how a run cuts text is in its vocabularies; what is given comes
    first.
    """
    model = make_model(
        n_heads=4, norm="pre", activation="gelu", source_special_tokens="both"
    ).eval()
    source = Vocabulary([*SPECIALS, *"abcdefgh"], tokenizer="character", lowercase=True)
    target = Vocabulary([*SPECIALS, *"ABCDEFGH"], tokenizer="character")
    npf.save(Translator(model, source, target), tmp_path / "run")
    path = tmp_path / "model.safetensors"
    assert command("export", tmp_path / "run", path) == (0, f"{path}\n", "")
    said = [
        text
        for s in ("source", "target")
        for text in (f"--{s}-vocabulary", tmp_path / f"run/{s}_vocabulary.json")
    ]
    assert command("import", path, *said, tmp_path / "back").status == 0
    back = npf.load(tmp_path / "back")
    assert [vars(vocabulary) for vocabulary in (back.source, back.target)] == [
        vars(source),
        vars(target),
    ]
    assert back.translate("abc") == npf.load(tmp_path / "run").translate("abc")
    assert (
        command(
            "import", path, *said, tmp_path / "other", "--n-heads", 2, "--lowercase", "none"
        ).status
        == 0
    )
    other = npf.load(tmp_path / "other")
    assert (other.model.config.n_heads, other.model.config.norm, other.source.lowercase) == (
        2,
        "pre",
        False,
    )


def test_exported_model_with_subwords_is_imported_with_them(command, make_model, tmp_path):
    subwords = BPEVocabulary.build(["the dog sleeps"] * 3, size=265)
    sizes = {"src_vocab_size": len(subwords), "tgt_vocab_size": len(subwords)}
    npf.save(Translator(make_model(**sizes), subwords, subwords), tmp_path / "run")
    path = tmp_path / "model.safetensors"
    assert command("export", tmp_path / "run", path).status == 0
    said = ("--source-vocabulary", tmp_path / "run" / "subwords.json")
    assert command("import", path, *said, tmp_path / "back").status == 0
    run, back = npf.load(tmp_path / "run"), npf.load(tmp_path / "back")
    assert [vocabulary.merges for vocabulary in back.vocabularies] == [subwords.merges] * 2
    assert back.translate("the dog") == run.translate("the dog")


@pytest.mark.parametrize("note", ["v1", "{}", '{"transformer": {}}'])
def test_note_of_another_program_is_ignored(their_arrays, vocabularies, tmp_path, note):
    path = tmp_path / "noted.safetensors"
    arrays = {name: np.ascontiguousarray(array) for name, array in their_arrays().items()}
    save_file(arrays, path, {"note": note})
    found = npf.interop.load(path, **SAID, **vocabularies).model
    expected = npf.interop.from_state_dict(arrays, **SAID, **vocabularies).model
    for name, array in found.state_dict().items():
        assert (array == expected.state_dict()[name]).all()


def test_changed_file_of_an_export_is_refused(command, refused, make_model, tmp_path):
    source = Vocabulary([*SPECIALS, *"abcdefgh"])
    npf.save(Translator(make_model().eval(), source, source), tmp_path / "run")
    path = tmp_path / "model.safetensors"
    assert command("export", tmp_path / "run", path).status == 0
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    line = refused("import", path, tmp_path / "back")
    assert "model.safetensors is damaged: its content does not match its checksum" in line


def test_weights_are_read_once(monkeypatch, their_file, vocabularies):
    opened = []

    def read(path):
        opened.append(path)
        return read_safetensors(path)

    monkeypatch.setattr("npformer.interop.readers.read_safetensors", read)
    npf.interop.load(their_file, **SAID, **vocabularies)
    assert opened == [their_file]


def test_line_of_tokens_has_both_numbers(command, monkeypatch, their_file, tmp_path):
    source = Vocabulary.build(["a b c"])
    target = Vocabulary.build(["a b c d e"])
    model = npf.Transformer.tiny(len(source), len(target), rng=0)
    translator = Translator(model, source, target)
    monkeypatch.setattr("npformer.cli.import_.load", lambda source, **options: translator)
    out = command("import", their_file, tmp_path / "run").out
    assert "tokens  7 source and 9 target tokens" in out
