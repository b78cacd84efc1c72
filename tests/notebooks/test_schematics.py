"""Schematics: their text can be read, and the numbers on them are true."""

import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from PIL import ImageFont

import helpers.schematics as schematics
import npformer as npf
from helpers import classifying, couplet_language
from helpers.phrase_tree import GUTEN_TAG
from helpers.schematics.adam import GRADIENTS
from helpers.schematics.bootstrap import DIFFERENCES, drawn_sentences
from helpers.schematics.build_it import BOTTOM, COLUMN_WIDTH, DECODER, ENCODER, FUNCTIONS, STEP
from helpers.schematics.byte_pairs import COUNTS, merged_states
from helpers.schematics.couplet import KINDS as COUPLET_KINDS
from helpers.schematics.couplet import LINES as COUPLET_LINES
from helpers.schematics.embedding_and_positions import WORD
from helpers.schematics.first_difference import W_2, gelu, relu
from helpers.schematics.four_encoders import PLACE as ALTE
from helpers.schematics.four_encoders import SEEN, WORDS
from helpers.schematics.frame import DARKEST, FAINT, INK, WIDTH, YOURS_COLOR, Drawing, tint
from helpers.schematics.generating_text import NAMED, READ
from helpers.schematics.hidden_links import FIRST_LINE, PLACE
from helpers.schematics.hidden_links import READ as READ_OF_ANSWER
from helpers.schematics.induction import READ as INDUCTION_READ
from helpers.schematics.learning_curve import EPS, losses_of_guesses
from helpers.schematics.mean_of_words import CLASSES, N_REAL, W
from helpers.schematics.n_gram_matches import REFERENCE, TRANSLATION
from helpers.schematics.rotary import STEP as TURN
from helpers.schematics.sentence import PHRASE, SOURCE, TARGET
from helpers.schematics.softmax_and_scale import D_K, LARGEST
from helpers.schematics.three_checks import SCORES
from helpers.schematics.three_seeds import RUNS
from helpers.schematics.two_runs import OTHER as OTHER_RUN
from helpers.schematics.two_runs import WORDS as RUN
from helpers.train_english_letters import FOLDER
from npformer import datasets
from npformer.datasets.shipped import read_pairs
from npformer.layers import LayerNorm
from npformer.layers.positional_encoding import sinusoids
from npformer.models import Classifier, ClassifierConfig
from npformer.module import Parameter
from npformer.paper.table1 import KINDS, Size, layers_between_ends
from npformer_course import course
from npformer_course.definition import module_of

SVG = "{http://www.w3.org/2000/svg}"
MARGIN = 8  # pixels between a text and the edge of the card
SOURCE_TEXT = " ".join(SOURCE[:-1])
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


@cache
def page(name):
    """The SVG of a schematic, parsed."""
    return ElementTree.fromstring(getattr(schematics, name)()._repr_svg_())


def texts(root):
    """The lines of text of a schematic, in the order in which they were drawn."""
    return ["".join(text.itertext()).replace("\u200b", "") for text in root.iter(f"{SVG}text")]


def numbers(name, pattern=r"-?\d+(\.\d+)?"):
    """The texts of a schematic that are a number, in the order in which they were drawn."""
    lines = [text.replace("\u2212", "-") for text in texts(page(name))]
    return [float(line) for line in lines if re.fullmatch(pattern, line)]


