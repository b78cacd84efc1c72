"""The page of a comparison: both arrays of what differs, the changed lines, and what is said in words."""

import html
import re

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Transformer, TransformerConfig
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LanguageModelBatch, Objective, TranslationBatch
from npformer.testing import find_bug
from npformer.training import Adam
from npformer.visualization.comparison import compare_steps
from npformer.visualization.comparison.alignment import in_percent
from npformer.visualization.comparison.shared_arrays import MOST_ROWS, MOST_SHOWN
from npformer.visualization.comparison.summary import describe_curves, rows_of_differences
from tests.small_models import SIZES
from tests.visualization.stepper.unpacking import unpack

NORM = "LayerNorm.backward: no mean term"
SCORES = "attention.backward: no 1 / sqrt(d_k)"
RELU = "ReLU.backward: dy changed in place"
SMALL = {**SIZES, "src_vocab_size": 12, "tgt_vocab_size": 12, "dropout": 0.1}


class Names:
    """A vocabulary of markup."""

    tokens = ["</script>", "<b>", "&amp;", "${x}", "$name", *["<i>"] * 600]


@pytest.fixture(scope="module")
def compare():
    """Return the comparison of a bug in a model whose embeddings are too large for the page."""
    config = TransformerConfig(**{**SMALL, "src_vocab_size": 600, "tie_embeddings": "target"})
    objective = Objective(Transformer(config, rng=0))
    batch = TranslationBatch.of([[4, 5, 6]], [[6, 7]])
    found = {}

    def compare_(change, n_updates=0):
        if change not in found:
            found[change] = npf.what_if(
                objective, batch, change, n_updates=n_updates, vocabularies=[Names(), Names()]
            )
        return found[change]

    return compare_


def rows_of(page):
    """Return the packed data, what reads its arrays, and the rows of the differences."""
    data, array = unpack(page)
    return data, array, data["comparison"]["differences"]


def test_page_has_both_arrays_of_each_difference_exactly(compare):
    comparison = compare(NORM)
    data, array, rows = rows_of(comparison.html())
    assert len(rows) == len(comparison.differences) > 50
    assert data["comparison"]["n_arrays"] == comparison.n_arrays
    for difference, row in zip(comparison.differences, rows, strict=True):
        step, place, a, b, size, causes, line, apart, is_rounding, is_handed_on, *_ = row
        is_changed = (
            difference.place.module.endswith("norm") and difference.place.name == "returned"
        )
        assert is_changed or line is None
        name, kind, number, _ = data["steps"][step][3][place]
        assert (name, kind, number) == (difference.place.name, difference.place.kind, a)
        assert (np.inf if size is None else size) == pytest.approx(difference.size, rel=1e-5)
        assert apart == pytest.approx(difference.apart, rel=1e-5)
        assert tuple(causes) == difference.causes
        assert is_rounding == difference.is_rounding
        assert is_handed_on == difference.is_handed_on
        weight = np.inf if row[11] is None else row[11]
        assert weight == pytest.approx(difference.weight, rel=1e-5)
        assert row[12] is None  # no argument with which the difference begins
        if data["views"][a][1] != [600, 16]:
            np.testing.assert_array_equal(array(a), difference.a)
            np.testing.assert_array_equal(array(b), difference.b)


def test_page_stores_what_is_equal_once(compare):
    comparison = compare(NORM)
    data, _, rows = rows_of(comparison.html())
    alone, _ = unpack(comparison.a.html())
    contents = {data["views"][row[3]][0] for row in rows}
    for row in rows:
        contents |= {data["views"][number][0] for number in (row[-1] or [])[:2]}
    assert len(data["blocks"]) <= len(alone["blocks"]) + len(contents)
    assert len(contents) < len(rows)  # what is handed on is one content


