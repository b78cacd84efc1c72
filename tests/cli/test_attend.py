import warnings

import pytest

import npformer as npf
from npformer.cli import attend as verb
from npformer.tasks import Translator
from npformer.text import Vocabulary
from npformer.visualization import sentence_attention
from npformer.visualization.viewer import AttentionViewer

SENTENCE = "the dog sleeps ."


@pytest.fixture(scope="module")
def looked(trained_run):
    return sentence_attention(npf.load(trained_run), SENTENCE)


def maps(figure):
    return [
        ax.images[0].get_array()
        for ax in figure.axes
        if ax.images and ax.get_label() != "<colorbar>"
    ]


def labels(ax):
    return [
        [label.get_text() for label in found]
        for found in (ax.get_yticklabels(), ax.get_xticklabels())
    ]


@pytest.mark.parametrize(
    ("kind", "title", "queries", "keys"),
    [
        ("cross", "cross-attention", "written", "source"),
        ("encoder", "encoder self-attention", "source", "source"),
        ("decoder", "decoder self-attention", "read", "read"),
    ],
)
def test_all_heads_of_last_layer_are_plotted(
    run_attend, trained_run, looked, kind, title, queries, keys
):
    figure, _, err = run_attend(trained_run, SENTENCE, "--kind", kind)
    assert err == ""
    assert [image.tolist() for image in maps(figure)] == getattr(looked, kind)[-1].tolist()
    assert labels(figure.axes[0]) == [getattr(looked, queries), getattr(looked, keys)]
    assert figure.get_suptitle() == f"{title}, layer 0"


@pytest.fixture
def deep(make_model, tmp_path):
    """A run, of random weights, with two encoder and three decoder layers of four heads."""
    vocabulary = Vocabulary.build(["the dog sleeps . der Hund schläft x"])
    model = make_model(n_encoder_layers=2, n_decoder_layers=3, n_heads=4, max_len=30)
    npf.save(Translator(model.eval(), vocabulary, vocabulary), tmp_path / "deep")
    return tmp_path / "deep"


@pytest.mark.parametrize(
    ("options", "layers", "heads", "title"),
    [
        (["--layer", "0"], [0], [0, 1, 2, 3], "cross-attention, layer 0"),
        (["--layer", "1", "--heads", "3"], [1], [3], ""),
        (["--heads", "0,2"], [2], [0, 2], "cross-attention, layer 2"),
        (["--layer", "all", "--heads", "3,1,3"], [0, 1, 2], [1, 3], "cross-attention"),
        (["--layer", "all", "--heads", "3"], [0, 1, 2], [3], "cross-attention"),
    ],
)
def test_requested_layers_and_heads_are_plotted(run_attend, deep, options, layers, heads, title):
    texts = ("the dog", "der Hund schläft")
    figure, _, err = run_attend(deep, texts[0], "--translation", texts[1], *options)
    looked = sentence_attention(npf.load(deep), *texts)
    expected = [looked.cross[layer, head].tolist() for layer in layers for head in heads]
    assert ([image.tolist() for image in maps(figure)], err) == (expected, "")
    assert grid(figure) == (len(layers), len(heads))
    assert labels(figure.axes[0]) == [looked.written, looked.source]

    names = [f"head {head}" for head in heads]
    if len(layers) > 1:
        names = [f"layer {layer}, {name}" for layer in layers for name in names]
    elif len(heads) == 1:
        names = ["cross-attention, layer 1, head 3"]
    titles = [ax.get_title() for ax in figure.axes if ax.images and ax.get_label() != "<colorbar>"]
    assert (figure.get_suptitle(), titles) == (title, names)


def grid(figure):
    return figure.axes[0].get_subplotspec().get_geometry()[:2]


def test_figure_grows_with_its_sentences_and_maps(run_attend, deep):
    """In inches: the letters of both sides (0.09 each), the rows and columns of maps, the rest."""
    short = ["the dog", "--translation", "der Hund"]  # with <eos> 3 x 3 cells
    one, *_ = run_attend(deep, "the dog", "--translation", "der Hund schläft", "--heads", "1")
    assert one.get_size_inches() == pytest.approx([4.5, 5 * 0.09 + 4 * 0.4 + 0.9])

    four, *_ = run_attend(deep, *short)
    assert grid(four) == (1, 4)
    assert four.get_size_inches() == pytest.approx(
        [5 * 0.09 + 4 * 1.2 + 0.9, 5 * 0.09 + 0.95 + 0.5]
    )

    # of long sentences fewer maps are side by side
    long, *_ = run_attend(deep, "the dog " * 13, "--translation", "der Hund")
    assert grid(long) == (2, 2)
    assert long.get_size_inches()[0] == pytest.approx(5 * 0.09 + 2 * 27 * 0.2 + 0.9)


