"""The live translation of the site's first page: its numbers are NumPy's, and everyone can use it."""

import json
import mimetypes
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import npformer as npf
from npformer.datasets import phrasebook
from npformer.visualization import sentence_attention

pytestmark = pytest.mark.browser

ROOT = Path(npf.__file__).parents[1]
FRONT_PAGE = runpy.run_path(str(ROOT / "tools" / "front_page.py"))
SITE = "http://site.test/"
# with what the theme of the site gives it
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>npformer</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
<link rel="stylesheet" href="_static/front_page.css">
<style>:root {{ color-scheme: light dark;
--color-background-primary: light-dark(#fff, #131416);
--color-background-secondary: light-dark(#f8f9fb, #1a1c1e);
--color-foreground-primary: light-dark(#000, #cfd0d0);
--color-foreground-secondary: light-dark(#5a5c63, #9ca0a5); }}
body {{ margin: 1rem; color: var(--color-foreground-primary);
background: var(--color-background-primary); }}
a {{ color: light-dark(#2757dd, #5ca5ff); }}</style></head>
<body {}><main><h1>A live translation</h1>{}</main></body></html>"""

LOGITS = """async (pairs) => {
  const { Translator } = await import("/_static/translator.js");
  const { model } = await Translator.load("/phrasebook");
  return pairs.map(([src, tgt]) => {
    const decoder = model.startDecoder(model.encode(src));
    return tgt.map((id) => [...model.step(decoder, id).logits]);
  });
}"""
TRANSLATIONS = """async (sentences) => {
  const { Translator } = await import("/_static/translator.js");
  const translator = await Translator.load("/phrasebook");
  return sentences.map((sentence) => translator.translate(sentence));
}"""
IDS = """async ([texts, vocabulary]) => {
  const { Vocabulary } = await import("/_static/translator.js");
  const { words } = Vocabulary.prototype;
  const read = new Vocabulary(vocabulary);
  return texts.map((text) => words.call(read, text).map(({ id }) => id));
}"""


@pytest.fixture(scope="module")
def translator():
    return npf.load("phrasebook")


@pytest.fixture
def open_site(chromium):
    """Open the live translation as the site has it, with nothing else in reach.

    `page.asked` are the files that it has asked for.
    """
    contexts, troubles = [], []

    def open_(*, width=1000, theme="", missing=(), **settings):
        context = chromium.new_context(viewport={"width": width, "height": 800}, **settings)
        contexts.append(context)
        context.set_default_timeout(20_000)
        page = context.new_page()
        page.asked = []

        def answer(route):
            name = route.request.url.removeprefix(SITE)
            page.asked.append(name)
            home = {"_static": ROOT / "docs", "phrasebook": FRONT_PAGE["MODEL"].parent}
            if not name:
                body = PAGE.format(theme, FRONT_PAGE["live_translation"]())
                route.fulfill(body=body, content_type="text/html")
            elif name in missing:
                route.fulfill(status=404)
            elif name.split("/")[0] in home:
                path = home[name.split("/")[0]] / name
                kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
                route.fulfill(body=path.read_bytes(), content_type=kind)
            else:
                troubles.append(f"asked for {route.request.url}")
                route.abort()

        context.route("**/*", answer)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(SITE)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert not troubles


def held_out_sentences(n):
    _, held_out = phrasebook.split()
    return [pair.source for pair in held_out[:n]]


def write(page, sentence):
    """Type a sentence, and wait until its words are in the table."""
    page.locator("#sentence").fill(sentence)
    page.wait_for_function(
        """(sentence) => {
          const read = [...document.querySelectorAll("th[scope=col]")].map((th) => th.textContent);
          return read.slice(0, -1).join("") === sentence.replaceAll(" ", "");
        }""",
        arg=sentence,
    )


def shown_weights(page):
    rows = page.locator(".weights tr").evaluate_all(
        "rows => rows.slice(1).map(row => [...row.querySelectorAll('td')].map("
        "cell => Number(cell.style.getPropertyValue('--weight'))))"
    )
    return np.array(rows)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-10)])
def test_logits_are_those_of_numpy(open_site, translator, dtype, tolerance):
    shipped = translator.model
    model = npf.Transformer(replace(shipped.config, dtype=dtype), rng=0).eval()
    for parameter, own in zip(model.parameters(), shipped.parameters(), strict=True):
        parameter.data[...] = own.data
    pairs = []
    for sentence in [*FRONT_PAGE["EXAMPLES"], "Do the the, 12 unknown words?"]:
        [translation] = translator.translate([sentence], beam=1)
        target = [model.config.start_id, *translator.target.encode(translation)]
        pairs.append((translator.encode(sentence), target))

    found = open_site().evaluate(LOGITS, pairs)
    for (src, tgt), logits in zip(pairs, found, strict=True):
        expected = model.forward(np.array([src]), np.array([tgt]))[0]
        np.testing.assert_allclose(np.array(logits), expected, rtol=0, atol=tolerance)


def test_greedy_translations_and_attention_are_those_of_npformer(open_site, translator):
    sentences = [*held_out_sentences(50), "the the the the the the", "Girl"]
    found = open_site().evaluate(TRANSLATIONS, sentences)
    expected = translator.translate(sentences, beam=1)
    assert [one["text"] for one in found] == expected
    for sentence, one in zip(sentences[:5], found, strict=False):
        looked = sentence_attention(translator, sentence)
        assert [word["text"] for word in one["read"]] == looked.source
        assert one["written"] == looked.written
        np.testing.assert_allclose(np.array(one["attention"]), looked.cross, atol=1e-5)


@pytest.mark.parametrize("lowercase", [True, False])
def test_words_are_those_of_the_vocabulary(open_site, lowercase):
    texts = ["  The dog's T-shirt, 3½ € ", "cafe\u0301 CAFE\u0301", "İstanbul İ", "ΣΑΣ", ""]
    texts += ["a_b <unk> <UNK> <pad>", "日本語 ٣x", "ab\u00a0cd\u200bd\n\te", "\u0301 x", "😀!"]
    lines = ["café ab istanbul i σας a_b unk 日本語 ٣x cd d e the T - shirt s 3½ 😀 ! >"]
    vocabulary = npf.Vocabulary.build(lines, lowercase=lowercase)
    found = open_site().evaluate(IDS, [texts, vocabulary.to_json()])
    assert found == [vocabulary.encode(text) for text in texts]


def test_page_loads_the_model_when_one_writes(open_site, translator):
    page = open_site()
    [recorded] = translator.translate([FRONT_PAGE["SENTENCE"]], beam=1)
    assert page.locator("output").inner_text() == recorded
    page.wait_for_selector("#sentence:enabled")
    assert not [name for name in page.asked if name.startswith("phrasebook")]

    write(page, "The girl sees a small dog.")
    assert page.locator("output").inner_text() == "Das Mädchen sieht einen kleinen Hund."
    asked = {name for name in page.asked if name.startswith("phrasebook")}
    n_bytes = sum((FRONT_PAGE["MODEL"].parent / name).stat().st_size for name in asked)
    assert f"({n_bytes / 1e6:.1f} MB)" in FRONT_PAGE["live_translation"]()

    # and once is enough
    write(page, "The girl sees")
    assert page.asked.count("phrasebook/weights.safetensors") == 1
    page.locator("#sentence").fill(" ")
    page.wait_for_function("!document.querySelector('.weights table')")
    assert page.locator("output").inner_text() == ""


def test_heads_can_be_chosen(open_site, translator):
    page = open_site()
    sentence = FRONT_PAGE["EXAMPLES"][1]
    page.get_by_role("button", name=sentence).click()
    cross = sentence_attention(translator, sentence).cross[-1]
    page.wait_for_selector("th:has-text('Sunday')")
    np.testing.assert_allclose(shown_weights(page), cross.mean(0), atol=1e-3)

    page.get_by_role("radio", name="mean").focus()
    for head in range(4):
        page.keyboard.press("ArrowRight")
        np.testing.assert_allclose(shown_weights(page), cross[head], atol=1e-3)


def test_unknown_words_are_marked(open_site):
    page = open_site()
    write(page, "Why does the Dragon sleep, dragoness?")
    assert page.locator(".about mark").all_inner_texts() == ["Dragon", "dragoness"]
    assert page.locator(".weights mark").all_inner_texts() == ["Dragon", "dragoness"]
    write(page, "Why does the dog sleep?")
    assert page.locator("mark").count() == 0


def test_what_the_page_says_of_sentences_holds(translator):
    known = [*FRONT_PAGE["EXAMPLES"]]
    known += [
        "The old teacher gives pears to your nice sister.",
        "The boy gives the girl a red book.",
    ]
    text = " ".join(FRONT_PAGE["live_translation"]().split())
    assert all(sentence in text for sentence in known)
    assert not translator.unknown(" ".join(known))
    assert translator.unknown(FRONT_PAGE["WITH_UNKNOWN"]) == ["dragon"]

    right, wrong = translator.translate(known[-2:], beam=1)
    assert right == "Der alte Lehrer gibt deiner netten Schwester Birnen."
    assert "dem Mädchen ein" not in wrong
    givings = [p.source for part in phrasebook.split() for p in part if "gives" in p.source]
    assert givings and all(" to " in source for source in givings)


def test_page_says_when_the_model_is_missing(open_site):
    page = open_site(missing=["phrasebook/weights.safetensors"])
    page.locator("#sentence").press("End")
    page.wait_for_selector(".about:has-text('was not loaded (weights.safetensors: 404)')")


def test_recorded_translation_needs_no_script(open_site, translator):
    page = open_site(java_script_enabled=False)
    looked = sentence_attention(translator, FRONT_PAGE["SENTENCE"])
    assert page.locator("#sentence").is_disabled()
    assert page.locator("th[scope=col]").all_inner_texts() == looked.source
    assert page.locator("th[scope=row]").all_inner_texts() == looked.written
    assert page.locator("td", has_text="1.0").count() > 2


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("scheme", "theme", "is_dark"),
    [("light", "", False), ("dark", "", True), ("light", "dark", True), ("dark", "light", False)],
)
def test_page_is_accessible_in_light_and_dark(open_site, violations, width, scheme, theme, is_dark):
    attribute = f'data-theme="{theme}" style="color-scheme: {theme}"' if theme else ""
    page = open_site(width=width, theme=attribute, color_scheme=scheme)
    write(page, "Why does the old dragon sleep?")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # the lowest color of attention is that of the page
    colors = page.locator("body").evaluate(
        "body => getComputedStyle(body).getPropertyValue('--weight-colors')"
    )
    assert colors.strip().startswith("#131416" if is_dark else "#fff")


def test_colors_are_those_of_other_pictures():
    from npformer.visualization.plots.colors import DARK_MAP, LIGHT_MAP

    style = (ROOT / "docs" / "_static" / "front_page.css").read_text(encoding="utf-8")
    assert style.count(f"#fff, {', '.join(LIGHT_MAP)};") == 1
    assert style.count(f"#131416, {', '.join(DARK_MAP)};") == 2


def test_shipped_model_is_what_the_script_is_written_for():
    config = json.loads((FRONT_PAGE["MODEL"] / "config.json").read_text(encoding="utf-8"))["model"]
    expected = {"norm": "post", "activation": "relu", "positions": "sinusoidal", "final_norm": None}
    expected |= {"tie_embeddings": "all", "attention_bias": True, "generator_bias": False}
    assert {name: config[name] for name in expected} == expected


def test_card_is_one_link_and_leaves_other_links_in_it_free(open_page):
    style = (ROOT / "docs" / "_static" / "front_page.css").read_text(encoding="utf-8")
    card = (
        '<p><strong><a href="#card">Card</a></strong></p><p>Text, <a href="#text">a link</a>.</p>'
    )
    page = open_page(
        f"<!DOCTYPE html><title>cards</title><style>{style}</style>"
        f'<div class="cards"><div class="card">{card}<pre>a picture</pre></div></div>'
    )
    page.get_by_text("a picture").click(force=True)
    assert page.url.endswith("#card")
    page.get_by_role("link", name="a link").click()
    assert page.url.endswith("#text")