def test_large_parameters_and_gradients_that_are_equal_keep_their_shape_alone(compare):
    comparison = compare(NORM)
    data, _, rows = rows_of(comparison.html())
    numbers = {}
    for step in data["steps"]:
        for name, kind, number, _ in step[3]:
            shape = data["views"][number][1]
            if kind in ("parameter", "gradient"):
                numbers[data["calls"][step[0]][0], name] = (shape, data["views"][number][0])
    shape, block = numbers["encoder.input_embedding.embedding", "table.grad"]
    assert np.prod(shape) > MOST_SHOWN and data["blocks"][block][2] == 0
    shape, block = numbers["decoder.input_embedding.embedding", "table.grad"]
    assert np.prod(shape) < MOST_SHOWN and data["blocks"][block][2] == np.prod(shape)
    [size] = [row[4] for row in rows if data["views"][row[2]][1] == [600, 16]][-1:]
    assert size > 0


def test_page_has_the_rows_of_a_large_gradient_that_differ_most(compare):
    comparison = compare(NORM)
    _, array, rows = rows_of(comparison.html())
    [(large, row)] = [
        (difference, row)
        for difference, row in zip(comparison.differences, rows, strict=True)
        if difference.place.kind == "gradient" and difference.a.shape == (600, 16)
    ]
    a, b, indices, tokens = row[-1]
    apart = np.abs(large.a - large.b).max(axis=1)
    # three of the rows are those of the tokens of the sentence, and no other differs
    assert set(np.flatnonzero(apart)) <= set(indices) and len(indices) == MOST_ROWS
    np.testing.assert_array_equal(array(a), large.a[indices])
    np.testing.assert_array_equal(array(b), large.b[indices])
    assert tokens[indices.index(5)] == "<i>"
    assert (
        "<p>Of parameters and gradients of more than 4,096 entries, and of parameters of more than "
        "2,048 entries after the update, only the 8 rows that differ most are in this page.</p>"
    ) in comparison.html()


class Numbered:
    """A vocabulary whose tokens name its side."""

    def __init__(self, side, size):
        self.tokens = [f"{side}{i}" for i in range(size)]


def make_large(src_vocab_size):
    """Return an objective whose embedding matrices are too large for the page."""
    sizes = {"src_vocab_size": src_vocab_size, "tgt_vocab_size": 270, "tie_embeddings": "target"}
    return Objective(Transformer(TransformerConfig(**{**SMALL, **sizes}), rng=0))


def test_rows_of_a_large_embedding_have_the_tokens_of_its_side():
    objective = make_large(300)
    adam = Adam(objective.parameters(), learning_rate=0.1)
    comparison = npf.what_if(
        objective,
        TranslationBatch.of([[4, 5, 6]], [[6, 7]]),
        NORM,
        adam,
        n_updates=0,
        vocabularies=[Numbered("s", 300), Numbered("t", 270)],
    )
    _, _, rows = rows_of(comparison.html())
    found = set()
    for difference, row in zip(comparison.differences, rows, strict=True):
        if row[-1] is None:
            continue
        *_, indices, tokens = row[-1]
        side = "s" if difference.a.shape[0] == 300 else "t"
        assert tokens == [f"{side}{i}" for i in indices]
        found.add((side, difference.direction))
    assert found == {(side, direction) for side in "st" for direction in ("backward", "update")}


def test_large_arrays_of_two_shapes_have_no_rows_and_no_distance():
    batch = TranslationBatch.of([[4, 5]], [[6]])
    recordings = []
    for objective in (make_large(300), make_large(301)):
        adam = Adam(objective.parameters(), learning_rate=0.1)
        recordings.append(npf.step_through(objective, batch, adam))
    comparison = compare_steps(*recordings)
    _, _, rows = rows_of(comparison.html())
    found = set()
    for difference, row in zip(comparison.differences, rows, strict=True):
        if difference.a.shape != difference.b.shape:
            assert row[7] is row[10] is row[-1] is None
            found.add(difference.direction)
    assert found == {"forward", "backward", "update"}


def test_page_names_the_line_that_passes_an_argument(compare):
    comparison = compare("PostNorm: no residual in either direction")
    data, _, rows = rows_of(comparison.html())
    first = comparison.first
    assert first.is_passed and rows[0][12] == first.step
    assert data["steps"][rows[0][12]][1] == first.line


