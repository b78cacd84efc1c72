import json

import pytest

from npformer import InputError, TransformerConfig, datasets, runs
from npformer.runs.recipe import SHIPPED, merge_settings, read_recipe, recipes, training_options
from npformer.runs.settings import TrainingSettings
from npformer.tasks import TASKS

PAPERS = dict(d_model=512, d_ff=2048, n_heads=8, d_k=None, d_v=None, n_encoder_layers=6)
PAPERS |= dict(
    n_decoder_layers=6, dropout=0.1, attention_dropout=0.0, norm="post", layer_norm_eps=1e-6
)
PAPERS |= dict(
    positions="sinusoidal", max_len=512, tie_embeddings="all", attention_bias=True, dtype="float32"
)
PAPERS |= dict(init="glorot", neighbors=None, attention="auto", gradient_checkpointing=False)
PAPERS |= {
    "embedding_norm": False,
    "final_norm": None,
    "generator_bias": False,
    "start_id": 2,
    "source_special_tokens": "eos",
}
PAPERS |= {
    "tokenizer": "word",
    "lowercase": "none",
    "min_count": 2,
    "vocab_size": 8000,
    "word_dropout": 0.0,
    "rare_word_dropout": 0.0,
}
PAPERS |= {"epochs": 10, "patience": 0, "batch_tokens": 4096, "accumulate": 1, "warmup_steps": 4000}
PAPERS |= dict(learning_rate=None, label_smoothing=0.1, clip_norm=None, beta1=0.9, beta2=0.98)
PAPERS |= {"activation": "relu", "decay_steps": None, "final_learning_rate": 0.0}
PAPERS |= dict(adam_eps=1e-9, weight_decay=0.0, average=1, average_of="last", workers=1)
PAPERS |= {"save_every": 1000, "seed": 0}
SMALL = dict(d_model=256, d_ff=512, n_encoder_layers=3, n_decoder_layers=3, batch_tokens=1024)
SMALL |= {"warmup_steps": 400, "learning_rate": 0.0007}
TINY = dict(d_model=64, d_ff=256, n_heads=4, n_encoder_layers=2, n_decoder_layers=2, dropout=0.0)
TINY |= dict(min_count=1, epochs=8, batch_tokens=512, warmup_steps=300, learning_rate=0.002)
MULTI30K = dict(
    d_model=128, d_ff=256, n_heads=4, n_encoder_layers=4, n_decoder_layers=4, dropout=0.3
)
MULTI30K |= dict(norm="pre", max_len=256, tokenizer="bpe", min_count=1, vocab_size=10000, epochs=44)
MULTI30K |= {"warmup_steps": 2000, "learning_rate": 0.005, "average": 10, "workers": 2}
MODEL = TASKS["translation"].predictor.config_class.options()
TRAINING = training_options()
EXPECTED = dict(base=PAPERS, small=PAPERS | SMALL, tiny=PAPERS | TINY, multi30k=PAPERS | MULTI30K)


# of each setting that is a number: values at the border of its range, and values beyond
BORDERS = {
    "min_count": ([1], [0]),
    "vocab_size": ([260], [259]),
    "word_dropout": ([0, 0.99], [-0.01, 1]),
    "rare_word_dropout": ([0, 1e9], [-0.01]),
    "epochs": ([1], [0]),
    "patience": ([0], [-1]),
    "batch_tokens": ([1], [0]),
    "accumulate": ([1], [0]),
    "warmup_steps": ([1], [0]),
    "learning_rate": ([1e-9, None], [0]),
    "decay_steps": ([2, None], [1]),
    "final_learning_rate": ([0], [-1e-9]),
    "label_smoothing": ([0, 0.99], [-0.01, 1]),
    "clip_norm": ([1e-9, None], [0]),
    "beta1": ([0, 0.99], [-0.01, 1]),
    "beta2": ([0, 0.99], [-0.01, 1]),
    "adam_eps": ([1e-12], [0]),
    "weight_decay": ([0], [-1e-9]),
    "average": ([1], [0]),
    "workers": ([1, 256], [0, 257]),
    "save_every": ([1], [0]),
    "seed": ([0], [-1]),
}


