"""The first minute of the step debugger: heading, opening, stops and tour, theme, and axe-core."""

import html
import re
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer.models import Classifier, ClassifierConfig, LanguageModel, LanguageModelConfig
from npformer.tasks import ClassificationBatch, LanguageModelBatch, Objective, TranslationBatch

pytestmark = pytest.mark.browser

STOPS = ["embedding", "positions", "scores", "softmax", "Add & Norm"]
STOPS += ["masked scores", "cross-attention", "logits", "loss"]
STOPS += ["dlogits", "dscores", "embedding gradient"]
OF_ONE_STACK = [name for name in STOPS if name not in ("masked scores", "cross-attention")]
PAPER = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"


class Words:
    tokens = ["<pad>", "<unk>", "<bos>", "<eos>", *"abcdefgh"]


@pytest.fixture(scope="module")
def recording(make_model):
    objective = Objective(make_model(dropout=0.0, n_decoder_layers=2))
    batch = TranslationBatch.of([[4, 5, 6]], [[8, 9]])
    return npf.step_through(objective, batch, vocabularies=[Words(), Words()])


@pytest.fixture
def show(open_page):
    def show_(shown, **settings):
        page = open_page(shown.html(), **settings)
        page.wait_for_selector(".app")
        return page

    return show_


def line(page):
    return page.locator(".current code").first.inner_text().strip()


def tour(page):
    """Return the words of each stop, by its name."""
    told = {}
    for _ in range(page.locator(".chapters button").count()):
        page.keyboard.press(" ")
        name = page.locator(".chapters [aria-current=step]").inner_text()
        told[name] = page.locator(".words").inner_text().replace("\u2212", "-")
    return told


def numbers(text):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", text)]


def test_sentence_and_loss_are_the_heading(show, recording):
    page = show(recording)
    expected = f"a b c \u2192 e f \u00b7 loss {recording.loss:.4g}"
    assert page.locator("h1").all_inner_texts() == [expected]
    assert page.locator("h1").is_visible() and page.locator("h1").bounding_box()["y"] < 20


def test_page_opens_at_the_scores_of_the_first_attention(show, recording):
    page = show(recording)
    title = page.locator(".code-panel h2").first.inner_text()
    assert title.startswith("encoder.layers.0.self_attention.sublayer.attention.forward")
    assert line(page) == "scores = query @ key.swapaxes(-1, -2)"
    assert page.locator(".array-panel h2").inner_text() == "scores"
    page.wait_for_function("location.hash.endsWith(';scores')")
    address = page.evaluate("location.hash")
    page.keyboard.press("Home")
    page.wait_for_function("address => location.hash !== address", arg=address)
    page.evaluate("address => { location.hash = address; }", address)
    page.wait_for_function("document.querySelector('.array-panel h2').textContent === 'scores'")
    assert line(page) == "scores = query @ key.swapaxes(-1, -2)"


def test_arrows_go_to_lines_that_compute_and_with_s_to_every_line(show, recording):
    page = show(recording)
    page.keyboard.press("Home")
    lines = []
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        lines.append(line(page))
        made = page.locator(".current .chip").last.inner_text()
        assert made.split()[0] in page.locator(".array-panel h2").inner_text()
    computing = [one for one in lines if re.search(r" [-+*/@]=? |==|xp\.|padding_mask|row_", one)]
    assert len(computing) == 30
    assert not [one for one in lines if re.search(r"^def |^if |check_|to_device|\.reshape", one)]
    page.keyboard.press("ArrowLeft")
    assert line(page) == lines[-2]

    page.keyboard.press("s")
    assert not page.get_by_label("skip checks and calls").is_checked()
    page.keyboard.press("Home")
    for count in range(2, 32):
        page.keyboard.press("ArrowRight")
        assert page.locator("nav > output").inner_text().startswith(f"{count} /")