def softmax(scores):
    """Softmax, written out."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


def width_of(element, look):
    """How wide a text is in DejaVu, which is wider than the fonts of most machines."""
    look = {**look, **element.attrib}
    if "monospace" in look.get("font-family", ""):
        file = "DejaVuSansMono.ttf"
    elif look.get("font-weight") == "bold":
        file = "DejaVuSans-Bold.ttf"
    else:
        file = "DejaVuSans.ttf"
    font = ImageFont.truetype(str(FONTS / file), 100)
    scale = float(look["font-size"]) / 100
    width = scale * font.getlength((element.text or "").replace("\u200b", ""))
    for part in element:
        width += width_of(part, look)
        width += scale * font.getlength(part.tail or "")
    return width


def place_of(text):
    """The left, top, right and bottom of a text."""
    width = width_of(text, {})
    shift = {"start": 0, "middle": 0.5, "end": 1}[text.get("text-anchor")]
    left = float(text.get("x")) - shift * width
    size = float(text.get("font-size"))
    baseline = float(text.get("y"))
    return left, baseline - 0.72 * size, left + width, baseline + 0.2 * size


@pytest.mark.parametrize("name", schematics.__all__)
def test_schematic_has_title_and_description(name):
    root = page(name)
    assert root.get("role") == "img"
    assert len(root.find(f"{SVG}title").text) > 10
    assert len(root.find(f"{SVG}desc").text) > 40


@pytest.mark.parametrize("name", schematics.__all__)
def test_text_is_inside_the_card_and_does_not_overlap(name):
    root = page(name)
    _, _, width, height = (float(number) for number in root.get("viewBox").split())
    places = []
    for text in root.iter(f"{SVG}text"):
        line = "".join(text.itertext())
        left, top, right, bottom = place_of(text)
        assert left >= MARGIN and right <= width - MARGIN, line
        assert top >= MARGIN and bottom <= height - MARGIN, line
        for other, (other_left, other_top, other_right, other_bottom) in places:
            apart_in_x = left >= other_right or other_left >= right
            apart_in_y = top >= other_bottom or other_top >= bottom
            assert apart_in_x or apart_in_y, f"{line!r} lies on {other!r}"
        places.append((line, (left, top, right, bottom)))


@pytest.mark.parametrize("name", schematics.__all__)
def test_text_can_be_read_on_a_telephone(name):
    sizes = [float(text.get("font-size")) for text in page(name).iter(f"{SVG}text")]
    assert min(sizes) >= 16


def test_drawing_escapes_text():
    drawing = Drawing("a < b", "b & c")
    drawing.text(100, 100, ["<pad>", ("q & k", "#000000")])
    root = ElementTree.fromstring(drawing._repr_svg_())
    assert texts(root) == ["<pad>q & k"]


def test_sentence_is_a_pair_of_the_phrasebook():
    pairs = {(pair.source, pair.target) for pair in read_pairs("phrasebook")}
    assert (" ".join(SOURCE).replace(" .", "."), " ".join(TARGET).replace(" .", ".")) in pairs
    start = SOURCE.index(PHRASE[0])
    assert SOURCE[start : start + len(PHRASE)] == PHRASE


def test_attention_weights_are_softmax_of_scores():
    shown = np.array(numbers("attention"))
    query = shown[:2]
    columns = shown[2:-2].reshape(len(PHRASE), 6)  # two of a key, score, weight, two of a value
    keys = columns[:, :2]
    scores = columns[:, 2]
    weights = columns[:, 3]
    values = columns[:, 4:]
    np.testing.assert_array_equal(scores, keys @ query)
    np.testing.assert_allclose(weights, softmax(scores), atol=0.005)
    np.testing.assert_allclose(shown[-2:], softmax(scores) @ values, atol=0.005)
    assert weights.sum() == pytest.approx(1)


def test_weights_of_scaled_scores_are_softmax_of_the_dots():
    n = len(PHRASE)
    dots = [float(dot.get("cx")) for dot in page("softmax_and_scale").iter(f"{SVG}circle")]
    weights = np.array(numbers("softmax_and_scale", r"\d\.\d\d"))
    ticks = {}
    for text in page("softmax_and_scale").iter(f"{SVG}text"):
        ticks["".join(text.itertext())] = float(text.get("x"))
    middle = ticks["0"]
    unit = (ticks[str(LARGEST)] - middle) / LARGEST
    scores = (np.array(dots) - middle) / unit
    np.testing.assert_allclose(scores[:n] / D_K**0.5, scores[n:], atol=0.01)
    # dots are drawn from the lowest score to the highest, so that none hides the highest
    np.testing.assert_allclose(np.sort(weights[:n]), softmax(scores[:n]), atol=0.006)
    np.testing.assert_allclose(np.sort(weights[n:]), softmax(scores[n:]), atol=0.006)
    assert (np.diff(scores[:n]) > 0).all() and (np.diff(scores[n:]) > 0).all()


def test_weights_of_each_head_sum_to_1_and_heads_look_at_different_words():
    weights = np.array(numbers("many_heads", r"0\.\d\d")).reshape(2, len(PHRASE))
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=0.015)
    assert [PHRASE[j] for j in weights.argmax(axis=1)] == ["off", "radio"]


def test_vector_is_row_of_table_and_row_of_waves():
    embedded, waves, total = np.array(numbers("embedding_and_positions")[-12:]).reshape(3, 4)
    np.testing.assert_allclose(total, embedded + waves, atol=1e-9)
    np.testing.assert_allclose(waves, sinusoids(len(SOURCE), 4)[SOURCE.index(WORD)], atol=0.05)


def test_vectors_after_layer_norm_have_mean_0_and_variance_1():
    shown = np.array(numbers("encoder_layer")).reshape(-1, 4)
    x, attention, middle, network, result = shown
    for before, after in ((x + attention, middle), (middle + network, result)):
        centered = before - before.mean()
        np.testing.assert_allclose(after, centered / centered.std(), atol=0.1)


def test_lstm_keeps_adds_and_shows():
    shown = np.array(numbers("lstm")).reshape(-1, 2)
    c_old, f, kept, i, g, added, c, o, h = shown
    np.testing.assert_allclose(kept, f * c_old)
    np.testing.assert_allclose(added, i * g)
    np.testing.assert_allclose(c, kept + added)
    np.testing.assert_allclose(h, o * np.tanh(c), atol=0.05)
    for gate in (f, i, o):
        assert gate.min() >= 0 and gate.max() <= 1


def test_short_paths_are_as_long_as_the_layers_of_npformer_need():
    words = TARGET[:-1]
    distance = words.index("aus") - words.index("schalte")
    size = Size(distance + 1, 4, k=3)
    _, lstm, convolution, *_ = KINDS
    said = texts(page("short_paths"))
    assert f"1 layer, {lstm.steps(size) - 1} steps that wait for each other" in said
    assert f"{layers_between_ends(convolution, size)} layers" in said


def test_class_is_that_of_the_largest_logit_of_the_mean():
    shown = np.array(numbers("mean_of_words"))
    vectors = shown[:10].reshape(5, 2)
    mean = shown[10:12]
    logits = shown[12:]
    np.testing.assert_allclose(mean, vectors[:N_REAL].mean(0))
    np.testing.assert_allclose(logits, mean @ W)
    bold = [text for text in page("mean_of_words").iter(f"{SVG}text") if text.get("font-weight")]
    assert [text.text for text in bold] == [CLASSES[logits.argmax()]]


@pytest.mark.parametrize("name", SEEN)
def test_a_layer_of_an_encoder_sees_the_words_of_the_picture(name):
    config = ClassifierConfig(
        vocab_size=9,
        n_classes=2,
        d_model=8,
        d_ff=8,
        n_heads=2,
        n_encoder_layers=1,
        dropout=0.0,
        **classifying.ENCODERS[name],
    )
    encoder = Classifier(config, rng=0).encoder
    with npf.trace(encoder) as trace:
        memory = encoder.forward(np.arange(1, 1 + len(WORDS))[None])  # (1, S, D)
        encoder.backward(memory * (np.arange(len(WORDS)) == ALTE)[:, None])
    reaches = abs(trace["input_embedding"].dy[0]).sum(-1) > 0
    seen = SEEN[name][0]
    if name == "convolution":
        seen = range(seen[0] - 1, seen[-1] + 2)  # a layer has two convolutions
    assert list(np.flatnonzero(reaches)) == list(seen)


def test_layers_before_the_first_difference_return_the_same():
    shown = np.array(numbers("first_difference")).reshape(4, 2, 2)  # layer, program, feature
    np.testing.assert_array_equal(shown[:2, 0], shown[:2, 1])
    for n, (program, activation) in enumerate((("theirs", gelu), ("ours", relu))):
        active = activation(shown[1, n])
        np.testing.assert_allclose(shown[2, n], active, atol=0.005, err_msg=program)
        np.testing.assert_allclose(shown[3, n], active @ W_2, atol=0.005, err_msg=program)
    said = texts(page("first_difference"))
    assert [sign for sign in said if sign in "=≠"] == ["=", "=", "≠", "≠"]


def test_one_word_of_two_runs_differs():
    signs = [text for text in texts(page("two_runs")) if text in "=≠"]
    assert signs == ["=" if a == b else "≠" for a, b in zip(RUN, OTHER_RUN, strict=True)]
    assert signs.count("≠") == 1


def test_masks_hide_padding_and_the_future():
    filled = re.findall(r"<rect[^>]*>", schematics.masks()._repr_svg_())
    full = sum(tint(INK, 0.6) in rectangle for rectangle in filled)
    legend = 1
    assert full - legend == 4 * 3 + (1 + 2 + 3 + 4) + 4 * 3


def test_steps_without_a_cache_make_squares_and_with_it_rows():
    shown = numbers("kv_cache", r"\d+")
    assert shown == [1, 4, 9, 16, 25, 55, 1, 2, 3, 4, 5, 15]
    cells = re.findall(r"<rect[^>]*>", schematics.kv_cache()._repr_svg_())
    legend = 1
    made = [cell for cell in cells if tint(INK, DARKEST) in cell]
    hidden = [cell for cell in cells if f'stroke="{FAINT}"' in cell and 'width="23.0"' in cell]
    assert len(made) - legend == (1 + 3 + 6 + 10 + 15) + 15
    assert len(hidden) - legend == 1 + 3 + 6 + 10


def test_score_of_rotary_positions_depends_on_the_distance_only():
    scores = [text for text in texts(page("rotary")) if text.startswith("score")]
    assert scores[0] == scores[1] != scores[2]
    ends = re.findall(
        r'<path d="M([\d.]+) ([\d.]+) L([\d.]+) ([\d.]+)" ', schematics.rotary()._repr_svg_()
    )
    vectors = np.array(ends, float)[:, 2:] - np.array(ends, float)[:, :2]
    angles = np.unwrap(np.arctan2(-vectors[:, 1], vectors[:, 0]))
    # of the dashed and the solid arrows at positions 0, 1, 2, 6
    np.testing.assert_allclose(
        angles[1:8:2] - angles[0:8:2], TURN * np.array([0, 1, 2, 6]), atol=0.02
    )


def test_boxes_of_the_learner_are_filled():
    color = tint(YOURS_COLOR, 0.75)
    legend = 1
    boxes = [name for _, name in ENCODER + DECODER]
    boxes += ["padding_mask", "target_mask", "encoder_layer", "decoder_layer"]
    assert set(boxes) == set(FUNCTIONS)
    for yours in ((), ("embed",), ("encoder_layer", "target_mask", "not_a_box"), FUNCTIONS):
        svg = schematics.build_it(yours)._repr_svg_()
        assert svg.count(color) - legend == sum(name in yours for name in boxes)
        n_shown = len(set(yours) & set(FUNCTIONS))
        assert f"yours: {n_shown} of {len(FUNCTIONS)}" in svg


def test_sentence_and_translation_have_room_next_to_the_boxes():
    sentences = (" ".join(SOURCE), " ".join(TARGET))
    svg = schematics.build_it(FUNCTIONS, *sentences)._repr_svg_()
    for text in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        if text.text in sentences:
            _, _, right, bottom = place_of(text)
            assert right < WIDTH - MARGIN - COLUMN_WIDTH and bottom < BOTTOM - STEP * 7.5


def test_gradient_of_x_is_that_of_a_difference():
    def loss(w, x):
        return (w * x + x) ** 2

    [sum_of_shares] = [text for text in texts(page("chain_of_gradients")) if "dx =" in text]
    h = 1e-6
    numeric = (loss(2, 1 + h) - loss(2, 1 - h)) / (2 * h)
    assert float(sum_of_shares.split("=")[-1]) == pytest.approx(numeric)


def test_jacobian_gives_the_gradient_of_the_product():
    shown = numbers("rows_and_jacobian")
    dy = np.array(shown[:6])
    jacobian = np.array(shown[6:30]).reshape(6, 4)
    dx = np.array(shown[30:34])
    dy_of_rows = np.array(shown[34:40]).reshape(2, 3)
    w_transposed = np.array(shown[40:46]).reshape(3, 2)
    dx_of_rows = np.array(shown[46:50]).reshape(2, 2)
    np.testing.assert_array_equal(dx, dy @ jacobian)
    np.testing.assert_array_equal(dx_of_rows, dy_of_rows @ w_transposed)
    np.testing.assert_array_equal(dx_of_rows.ravel(), dx)


def test_gradient_of_softmax_is_formula_on_the_picture():
    y, dy, less, dx = np.array(numbers("softmax_backward")).reshape(4, len(PHRASE))
    np.testing.assert_allclose(less, dy - y @ dy, atol=0.02)
    np.testing.assert_allclose(dx, y * less, atol=0.01)
    assert dx.sum() == pytest.approx(0, abs=0.02)


def test_parts_of_layer_norm_gradient_sum_to_it_and_the_rest_has_neither():
    shown = np.array(numbers("layer_norm_backward")).reshape(4, 4)
    dxhat, mean, along, rest = shown
    np.testing.assert_allclose(mean + along + rest, dxhat)
    assert rest.sum() == pytest.approx(0)
    assert rest @ along == pytest.approx(0)


def test_shares_of_the_graph_of_layer_norm_add_up_to_the_gradient_of_the_layer():
    shown = np.array(numbers("layer_norm_graph"))
    x, dx, c, dc, _, dxhat = shown[:24].reshape(6, 4)
    layer = LayerNorm(4, eps=1e-12, dtype="float64")
    layer.forward(x)
    np.testing.assert_allclose(layer.backward(dxhat), dx, atol=1e-6)
    v, dv, rstd, drstd = shown[24:]
    assert (v, rstd) == ((c**2).mean(), v**-0.5)
    assert (drstd, dv) == (dxhat @ c, -(rstd**3) * drstd / 2)

    [line] = [text for text in texts(page("layer_norm_graph")) if text.startswith("c is used")]
    shares = re.findall(r"\((.*?)\)", line.replace("\u2212", "-"))
    first, second = (np.array(share.split(","), float) for share in shares)
    np.testing.assert_array_equal(first + second, dc)


def test_gradient_check_shows_the_same_number_twice():
    numeric, backward = numbers("gradient_check", r"\d\.\d{4}")
    assert numeric == backward
    weight = softmax(np.array([1.0, 3.0, -1.0, 0.0, 1.0]))[1]
    assert backward == pytest.approx(weight * (1 - weight), abs=1e-4)


def test_gradient_of_loss_is_p_minus_q():
    p, q, gradient = np.array(numbers("loss")).reshape(3, 5)
    np.testing.assert_allclose(gradient, p - q)
    assert p.sum() == pytest.approx(1)
    [line] = [text for text in texts(page("loss")) if text.startswith("loss")]
    assert float(line.split()[-2]) == pytest.approx(-np.log(p[0]), abs=0.01)


def test_steps_are_those_of_adam():
    for gradients, shown in zip(GRADIENTS.values(), numbers("adam", r"-?\d\.\d\d"), strict=True):
        parameter = Parameter(np.zeros(1))
        adam = npf.Adam([parameter], learning_rate=1)
        for gradient in gradients:
            before = parameter.data.copy()
            parameter.grad[...] = gradient
            adam.step()
        [step] = before - parameter.data
        assert shown == pytest.approx(step, abs=0.005)


def test_losses_of_guesses_are_those_of_label_smoothing():
    # two words that follow one another with certainty; with <pad>, <unk>, <bos>, <eos>: V = 6
    knows_nothing, frequent, word_before, certain = losses_of_guesses(["a b", "a b"])
    assert knows_nothing == pytest.approx(np.log(6))
    loss = npf.LabelSmoothingLoss(eps=EPS)
    smoothed = np.full(6, EPS / 6)
    smoothed[4] += 1 - EPS
    assert certain == pytest.approx(float(loss(np.log(smoothed)[None, None], np.array([[4]]))))
    assert word_before == pytest.approx(certain)
    assert certain < frequent < knows_nothing
    # in a model with a larger vocabulary
    assert losses_of_guesses(["a b"], 100)[0] == pytest.approx(np.log(100))


def test_lines_of_learning_curve_go_down():
    lines = numbers("learning_curve", r"\d\.\d\d")
    assert len(lines) == 4
    assert lines == sorted(lines, reverse=True)


def test_matches_below_a_translation_are_those_of_the_exercise():
    key = module_of(course.load("bleu").key)
    found = [text for text in texts(page("n_gram_matches")) if " of " in text and text[0].isdigit()]
    for n, text in enumerate(found, 1):
        matches, total = key.count_matches(TRANSLATION, REFERENCE, n)
        assert text == f"{matches} of {total}"
    assert len(found) == 4


def test_means_of_bootstrap_are_those_of_the_drawn_sentences():
    found = np.array(numbers("bootstrap", r"[+-]?\d+(\.\d+)?")[:-1])  # the last is the axis
    rows = found.reshape(-1, len(DIFFERENCES) + 1)
    assert rows[0, :-1].tolist() == list(DIFFERENCES)
    np.testing.assert_array_equal(rows[1:, :-1], np.array(DIFFERENCES)[drawn_sentences()])
    np.testing.assert_allclose(rows[:, -1], rows[:, :-1].mean(-1), atol=0.006)


def test_rows_of_three_seeds_have_the_means_of_their_runs():
    shown = np.array(numbers("three_seeds")).reshape(3, 4)  # three seeds and the mean
    assert shown[:, -1].tolist() == [np.mean(runs) for runs in RUNS.values()]
    differences = np.subtract(RUNS["change A"], RUNS["base"])
    assert differences[1] > 0 > differences[0]
    assert np.mean(RUNS["change B"]) - np.mean(RUNS["base"]) == 5
    assert 2 < np.ptp(RUNS["change B"]) < np.ptp(RUNS["base"]) < 4


def test_text_gets_shorter_with_merges():
    states, _ = merged_states()
    for n in (0, 3, 7):
        n_tokens = sum(COUNTS[word] * len(tokens) for word, tokens in states[n].items())
        assert f"{n_tokens} tokens of text" in texts(page("vocabulary_size"))


def test_prediction_counts_the_sentence_and_costs_its_logarithm():
    after_r = [SOURCE_TEXT[i + 1] for i, c in enumerate(SOURCE_TEXT[:-1]) if c == "r"]
    assert numbers("predict_then_see") == [round(1 / len(set(after_r)), 2)] * len(after_r)
    assert f"= {-np.log(1 / len(after_r)):.2f} nats" in texts(page("predict_then_see"))


def test_weights_of_the_head_that_is_looked_at_are_softmax():
    weights = np.array(numbers("three_checks"))
    np.testing.assert_allclose(weights, softmax(np.array(SCORES)), atol=0.006)


def test_induction_head_finds_what_followed_the_last_time():
    lines = texts(page("induction"))
    asks = [line for line in lines if line.endswith("?")]
    assert asks == [f"after {INDUCTION_READ[-1]}?"]
    notes = [line for line in lines if line.startswith("after ") and line not in asks]
    assert notes == [f"after {word}" for word in INDUCTION_READ[:-1]]
    found = [
        INDUCTION_READ[t + 1]
        for t in range(len(INDUCTION_READ) - 1)
        if INDUCTION_READ[t] == INDUCTION_READ[-1]
    ]
    # word, state and answer
    assert lines.count(found[-1]) == INDUCTION_READ.count(found[-1]) * 2 + 1


def test_candidates_of_the_beam_have_the_shares_of_the_people():
    shown = []
    for word, below in pairwise(texts(page("beam"))):
        if re.fullmatch(r"0\.\d+(, \w+)?", below):
            shown.append((word, below))
    of_200 = {}
    for sentence, n in GUTEN_TAG.items():
        for word in sentence.split():
            of_200[word] = of_200.get(word, 0) + n
    for word, below in shown[:-2]:
        assert float(below.split(",")[0]) == pytest.approx(of_200[word] / 200)
    assert ("how", "0.27, out") in shown
    assert shown[-2:] == [("<eos>", "0.2, finished"), ("<eos>", "0.16, finished")]

    # lines are as wide as hypotheses are probable
    wide = re.findall(r'stroke-width="([\d.]+)" stroke-linejoin', schematics.beam()._repr_svg_())
    values = [float(text.split(",")[0]) for _, text in shown]
    np.testing.assert_allclose(np.array(wide, float) / 20, values, atol=0.003)


def test_words_of_byte_pairs_are_those_of_the_exercise():
    from npformer_course import course
    from npformer_course.definition import module_of

    key = module_of(course.load("byte_pair_merges").key)
    words = [list(word.encode()) for word in COUNTS]
    merges = key.learn_merges(words, list(COUNTS.values()), 7)
    states, pairs = merged_states()
    for word, tokens in states[-1].items():
        assert len(key.encode(list(word.encode()), merges)) == len(tokens)
    joined = ["".join(pair) for pair, _ in pairs]
    assert joined == ["rn", "tu", "turn", "ad", "adi", "adio", "radio"]

    lines = texts(page("byte_pairs"))
    assert [line for line in lines if ": " in line] == ["r n: 11", "t u: 11", "tu rn: 11"]
    assert lines[-6:] == ["turn", "turn", "s", "radio", "radio", "s"]


def test_both_answers_to_the_first_line_are_parallel_and_differ():
    words = {}
    for kind, glosses in couplet_language.KINDS.items():
        words[kind] = set(glosses.values())
    for kind, *column in zip(COUPLET_KINDS, *COUPLET_LINES.values(), strict=True):
        assert len(set(column)) == 3 and set(column) <= words[kind]
    assert "both are parallel; 0 of 5 as in the reference" in texts(page("couplet"))


def test_what_the_answer_has_read_answers_the_first_line():
    for ours, theirs in zip(READ_OF_ANSWER[1:], FIRST_LINE, strict=False):
        [glosses] = [g for g in couplet_language.KINDS.values() if theirs in g.values()]
        assert ours in glosses.values() and ours != theirs
    assert FIRST_LINE[PLACE] == FIRST_LINE[0]


def test_counts_of_byte_pairs_are_a_hundredth_of_the_phrasebook():
    [train] = datasets.get("phrasebook").load("train")
    words = " ".join(pair.source for pair in train)
    for word, count in COUNTS.items():
        n = len(re.findall(rf"\b{word}\b", words))
        assert round(n / 100) == count


def test_pieces_of_the_line_are_as_long_as_their_probabilities():
    root = page("generating_text")
    pieces = []
    for text in texts(root):
        if re.fullmatch(r"\w  0\.\d\d", text):
            pieces.append(float(text.split()[1]))
    ends = {}
    for text in root.iter(f"{SVG}text"):
        ends["".join(text.itertext())] = float(text.get("x"))
    line = ends["1"] - ends["0"] - 2 * 16  # the numbers are 16 pixels beyond its ends

    boxes = [float(box.get("width")) for box in root.iter(f"{SVG}rect")]
    widths = np.array(boxes[-len(pieces) :])
    np.testing.assert_allclose(widths / line, pieces, atol=0.006)

    # and those of the model, in the order of their ids
    writer = npf.runs.load(FOLDER)
    ids = np.array([writer.text.encode("\n" + READ)])
    p = softmax(writer.model.forward(ids)[0, -1, 4:].astype(float))
    np.testing.assert_allclose(pieces, p[p > NAMED], atol=0.005)
    others = p[p <= NAMED]
    assert f"the {len(others)} others share {others.sum():.2f}" in texts(root)