def all_settings(**given):
    training, model = merge_settings(given)
    config = TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **model)
    values = {name: getattr(training, name) for name in TRAINING}
    return values | {name: getattr(config, name) for name in MODEL}


@pytest.mark.parametrize("name", EXPECTED)
def test_settings_of_shipped_recipes(name):
    settings = all_settings(src="a", tgt="b", recipe=name)
    assert settings == EXPECTED[name]
    assert list(map(type, settings.values())) == [type(EXPECTED[name][key]) for key in settings]


def test_range_of_each_setting_of_a_training():
    assert BORDERS.keys() == {name for name in TRAINING if TRAINING[name].value_type is not str}
    for name, (inside, beyond) in BORDERS.items():
        assert [TRAINING[name].checked(value) for value in inside] == inside
        for value in beyond:
            with pytest.raises(InputError, match=f"{name} = {value}: expected"):
                TRAINING[name].checked(value)


def test_training_on_nothing_is_refused():
    with pytest.raises(InputError) as caught:
        TrainingSettings()
    assert str(caught.value) == (
        "nothing cannot be trained on: expected a dataset; or the files src and tgt, and with them "
        "held_out_src and held_out_tgt; or tsv or text, and with it held_out"
    )


def test_each_shipped_recipe_is_tested_or_of_a_data_set():
    of_files = [datasets.from_tsv("a"), datasets.from_text("a"), datasets.from_files("a", "b")]
    assert recipes() == sorted(
        {*EXPECTED, *(data.recipe for data in (*datasets.registry().values(), *of_files))}
    )


@pytest.mark.parametrize(
    "data", [data for data in datasets.registry().values() if data.recipe not in EXPECTED]
)
def test_recipe_of_data_set_changes_only_its_own_settings(data):
    training, model = merge_settings({"dataset": data.name})
    found, config = (
        json.loads((SHIPPED / f"{data.recipe}.json").read_text()),
        TASKS[data.task].predictor.config_class,
    )
    assert (
        model == found["model"]
        and found["training"].items()
        <= vars(training).items() | {"tokenizer": data.tokenizer}.items()
    )
    defaults = {
        name: setting.default
        for known in (TASKS[data.task].predictor.config_class.options(), TRAINING)
        for name, setting in known.items()
    }
    assert not [
        name for part in found.values() for name, value in part.items() if defaults[name] == value
    ]
    assert set(found["model"]) <= set(config.__dataclass_fields__)


@pytest.mark.parametrize(
    ("dataset", "foreign"),
    [
        ("trec", ["n_decoder_layers", "start_id"]),
        ("english", ["encoder", "pooling"]),
        ("copy", ["pooling"]),
    ],
)
def test_setting_of_another_task_is_rejected(dataset, foreign):
    task = datasets.get(dataset).task
    named = ", ".join(foreign)
    expected = f"a model of the task {task} has no {named}: its settings are d_model"
    with pytest.raises(InputError, match=expected):
        merge_settings({"dataset": dataset, **dict.fromkeys(reversed(foreign), 1)})


@pytest.mark.parametrize("name", EXPECTED)
def test_shipped_recipe_lists_only_differences(name):
    found = json.loads((SHIPPED / f"{name}.json").read_text())
    differing = {key for key, value in EXPECTED[name].items() if value != PAPERS[key]}
    assert found["model"].keys() | found["training"].keys() == differing