def test_tour_has_twelve_stops_whose_numbers_are_those_of_the_arrays(show, recording):
    page = show(recording)
    told = tour(page)
    assert list(told) == STOPS

    def arrays(words):
        return [recording[made] for _, made in recording.find(words)]

    attention = "encoder.layers.0.self_attention.sublayer.attention"
    scores = arrays(f"{attention} scores")[1]
    assert numbers(told["embedding"]) == [4, 4, 16]  # tokens, vectors, d_model
    assert numbers(told["scores"])[0] == scores.shape[1]
    np.testing.assert_allclose(
        numbers(told["scores"])[1:3], [scores.min(), scores.max()], rtol=1e-3
    )
    assert re.search(r" \(head \d, “[^”]+”, “[^”]+”\)\.", told["scores"])
    weights = arrays(f"{attention} weights")[0]
    np.testing.assert_allclose(numbers(told["softmax"])[:2], [1, weights.max()], rtol=1e-3)
    xhat = arrays("encoder.layers.0.self_attention.norm xhat")[0][0, 0]
    measured = [xhat.mean(), xhat.std()]
    np.testing.assert_allclose(numbers(told["Add & Norm"])[-2:], measured, atol=1e-4)

    [logits, *_] = arrays("generator logits")
    [targets, *_] = arrays("loss ids")
    hits = (logits.argmax(1) == targets).sum()
    assert numbers(told["logits"]) == [logits.shape[1], hits, len(targets)]
    losses = arrays("loss losses")[-1]  # the last line takes the smoothing in
    smoothed = np.full(12, 0.1 / 12)  # what label smoothing asks for, with its loss if it is met
    smoothed[0] += 1 - 0.1
    floor = -(smoothed * np.log(smoothed)).sum()
    expected = [recording.loss, 3, losses.max(), 12, 12, np.log(12)]
    expected += [1, smoothed[0], 1, 0.1, floor]
    np.testing.assert_allclose(numbers(told["loss"]), expected, rtol=1e-3)
    dlogits = arrays("loss.backward dlogits")[-1]
    below = (dlogits[np.arange(3), targets] < 0).sum()
    assert numbers(told["dlogits"])[3:5] == [below, 3] and numbers(told["dlogits"])[1] < 1e-6
    np.testing.assert_allclose(numbers(told["dlogits"])[-1], smoothed[0], rtol=1e-3)
    assert numbers(told["dscores"])[-1] < 1e-6
    gradient = arrays("encoder.input_embedding.embedding table.grad")[-1]
    assert numbers(told["embedding gradient"])[:2] == [gradient.any(1).sum(), len(gradient)]

    page.keyboard.press(" ")
    assert page.locator(".words").inner_text().startswith("The tour is over. Next:")
    assert page.locator("[aria-live]").inner_text().startswith("The tour is over.")
    page.keyboard.press(" ")  # from the end to the start again
    assert page.locator(".chapters [aria-current=step]").inner_text() == STOPS[0]
    page.get_by_role("button", name="softmax", exact=True).click()
    assert line(page).startswith("y /= ") and page.locator(".array-panel h2").inner_text() == "y"
    page.keyboard.press(" ")
    assert page.locator(".chapters [aria-current=step]").inner_text() == "Add & Norm"


def test_tour_says_what_the_decoder_reads_and_does_not_see(show, recording):
    told = tour(show(recording))
    assert "the decoder is given the target sentence" in told["embedding"]
    assert "“<bos> e f”" in told["embedding"]

    attention = "self_attention.sublayer.attention"
    found = recording.find(f"decoder.layers.0.{attention}.softmax x")
    hidden = recording[found[-1][1]]
    assert hidden.shape[-2:] == (3, 3) and (hidden[0, 0] == -np.inf).sum() == 3
    assert numbers(told["masked scores"]) == [0, 3, 9]  # the weight, and 3 scores of 9

    found = recording.find("decoder.layers.0.cross_attention.sublayer.attention scores")
    scores = recording[found[1][1]]
    expected = [*scores.shape[-2:], scores.max()]
    np.testing.assert_allclose(numbers(told["cross-attention"])[:3], expected, rtol=1e-3)


@pytest.mark.parametrize("rate", [0.01, npf.WarmupSchedule(16, 400)])
def test_tour_ends_at_the_update_if_it_is_recorded(show, make_model, rate):
    objective = Objective(make_model(dropout=0.0))
    [(name, first), *_] = objective.model.named_parameters()
    before = first.data.copy()
    adam = npf.Adam(objective.parameters(), rate)
    told = tour(show(npf.step_through(objective, TranslationBatch.of([[4, 5]], [[6]]), adam)))
    assert list(told) == [*STOPS, "Adam"]
    assert f"an entry of {name} by" in told["Adam"]
    expected = [adam.learning_rate_at(1), abs(first.data - before).max()]
    np.testing.assert_allclose(numbers(told["Adam"]), expected, rtol=1e-3)


def test_without_smoothing_the_tour_has_no_word_of_it(show, make_model):
    objective = Objective(make_model(dropout=0.0), label_smoothing=0.0)
    told = tour(show(npf.step_through(objective, TranslationBatch.of([[4, 5]], [[6]]))))
    assert "moothing" not in told["loss"] + told["dlogits"]


@pytest.mark.parametrize(("width", "face"), [(1280, "Tour: Space"), (390, "Tour")])
def test_button_of_the_tour_names_a_key_where_there_is_a_keyboard(show, recording, width, face):
    assert show(recording, width=width).locator(".tour .next").inner_text() == face