@pytest.mark.parametrize(
    ("options", "name"), [((), "attention-cross-maps.png"), (("--out", "it.svg"), "it.svg")]
)
def test_picture_is_written_and_path_printed(
    command, trained_run, tmp_path, monkeypatch, options, name
):
    monkeypatch.chdir(tmp_path)
    assert command("attend", trained_run, "the dog", *options) == (0, f"{name}\n", "")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_viewer_is_written_in_addition_to_picture(command, trained_run, tmp_path, looked):
    page, picture = tmp_path / "it.html", tmp_path / "it.png"
    outcome = command("attend", trained_run, SENTENCE, "--html", page, "--out", picture)
    assert outcome == (0, f"{picture}\n{page}\n", "")
    AttentionViewer(looked).save(tmp_path / "same.html")
    assert page.read_bytes() == (tmp_path / "same.html").read_bytes()


def test_unknown_words_are_named(command, trained_run, tmp_path):
    out = tmp_path / "it.png"
    status, _, err = command(
        "attend", trained_run, "the zebra", "--translation", "das Zebra", "--out", out
    )
    assert (status, out.exists()) == (0, True)
    assert (
        err
        == "npformer: unknown, read as <unk>: zebra\nnpformer: unknown, read as <unk>: das, Zebra\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layer", "1"), "layer 1 does not exist: expected a number from 0 to 0"),
        (("--heads", "0,2"), "head 2 does not exist: expected a number from 0 to 1"),
        (("--layer=-1",), "expected an integer >= 0, got '-1'"),
        (("--heads=1,-1",), "expected an integer >= 0, got '-1'"),
        (("--kind", "sideways"), "invalid choice: 'sideways'"),
        (("--translation", " "), "the translation is empty"),
        (
            ("--html", "page.txt"),
            "cannot write a page to page.txt: expected a name that ends in .html",
        ),
        (
            ("--out", "no/such/folder/it.png"),
            "cannot write no/such/folder/it.png: No such file or directory",
        ),
    ],
)
def test_attend_rejects_invalid_options(
    refused, trained_run, tmp_path, monkeypatch, options, message
):
    monkeypatch.chdir(tmp_path)
    assert message in refused("attend", trained_run, SENTENCE, *options)
    assert not list(tmp_path.iterdir())


@pytest.fixture
def run_attend(command, monkeypatch):
    """Run `npformer attend` on a run of one text, and return the figure and the text on standard
    error.
    """
    saved = []
    monkeypatch.setattr(
        verb.plots, "save_figure", lambda figure, path: saved.append((figure, path))
    )

    def run(*arguments):
        status, out, err = command("attend", *arguments)
        assert status == 0
        figure, path = saved.pop()
        assert out == f"{path}\n"
        return figure, path, err

    return run


def test_warning_of_the_picture_is_one_line(command, trained_run, monkeypatch):
    def save(figure, path):
        warnings.warn("a letter\nis missing", stacklevel=1)

    monkeypatch.setattr(verb.plots, "save_figure", save)
    outcome = command("attend", trained_run, "the dog", "--out", "a.png")
    assert outcome == (0, "a.png\n", "npformer: a letter is missing\n")


def test_language_model_attention_is_plotted(run_attend, text_run):
    figure, path, err = run_attend(text_run, "the dog")
    looked = sentence_attention(npf.load(text_run), "the dog")
    assert (path, err) == ("attention-decoder-maps.png", "")
    assert figure.get_suptitle() == "decoder self-attention, layer 1"
    assert [image.tolist() for image in maps(figure)] == looked.decoder[-1].tolist()
    assert labels(figure.axes[0]) == [["t", "h", "e", "␣", "d", "o", "g"]] * 2
    assert len(maps(run_attend(text_run, "the dog", "--layer", "all", "--kind", "decoder")[0])) == 4


def test_classifier_attention_starts_at_bos(run_attend, classifier_run):
    figure, path, err = run_attend(classifier_run, " the zebra sings .")
    looked = sentence_attention(npf.load(classifier_run), "the zebra sings .")
    assert (path, err) == (
        "attention-encoder-maps.png",
        "npformer: unknown, read as <unk>: zebra\n",
    )
    assert [image.tolist() for image in maps(figure)] == looked.encoder[-1].tolist()
    assert labels(figure.axes[0]) == [["<bos>", "the", "zebra <unk>", "sings", "."]] * 2


@pytest.mark.parametrize(
    ("run", "options", "message"),
    [
        (
            "text_run",
            ["--kind", "cross"],
            "--kind cross: a model of the task language_model has no such attention, "
            "expected decoder",
        ),
        (
            "classifier_run",
            ["--kind", "decoder"],
            "--kind decoder: a model of the task classification has no such attention, "
            "expected encoder",
        ),
        (
            "text_run",
            ["--translation", "der Hund"],
            "a model of the task language_model reads no translation: leave it out",
        ),
        (
            "classifier_run",
            ["--translation", "x"],
            "a model of the task classification reads no translation: leave it out",
        ),
    ],
)
def test_attention_missing_in_single_stack_model_is_rejected(
    refused, request, run, options, message
):
    assert message in refused("attend", request.getfixturevalue(run), "the dog", *options)
