"""The checkpoints: the right answers are those of npformer's layers."""

import re
from pathlib import Path

import numpy as np
import pytest

from npformer import InputError
from npformer.decoding import CachedDecoder, Sampler
from npformer.evaluation import bleu_and_chrf
from npformer.layers import (
    Embedding,
    FeedForward,
    LayerNorm,
    ScaledDotProductAttention,
    SelfAttention,
    Softmax,
    causal_mask,
)
from npformer.layers.extra.grouped_query_attention import GroupedQueryAttention
from npformer.layers.extra.rotary_positions import RotaryPositionalEncoding
from npformer.models import LanguageModel, LanguageModelConfig
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam, WarmupSchedule
from npformer_course import Checkpoint
from npformer_course.checkpoints import QUESTIONS

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
RNG = np.random.default_rng(0)


def weights_of(*scores):
    return Softmax().forward(np.array(scores, float))


def see_it():
    """Return what npformer computes for some questions of part I, by name."""
    q = RNG.normal(size=(2, 4, 7, 16))
    k = RNG.normal(size=(2, 4, 10, 16))
    products = (RNG.normal(size=(20_000, 256)) * RNG.normal(size=(20_000, 256))).sum(-1)
    parameters = SelfAttention(64, 8, bias=False).parameters()
    is_word = np.array([True, True, True, True, False])
    weights = weights_of(4, 1, *range(8))
    return {
        "ratio": weights[0] / weights[1],
        "spread": products.std(),
        "scores": (q @ np.swapaxes(k, -1, -2)).shape,
        "parameters": sum(parameter.data.size for parameter in parameters),
        "pairs": (causal_mask(5) & is_word).sum(),
    }


def learn_it():
    """Return what npformer computes for some questions of part II, by name."""
    softmax = Softmax()
    y = softmax.forward(RNG.normal(size=(1, 5)))
    constant = softmax.backward(np.full((1, 5), 5.0))
    assert constant.shape == y.shape

    norm = LayerNorm(4, dtype="float64")
    norm.forward(RNG.normal(size=(1, 4)))
    embedding = Embedding(3, 2, dtype="float64")
    embedding.forward(np.array([[1, 1, 1]]))
    embedding.backward(np.array([[[1.0, 2], [3, 4], [5, 6]]]))
    schedule = WarmupSchedule(d_model=64, warmup_steps=400)
    return {
        "constant": np.abs(constant).max(),
        "sum": norm.backward(RNG.normal(size=(1, 4))).sum(),
        "repeated": tuple(embedding.table.grad[1] / np.sqrt(2)),
        "rate": schedule(1600) / schedule(400),
        "first_step": first_step_of_adam(),
    }


def use_it():
    """Return what npformer computes for some questions of part III, by name."""
    logits = np.log([0.5, 0.25, 0.15, 0.1])
    draws = Sampler(top_p=0.8, rng=0)(np.tile(logits, (20_000, 1)))
    two = Softmax().forward(np.array([2.0, 0.0]) / 0.5)

    config = LanguageModelConfig(
        vocab_size=8, d_model=64, d_ff=8, n_heads=4, n_decoder_layers=2, max_len=16
    )
    decoder = CachedDecoder(LanguageModel(config, rng=0))
    decoder.read(np.arange(10)[None] % 8)
    n_cached = 0
    for layer in decoder.layers:
        n_cached += layer.token_cache.keys.size + layer.token_cache.values.size

    p = np.array([[[0.2, 0.7, 0.1]]])
    loss = LabelSmoothingLoss(eps=0.0)
    loss.forward(np.log(p), np.array([[1]]))  # 0 is padding
    score = bleu_and_chrf(["the the the the"], ["the cat sleeps here"], tokenize="none")
    assert score.bleu < 30
    return {
        "beam": max(0.6 * 0.3, 0.4 * 0.9),
        "temperature": two[0] / two[1],
        "nucleus": (draws == 0).mean(),
        "cache": n_cached,
        "search": (log_probabilities("found") < log_probabilities("right")).sum(),
        "pull": loss.backward()[0, 0, 1],
        "interval": np.sqrt(300 / 1200),
    }


def log_probabilities(name):
    """Return a row of the table of question 5 of part III."""
    text = (NOTEBOOKS / "25c_checkpoint_3.py").read_text(encoding="utf-8")
    [row] = re.findall(rf"^# \| {name} \|(.*)\|$", text, re.M)
    return np.array([float(cell) for cell in row.split("|")])


def understand_it():
    """Return what npformer computes for some questions of part IV, by name."""
    q, k = RNG.normal(size=(2, 1, 1, 200, 8))
    scores = []
    for query, key in ((7, 4), (107, 104)):
        rotated_q = RotaryPositionalEncoding(8, dtype="float64").forward(q[:, :, :1], query)
        rotated_k = RotaryPositionalEncoding(8, dtype="float64").forward(k[:, :, :1], key)
        scores.append((rotated_q * rotated_k).sum())

    sizes = []
    for n_groups in (8, 2):
        x = np.zeros((1, 5, 16), "float32")
        keys, values = GroupedQueryAttention(16, 8, n_groups, rng=0).project(x, x)
        sizes.append(keys.size + values.size)

    found = {(0, 0), (1, 1), (2, 2), (3, 4)}
    gold = {(0, 0), (1, 1), (2, 2), (3, 3)}
    values = np.array([[1.0], [2], [3], [6]])
    attention = ScaledDotProductAttention()
    return {
        "error_rate": 1 - 2 * len(found & gold) / (len(found) + len(gold)),
        "patch": (6 - -1) / (6 - -4),
        "rotary": 1.3 * scores[1] / scores[0],
        "groups": 16 * sizes[1] / sizes[0],
        "uniform": attention.forward(np.zeros((1, 2)), RNG.normal(size=(4, 2)), values).item(),
    }