def test_page_of_one_text_calls_it_a_text():
    config = LanguageModelConfig(vocab_size=12, d_model=8, d_ff=8, n_heads=2, n_decoder_layers=1)
    objective = Objective(LanguageModel(config, rng=0))
    batch = LanguageModelBatch.collate([[4, 5, 6]])
    page = html.unescape(npf.what_if(objective, batch, NORM, n_updates=0).html())
    assert "(forward and backward) on the text \u201c" in page


def test_array_of_the_first_recording_alone_has_no_other_number(compare):
    comparison = compare(SCORES)
    data, array, rows = rows_of(comparison.html())
    step, place, a, b, size, _, line, *_ = rows[0]
    assert data["steps"][step][3][place][0] == "dscores" and (b, size, line) == (None, None, None)
    np.testing.assert_array_equal(array(a), comparison.first.a)


def test_array_of_the_second_recording_alone_is_at_the_place_of_its_line(compare):
    comparison = compare(RELU)
    data, array, rows = rows_of(comparison.html())
    step, place, a, b, _, _, line, *_ = rows[0]
    call, number, _, made, _ = data["steps"][step]
    assert data["calls"][call][0].endswith("activation") and a is None
    assert made[place][:3] == ["dy", "local", b] and line == number
    np.testing.assert_array_equal(array(b), comparison.first.b)

    source = data["calls"][call][1]
    changed = [row for row in data["comparison"]["rows"][str(source)] if row[0]]
    assert changed == [
        ["-", number, number, "    return dy * (y > 0)"],
        ["+", number, number, "    dy *= y > 0"],
        ["+", number + 1, number, "    return dy"],
    ]


def test_inserted_line_is_in_the_place_of_none(compare):
    bug = "Embedding.backward: the table's gradient overwritten, the generator's part lost"
    data, _, _ = rows_of(compare(bug).html())
    [rows] = data["comparison"]["rows"].values()
    [place] = [place for place, row in enumerate(rows) if row[0]]
    number = rows[place - 1][1] + 1
    assert rows[place] == ["+", number, 0, "    self.table.grad.fill(0)"]
    page = compare(bug).html()
    assert 'the code as it is</span><code class="only-a">(does not have this line)</code>' in page
    assert 'the changed code</span><code class="only-b">self.table.grad.fill(0)</code>' in page


def test_only_functions_with_changed_lines_have_rows(compare):
    data, _, _ = rows_of(compare(NORM).html())
    [place] = data["comparison"]["rows"]
    assert data["functions"][int(place)]["file"] == "npformer/layers/layer_norm.py"
    signs = [row[0] for row in data["comparison"]["rows"][place]]
    assert signs.count("-") == signs.count("+") == 1


def test_returned_value_by_another_name_is_compared(compare):
    names = [difference.place.name for difference in compare(RELU).differences]
    assert "dy" in names and not [name for name in names if name.startswith("returned")]


def test_page_describes_the_change_and_the_first_difference(compare):
    comparison = compare(NORM)
    page = html.unescape(comparison.html())
    bug = find_bug(NORM)
    assert f"<h1>What if this line were wrong? {bug.title}</h1>" in page
    assert "<code>LayerNorm.backward</code> in <code>layers/layer_norm.py</code>" in page
    line = "return rstd * (dxhat - mean - xhat * projection)"
    assert f'the code as it is</span><code class="only-a">{line}</code>' in page
    assert 'the changed code</span><code class="only-b">return rstd * (dxhat - xhat' in page
    assert "<del>" not in page
    count = (
        f"<strong>{len(comparison.differences)} of {comparison.n_arrays:,} arrays differ</strong>"
    )
    assert count in page
    first = comparison.first
    n_handed_on = sum(difference.is_handed_on for difference in comparison.differences)
    assert (
        f"{count}, {n_handed_on:,} of them only handed on. The first, in backward, is <button "
        f'type="button" class="plain" data-difference="0">returned in {first.place.module}.backward'
        f"</button> ({first.file}:{first.line}): B differs from A by up to {first.apart:.3g}, "
        f"which is {in_percent(first.size)} of the largest entry of A."
    ) in page
    update = re.search('<p class="which-update">(.*?)</p>', page)[1]
    sentences = "the sentence pair “$name <i> <i> ${x} → &amp; <i> <i>”"
    loss = f"with the loss {comparison.a.loss:.6g} in both."
    assert update == (
        f"A and B are the same training update (forward and backward) on {sentences}, {loss} Both "
        "begin with the weights that the model had. There is no optimizer: only forward and "
        "backward run."
    )
    assert "Both losses are equal, as they must be" in page
    assert '<a href="https://github.com/BVLC/caffe/pull/1891"' in page
    assert " ".join(bug.teaches.split()) in " ".join(page.split())