def classifier(encoder):
    config = ClassifierConfig(
        vocab_size=12,
        n_classes=3,
        d_model=8,
        d_ff=8,
        n_heads=2,
        n_encoder_layers=1,
        encoder=encoder,
    )
    batch = ClassificationBatch.collate([([4, 5, 6], 1), ([7, 8], 2)])
    return npf.step_through(Objective(Classifier(config, rng=0)), batch)


def language_model():
    config = LanguageModelConfig(
        vocab_size=9, d_model=8, d_ff=8, n_heads=2, n_decoder_layers=2, norm="pre"
    )
    batch = LanguageModelBatch.collate([[2, 4, 5, 6, 3]])
    return npf.step_through(Objective(LanguageModel(config, rng=0)), batch)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        # the first attention of a language model is the masked one
        (language_model, [*STOPS[:3], "masked scores", *STOPS[3:5], *STOPS[7:]]),
        (lambda: classifier("attention"), OF_ONE_STACK),
        (lambda: classifier("lstm"), [*STOPS[:2], *STOPS[7:10], STOPS[11]]),
    ],
)
def test_tour_leaves_out_what_a_model_lacks(show, make, names):
    page = show(make())
    told = tour(page)
    assert list(told) == names
    assert not [words for words in told.values() if "NaN" in words or "undefined" in words]
    assert "the decoder is given" not in told["embedding"]


def test_ids_are_written_and_have_no_color_and_no_mean(show, recording):
    page = show(recording)
    page.evaluate("() => { location.hash = 'encoder.input_embedding.embedding ids'; }")
    page.wait_for_function("document.querySelector('.array-panel h2').textContent === 'ids'")
    statistics = page.locator(".statistics").inner_text()
    assert "mean" not in statistics and "whole numbers" in statistics
    colored = """() => {
      const map = document.querySelector(".maps canvas");
      const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] - data[i + 2] > 60 && data[i + 1] < 90) count += 1;
      }
      return count;
    }"""
    assert page.evaluate(colored) == 0


def test_every_text_of_the_page_has_twelve_pixels(show, recording):
    page = show(recording)
    page.keyboard.press("End")
    sizes = """() => [...document.querySelectorAll("body *")].filter(
      e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())
    ).map(e => parseFloat(getComputedStyle(e).fontSize))"""
    assert min(page.evaluate(sizes)) >= 12


def test_theme_of_the_page_around_is_followed_at_once(open_page, recording):
    frame = f'<iframe srcdoc="{html.escape(recording.html())}"></iframe>'
    page = open_page(f'<!DOCTYPE html><title>t</title><body data-theme="dark">{frame}')
    inside = page.frame_locator("iframe").locator("body")
    page.frame_locator("iframe").locator(".app").wait_for()
    paper = "body => getComputedStyle(body).backgroundColor"
    assert inside.evaluate(paper) != WHITE
    page.evaluate("document.body.dataset.theme = 'light'")
    assert inside.evaluate(paper) == WHITE
    page.emulate_media(color_scheme="dark")
    assert inside.evaluate(paper) == WHITE
    page.evaluate("document.body.dataset.theme = 'auto'")
    assert inside.evaluate(paper) != WHITE


def test_theme_can_be_in_the_address(show, recording):
    page = show(recording)
    assert page.evaluate(PAPER) == WHITE
    page.goto(page.url.partition("#")[0] + "?theme=dark")
    page.wait_for_selector(".app")
    assert page.evaluate(PAPER) != WHITE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(show, recording, violations, scheme, width):
    page = show(recording, width=width, color_scheme=scheme)
    assert violations(page) == []
    page.keyboard.press(" ")
    page.keyboard.press("End")
    assert violations(page) == []


@pytest.mark.parametrize(("width", "shown"), [(1280, ".step"), (390, ".step-picture")])
def test_site_shows_a_frame_or_on_phones_a_picture_that_links(open_page, width, shown):
    docs = Path(npf.__file__).parents[1] / "docs"
    index = (docs / "index.md").read_text(encoding="utf-8")
    [frame] = re.findall(r'<iframe class="step".*?</iframe>', index, re.DOTALL)
    assert 'src="step.html"' in frame and 'loading="lazy"' in frame
    [picture] = re.findall(r"\{container\} step-picture\n(.*?)````", index, re.DOTALL)
    assert ":target: step.html" in picture
    assert (docs.parent / re.search(r"\{image\} (.*)", picture)[1]).exists()

    style = (docs / "_static" / "site.css").read_text(encoding="utf-8")
    parts = '<iframe class="step"></iframe><div class="docutils step-picture">a</div>'
    page = open_page(f"<!DOCTYPE html><title>t</title><style>{style}</style>{parts}", width=width)
    for part in (".step", ".step-picture"):
        assert page.locator(part).is_visible() == (part == shown)