def first_step_of_adam():
    [parameter] = FeedForward(1, 1, dtype="float64").parameters()[:1]
    start = parameter.data.copy()
    parameter.grad[...] = 1e-6
    Adam([parameter], learning_rate=0.001, eps=1e-12).step()
    return np.abs(parameter.data - start).item()


PARTS = {1: see_it, 2: learn_it, 3: use_it, 4: understand_it}


@pytest.mark.parametrize("part", PARTS)
def test_answers_are_what_npformer_computes(part):
    for name, value in PARTS[part]().items():
        right = QUESTIONS[part][name].right
        np.testing.assert_allclose(value, right, rtol=0.02, atol=1e-9, err_msg=name)


def test_answers_that_are_worked_out_by_hand():
    right = {
        1: {"order": "b", "network": "a", "cross": (4, 3, 10)},
        2: {
            "twice": 6 + 1,
            "matrix": "b",  # x as a column times dy as a row is (D, F)
            "check": "c",
            "logits": (0.7 - 1, 0.2, 0.1),
            "leak": "a",  # the next token can be read
        },
        3: {"merge": "b", "clipped": 1 / 4, "cross": 10},
        4: {
            "flat": "b",
            "steps": 50 - 1,
            "induction": "c",
            "shared": (1 + 3, 2 - 1),
            "ablate": "b",
        },
    }
    for part, answers in right.items():
        for name, answer in answers.items():
            found = QUESTIONS[part][name].right
            assert found == (answer if isinstance(answer, str) else pytest.approx(answer)), name
        alone = {"impossible", "norm"} if part == 1 else set()
        assert {*answers, *PARTS[part](), *alone} == set(QUESTIONS[part])


def test_number_may_be_off_by_two_percent_and_0_by_nothing(capsys):
    for part, name, given in (
        (1, "spread", 16.3),
        (1, "spread", 16.4),
        (1, "parameters", "16384"),
        (2, "sum", 0),
        (2, "sum", 0.001),
        (2, "logits", (-0.3, 0.2, 0.11)),
    ):
        Checkpoint(part)(name, given)
    said = [line.partition(". ")[0] for line in capsys.readouterr().out.splitlines()]
    assert said == ["Right", "Not yet", "Right", "Right", "Not yet", "Not yet"]


def test_softmax_and_layer_norm_do_what_the_choices_say():
    scores = {"a": (2, 2, -np.inf), "b": (0, 0, -1000), "c": (1, 1, -5)}
    exact = [letter for letter in "abc" if weights_of(*scores[letter])[2] == 0]
    assert exact == ["a", "b"] and QUESTIONS[1]["impossible"].right == "c"

    norm = LayerNorm(4, dtype="float64")
    x = np.array([[1.0, 2, 3, 6]])
    np.testing.assert_allclose(norm.forward(x), norm.forward(2 * x + 10), atol=1e-6)
    assert QUESTIONS[1]["norm"].right == "a"


@pytest.mark.parametrize("part", QUESTIONS)
def test_notebook_asks_every_question_once(part):
    [path] = NOTEBOOKS.glob(f"*_checkpoint_{part}.py")
    asked = re.findall(r'^answer\("(\w+)", \.\.\.\)$', path.read_text(encoding="utf-8"), re.M)
    assert asked == list(QUESTIONS[part]) and len(asked) == 10


def test_letters_are_among_the_choices():
    for part, questions in QUESTIONS.items():
        [path] = NOTEBOOKS.glob(f"*_checkpoint_{part}.py")
        text = path.read_text(encoding="utf-8")
        for name, question in questions.items():
            if isinstance(question.right, str):
                before = text.partition(f'answer("{name}"')[0].rpartition("**")[2]
                assert f"\n# - {question.right}: " in before


def test_wrong_answers_get_a_hint_and_score_counts_first_tries(capsys):
    answer = Checkpoint(1)
    answer("spread", 256)
    answer("spread", 16.1)
    answer("norm", "A")
    answer("norm", "b")
    answer("cross", ...)
    answer.score()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Not yet. Variances") and "16" not in lines[0]
    assert lines[1].startswith("Right.") and lines[2].startswith("Right.")
    assert lines[3].startswith("Not yet.")
    assert lines[4] == "Not answered yet."
    assert lines[5] == "2 of 10 right, 1 of them at the first try. Not answered: 8."


@pytest.mark.parametrize(
    ("name", "given", "kind"),
    [
        ("norm", 3, 'a letter, such as "a"'),
        ("spread", "a", "a number"),
        ("spread", (1, 2), "a number"),
        ("scores", (2, 4), "4 numbers in brackets"),
    ],
)
def test_answer_of_another_kind_is_no_try(name, given, kind, capsys):
    answer = Checkpoint(1)
    answer(name, given)
    answer.score()
    said, score = capsys.readouterr().out.splitlines()
    assert said == f"{given!r} is not an answer to this question: expected {kind}."
    assert score == "0 of 10 right, 0 of them at the first try. Not answered: 10."


def test_hints_do_not_hold_the_answer():
    for questions in QUESTIONS.values():
        for name, question in questions.items():
            if isinstance(question.right, float | int) and question.right:
                assert f"{question.right:g}" not in question.hint, name


def test_other_names_and_parts_are_refused():
    with pytest.raises(InputError, match="part 9 has no checkpoint"):
        Checkpoint(9)
    with pytest.raises(InputError, match="no question 'sprad': expected one of impossible, ratio"):
        Checkpoint(1)("sprad", 3)