def test_arguments_override_data_set_and_recipe(tmp_path):
    (tmp_path / "mine.json").write_text(
        '{"training": {"tokenizer": "word", "epochs": 7, "seed": 3}}'
    )
    training, _ = merge_settings(
        {"dataset": "dates", "recipe": str(tmp_path / "mine.json"), "seed": 4}
    )
    assert (training.tokenizer, training.epochs, training.seed) == ("character", 7, 4)
    training, _ = merge_settings({"dataset": "dates", "tokenizer": "word"})
    assert (training.tokenizer, training.recipe) == ("word", "tiny")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dataset": "phrasebook"}, ("tiny", "word", "source", None)),
        ({"dataset": "dates"}, ("tiny", "character", "none", None)),
        ({"dataset": "sort"}, ("tiny", "word", "none", None)),
        ({"dataset": "phrasebook", "tokenizer": "bpe"}, ("tiny", "bpe", "none", None)),
        ({"dataset": "multi30k"}, ("multi30k", "bpe", "none", "en-de")),
        ({"dataset": "multi30k", "direction": "de-en"}, ("multi30k", "bpe", "none", "de-en")),
        ({"src": "a", "tgt": "b"}, ("small", "word", "none", None)),
    ],
)
def test_data_set_selects_recipe_and_text_settings(given, expected):
    training, _ = merge_settings(given)
    assert (training.recipe, training.tokenizer, training.lowercase, training.direction) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            '{"model": {"depth": 3, "color": 1}}',
            "not a recipe: its 'model' has unknown color, depth",
        ),
        ('{"model": {"epochs": 3}}', "not a recipe: its 'model' has unknown epochs"),
        (
            '{"model": {"src_vocab_size": 3}}',
            "not a recipe: its 'model' has unknown src_vocab_size",
        ),
        ('{"training": {"src": "a"}}', "not a recipe: its 'training' has unknown src"),
        ('{"training": {"recipe": "tiny"}}', "not a recipe: its 'training' has unknown recipe"),
        ('{"training": {"epochs": 0}}', "not a recipe: epochs = 0: expected an integer >= 1"),
        ('{"training": {"seed": null}}', "not a recipe: seed = None: expected an integer >= 0"),
        (
            '{"model": {"dropout": NaN}}',
            "not a recipe: dropout = nan: expected a number >= 0 and below 1",
        ),
        ('{"model": 3}', "not a recipe: expected a 'model' and a"),
        ('{"optimizer": {}}', "not a recipe: expected a 'model' and a"),
        ("[1]", "damaged: expected a JSON object"),
    ],
)
def test_file_that_is_not_a_recipe_is_named(tmp_path, content, expected):
    (tmp_path / "mine.json").write_text(content)
    with pytest.raises(InputError) as caught:
        read_recipe(str(tmp_path / "mine.json"))
    assert str(caught.value).startswith(f"{tmp_path / 'mine.json'} is {expected}")


def test_custom_recipe_is_used(tmp_path, text_files, sizes):
    (tmp_path / "mine.json").write_text('{"training": {"label_smoothing": 0.2, "min_count": 1}}')
    src, tgt = text_files
    run = runs.begin(
        src=src, tgt=tgt, recipe=tmp_path / "mine.json", folder=tmp_path / "run", **sizes
    )
    assert run.folder.training().label_smoothing == 0.2


@pytest.mark.parametrize("name", ["huge", "", "no/such"])
def test_unknown_recipe_error_lists_known_recipes(name):
    with pytest.raises(
        InputError, match=r"is unknown: expected one of ablation, .*, tiny, .*or a \.json file"
    ):
        read_recipe(name)


@pytest.mark.parametrize(
    ("name", "value"), [("norm", "rms"), ("positions", "rotary"), ("activation", "swiglu")]
)
def test_values_of_language_models_are_refused_for_other_tasks(name, value):
    _, model = merge_settings({"dataset": "english", name: value})
    assert model[name] == value
    for dataset in ("copy", "mistakes"):
        with pytest.raises(InputError, match=f"{name} = '{value}': expected one of"):
            merge_settings({"dataset": dataset, name: value})
