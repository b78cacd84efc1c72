import json

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Transformer
from npformer.runs.folder import RunFolder
from npformer.tasks import Translator
from npformer.text import BPEVocabulary, Vocabulary

WORDS = ["<pad>", "<unk>", "<bos>", "<eos>", "a", "b", "c", "d", "e", "f", "g", "h"]


@pytest.fixture
def model(make_model):
    return make_model()


@pytest.fixture
def folder(tmp_path, model):
    folder = RunFolder(tmp_path / "some" / "run", Translator)
    folder.create(
        model.config, Vocabulary(WORDS, lowercase=True), Vocabulary(WORDS), training={"epochs": 3}
    )
    folder.save_weights(model.state_dict())
    folder.write_config()
    return folder


@pytest.fixture
def change():
    """Change a JSON file by a function of what it holds."""

    def change_file(path, how):
        value = json.loads(path.read_text())
        how(value)
        path.write_text(json.dumps(value))

    return change_file


def refusal(read):
    with pytest.raises(InputError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_written_data_is_read_back(folder, model):
    source, target = folder.vocabularies()
    assert (source.tokens, source.lowercase) == (WORDS, True)
    assert (target.tokens, target.lowercase) == (WORDS, False)
    assert folder.config() == model.config
    assert folder.read_section("training") == {"epochs": 3}
    ids = np.array([[4, 5, 6, 3]])
    loaded = folder.load_model()
    assert not loaded.training
    assert (loaded.forward(ids, ids) == model.eval().forward(ids, ids)).all()


def test_run_is_not_overwritten(folder, model):
    vocabulary = Vocabulary(WORDS)
    message = refusal(lambda: folder.create(model.config, vocabulary, vocabulary))
    assert "holds a run already" in message and "or resume this one" in message
    assert folder.read_section("training") == {"epochs": 3}


def test_folder_that_cannot_be_created_is_named(tmp_path, model):
    (tmp_path / "file").touch()
    vocabulary = Vocabulary(WORDS)
    folder = RunFolder(tmp_path / "file" / "run", Translator)
    assert "cannot make the folder" in refusal(
        lambda: folder.create(model.config, vocabulary, vocabulary)
    )


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (lambda value: value.pop("model"), "it has no 'model' settings"),
        (lambda value: value.update(model=[]), "it has no 'model' settings"),
        (
            lambda value: value["model"].update(color=3, shade=4),
            "the model has unknown color, shade",
        ),
        (lambda value: value["model"].pop("src_vocab_size"), "the model lacks src_vocab_size"),
        (lambda value: value["model"].update(d_model=15), "d_model = 15"),
        (lambda value: value["model"].update(d_model="16"), "d_model = '16'"),
        (lambda value: value["model"].update(n_heads=None), "n_heads = None"),
        (lambda value: value["model"].update(norm=["post"]), "norm = ['post']"),
        (lambda value: value["model"].update(dropout=float("nan")), "dropout = nan"),
    ],
)
def test_invalid_config_is_reported_as_damaged(folder, change, how, expected):
    change(folder.config_path, how)
    message = refusal(folder.load_model)
    assert message.startswith(f"{folder.config_path} is damaged: ") and expected in message


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (lambda value: value["tokens"].pop(), "it has 11 tokens, the model's config says 12"),
        (lambda value: value["tokens"].append("x"), "it has 13 tokens, the model's config says 12"),
        (lambda value: value.pop("tokens"), "it lacks tokens"),
        (lambda value: value["tokens"].remove("<unk>"), "the first four"),
        (lambda value: value["tokens"].__setitem__(5, "a"), "distinct strings"),
        (lambda value: value["tokens"].__setitem__(5, 5), "a list of distinct strings"),
        (lambda value: value.update(tokenizer="syllables"), "tokenizer = 'syllables'"),
    ],
)
@pytest.mark.parametrize("side", ["source", "target"])
def test_mismatched_vocabulary_is_reported_as_damaged(folder, change, side, how, expected):
    path = folder.vocabulary_path(side)
    change(path, how)
    message = refusal(folder.vocabularies)
    assert message.startswith(f"{path} is damaged: ") and expected in message


def test_weights_of_another_run_are_rejected(folder, tmp_path, make_model):
    other = RunFolder(tmp_path / "other", Translator)
    model = make_model(d_model=32)
    other.create(model.config, Vocabulary(WORDS), Vocabulary(WORDS))
    other.save_weights(model.state_dict())
    folder.weights_path.write_bytes(other.weights_path.read_bytes())
    assert "is inconsistent" in refusal(folder.load_model)