def test_page_describes_losses_that_differ(compare):
    comparison = compare("causal mask: upside down")
    page = comparison.html()
    assert f"with the loss {comparison.a.loss:.6g} in A and {comparison.b.loss:.6g} in B." in page
    apart = comparison.b.loss - comparison.a.loss
    how = "above" if apart > 0 else "below"
    assert f"The loss of B is {abs(apart):.3g} {how} that of A." in page


def test_page_has_the_curves_of_the_losses_and_the_gradient_check():
    objective = Objective(Transformer(TransformerConfig(**SMALL), rng=0))
    batch = TranslationBatch.of([[4, 5]], [[6]])
    comparison = npf.what_if(objective, batch, NORM, n_updates=3)
    page = comparison.html()
    data, _, _ = rows_of(page)
    np.testing.assert_allclose(data["comparison"]["losses"], comparison.losses, rtol=1e-3)
    a, b, other_seed = (losses.mean() for losses in comparison.losses)
    assert data["comparison"]["curves"].startswith("In a small training of 3 updates, ")
    assert f"{a:.4g} in A and {b:.4g} in B. A from another seed, gray, has {other_seed:.4g}" in page
    assert html.escape(comparison.gradient_check) in page


def test_mean_of_the_curves_is_that_of_the_last_losses():
    losses = np.arange(50.0)
    assert "the mean of the last 20 losses is 39.5 in A and 49.5 in B." in describe_curves(
        losses, losses + 10
    )


def test_changed_line_is_named_by_its_function():
    objective = Objective(Transformer(TransformerConfig(**SMALL), rng=0))
    batch = TranslationBatch.of([[4, 5]], [[6]])
    change = {"layers/softmax.py": ("y * (dy - row_sum(dy * y))", "dy * y")}
    page = npf.what_if(objective, batch, change, n_updates=0).html()
    assert "<h1>What if Softmax.backward were changed?</h1>" in page


def test_equal_recordings_have_a_page_too(compare):
    recording = compare(NORM).a
    comparison = compare_steps(recording, recording)
    page = comparison.html()
    assert f"All {comparison.n_arrays:,} arrays are equal." in page
    assert "A is the first recording, B is the second." in page
    assert rows_of(page)[2] == []


def test_page_of_a_change_that_does_nothing_says_why(compare):
    page = compare("Embedding.backward: repeated ids lost").html()
    assert "arrays are equal. The change does nothing in this update" in page
    assert "a repeated token" in page


def test_page_makes_no_requests_and_escapes_tokens(compare):
    page = compare(NORM).html()
    assert page.isascii() and page.count("<script") == page.count("</script>") == 1
    assert "<b>" not in page and "<i>" not in page
    loads = r"src\s*=|<link|@import|url\((?!#)|import\(|fetch\(|XMLHttpRequest"
    assert not re.search(loads, re.sub(r'PACKED = "[^"]*"', "", page))


def test_table_without_scripts_has_the_first_twenty(compare):
    comparison = compare(NORM)
    table = html.unescape(re.search(r"<table>(.*?)</table>", comparison.html(), re.S)[1])
    rows = table.split("<tr>")[2:]
    assert len(rows) == 21 and f"and {len(comparison.differences) - 20:,} more" in rows[-1]
    for difference, row in zip(comparison.differences[:20], rows[:20], strict=True):
        assert f"<td>{difference.place.module}.{difference.place.function}</td>" in row
    assert "B differs from A by " in rows[0]


