import pytest

from npformer import InputError
from npformer.runs.folder import RunFolder
from npformer.tasks import Translator
from npformer.text import BPEVocabulary, Vocabulary

WORDS = Vocabulary(["<pad>", "<unk>", "<bos>", "<eos>", *"abcdefgh"])


@pytest.fixture
def model(make_model):
    return make_model()


def test_run_without_config_is_not_overwritten(tmp_path, model):
    folder = RunFolder(tmp_path, Translator)
    folder.create(model.config, WORDS, WORDS)
    folder.save_weights(model.state_dict(), epoch=1)
    with pytest.raises(InputError, match="holds a run without its config"):
        RunFolder(tmp_path, Translator).check_is_free()


def test_folder_of_run_killed_at_start_can_be_used(tmp_path, model):
    begun, again = RunFolder(tmp_path, Translator), RunFolder(tmp_path, Translator)
    subwords = BPEVocabulary.build([], size=300)
    begun.create(model.config, subwords, subwords)
    begun.save_weights(model.state_dict())
    (tmp_path / ".config.json.ab_cd3fg.part").touch()
    again.create(model.config, WORDS, WORDS)
    again.save_weights(model.state_dict())
    again.write_config()
    assert again.load_model().config == model.config
    assert [
        vocabulary.tokenizer for vocabulary in RunFolder(tmp_path, Translator).vocabularies()
    ] == [
        "word",
        "word",
    ]
    files = "config.json source_vocabulary.json target_vocabulary.json weights.safetensors".split()
    assert sorted(path.name for path in tmp_path.iterdir()) == files