def test_model_saved_without_vocabularies_can_be_loaded(tmp_path, model):
    path = tmp_path / "alone"
    npf.save(model, path)
    loaded, ids = npf.load(path), np.array([[4, 5, 6, 3]])
    assert type(loaded) is Transformer and loaded.config == model.config and not loaded.training
    assert (loaded.forward(ids, ids) == model.eval().forward(ids, ids)).all()
    assert refusal(RunFolder(path).load) == (
        f"{path} holds a model without vocabularies, which cannot read text: "
        "save a Translator, which has them"
    )
    expected = f"{path} holds a run already: give another folder"
    assert refusal(lambda: npf.save(model, path)) == expected


def test_run_without_config_is_not_overwritten(tmp_path, model):
    folder = RunFolder(tmp_path, Translator)
    vocabulary = Vocabulary(WORDS)
    folder.create(model.config, vocabulary, vocabulary)
    folder.save_weights(model.state_dict(), epoch=1)
    with pytest.raises(InputError, match="holds a run without its config"):
        RunFolder(tmp_path, Translator).check_is_free()


FILES_OF_A_RUN = (
    "log.csv weights.safetensors subwords.json curve.png checkpoint.safetensors labels.json "
    "source_vocabulary.json text_vocabulary.json target.spm"
)


@pytest.mark.parametrize("name", FILES_OF_A_RUN.split())
def test_files_of_ones_own_are_neither_overwritten_nor_deleted(tmp_path, model, name):
    file = tmp_path / name
    file.write_text("mine")
    expected = f"{file} would be overwritten or deleted: move it, or give another folder"
    assert refusal(lambda: npf.save(model, tmp_path)) == expected
    assert refusal(lambda: npf.runs.begin("copy", folder=tmp_path)) == expected
    assert file.read_text() == "mine" and list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("name", ["log.csv", "curve.png", "weights.safetensors"])
def test_results_of_a_run_whose_config_was_deleted_are_kept(tmp_path, model, name):
    (tmp_path / "lock").touch()
    file = tmp_path / name
    file.write_text("mine")
    expected = f"{file} would be overwritten or deleted: move it, or give another folder"
    assert refusal(lambda: npf.save(model, tmp_path)) == expected
    assert refusal(lambda: npf.runs.begin("copy", folder=tmp_path)) == expected
    assert file.read_text() == "mine"


def test_folder_of_run_killed_at_start_can_be_used(tmp_path, model):
    begun, again = RunFolder(tmp_path, Translator), RunFolder(tmp_path, Translator)
    vocabulary = Vocabulary(WORDS)
    subwords = BPEVocabulary.build([], size=300)
    begun.lock()
    begun.create(model.config, subwords, subwords)
    (tmp_path / ".config.json.ab_cd3fg.part").touch()
    again.create(model.config, vocabulary, vocabulary)
    again.save_weights(model.state_dict())
    again.write_config()
    assert again.load_model().config == model.config
    found = RunFolder(tmp_path, Translator).vocabularies()
    assert [vocabulary.tokenizer for vocabulary in found] == ["word", "word"]
    files = (
        "config.json lock source_vocabulary.json target_vocabulary.json weights.safetensors".split()
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == files


@pytest.mark.parametrize("kinds", ["ab", "aa", "aw", "wa"])
def test_each_side_keeps_its_own_subwords(tmp_path, kinds):
    made = {
        "a": BPEVocabulary.build(["the dog sleeps"] * 3, size=265),
        "b": BPEVocabulary.build(["der hund"] * 3, size=262),
        "w": Vocabulary(WORDS),
    }
    source, target = (made[kind] for kind in kinds)
    model = Transformer.tiny(len(source), len(target), rng=0)
    npf.save(Translator(model, source, target), tmp_path / "run")
    saved = [vocabulary.to_json() for vocabulary in npf.load(tmp_path / "run").vocabularies]
    assert saved == [source.to_json(), target.to_json()]
    assert (tmp_path / "run" / "subwords.json").exists() == (kinds == "aa")


def test_config_that_a_browser_copied_fits_the_weights(folder, change):
    """JavaScript writes 0.0 as 0."""

    def write_integer(content):
        assert content["model"]["attention_dropout"] == 0.0
        content["model"]["attention_dropout"] = 0

    change(folder.config_path, write_integer)
    assert '"attention_dropout": 0,' in folder.config_path.read_text()
    folder.load_model()


def test_order_of_the_settings_in_the_config_does_not_matter(folder, change):
    def turn(content):
        content["model"] = dict(reversed(content["model"].items()))

    change(folder.config_path, turn)
    folder.load_model()


def test_model_of_hugging_face_is_named_as_such(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "gpt2", "n_layer": 2}))
    with pytest.raises(InputError) as caught:
        npf.load(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path} is a model of Hugging Face, not a run folder: "
        "npformer.interop.load reads it, npformer import makes a run of it"
    )