def test_page_is_saved_only_as_html(compare, tmp_path):
    comparison = compare(NORM)
    comparison.save(tmp_path / "what_if.html")
    assert (tmp_path / "what_if.html").read_text() == comparison.html()
    with pytest.raises(InputError, match=r"what_if.pdf: expected a name that ends in \.html"):
        comparison.save(tmp_path / "what_if.pdf")


def test_notebook_output_is_an_iframe_with_the_page(compare):
    comparison = compare(RELU)
    shown = re.match(
        r'<iframe title="What if this line were wrong\?" [^>]*srcdoc="([^"]*)"></iframe>'
        r"<table>(.*)</table>",
        comparison._repr_html_(),
        re.DOTALL,
    )
    assert html.unescape(shown[1]) == comparison.html()
    assert shown[2] == rows_of_differences(comparison.differences)


@pytest.mark.long
def test_page_of_a_sentence_has_at_most_three_megabytes():
    translator = npf.load("phrasebook")
    objective = Objective(translator.model).train()
    source = translator.source.encode("the girl sees a small dog .")
    target = translator.target.encode("Das Mädchen sieht einen kleinen Hund .")
    batch = TranslationBatch.of([source], [target])
    comparison = npf.what_if(objective, batch, "causal mask: upside down", n_updates=0)
    assert len(comparison.html()) < 3_000_000


def test_page_says_what_was_before():
    objective = Objective(Transformer(TransformerConfig(**SMALL), rng=0))
    batch = TranslationBatch.of([[4, 5], [5]], [[6], [7]])
    adam = Adam(objective.parameters(), learning_rate=0.1)
    comparison = npf.what_if(objective, batch, NORM, adam, n_updates=0)
    page = html.unescape(comparison.html())
    assert "(forward, backward and a step of Adam) on 2 sentence pairs, of which the first" in page
    begin = "Both begin with the weights that the model had."
    assert comparison.history == f"{begin} It is step 1 of Adam." and comparison.history in page
    told = npf.what_if(objective, batch, NORM, adam, history="The model is new.", n_updates=0)
    assert "The model is new.</p>" in told.html() and "It is step 1" not in told.html()


def test_update_says_how_far_it_moves_the_parameters_of_both():
    objective = Objective(Transformer(TransformerConfig(**SMALL), rng=0))
    before = {}
    for name, parameter in objective.named_parameters():
        before[name.removeprefix("model.")] = parameter.data.copy()
    batch = TranslationBatch.of([[4, 5]], [[6]])
    adam = Adam(objective.parameters(), learning_rate=0.1)
    comparison = npf.what_if(objective, batch, NORM, adam, n_updates=0)
    _, _, rows = rows_of(comparison.html())

    names = set()
    for difference, row in zip(comparison.differences, rows, strict=True):
        if difference.direction != "update":
            assert row[10] is None
            continue
        names.add(difference.place.name)
        for moved, after in zip(row[10], (difference.a, difference.b), strict=True):
            # an update that changes nothing makes no array
            expected = 0 if after is None else np.abs(after - before[difference.place.name]).max()
            assert moved == pytest.approx(expected, rel=1e-4)
    # with a wrong backward of the last norm, nearly everything
    assert len(names) > 0.8 * len(before)


@pytest.mark.parametrize(
    ("b", "other_seed", "says"),
    [
        (1.2, 1.4, "other random numbers alone make as much of a difference as the change"),
        (1.6, 1.4, "B is farther from A than that, 0.6 as against 0.4"),
    ],
)
def test_curves_are_compared_with_another_seed(b, other_seed, says):
    words = describe_curves(np.full(30, 1.0), np.full(30, b), np.full(30, other_seed))
    assert f"is 1 in A and {b} in B." in words and says in words
