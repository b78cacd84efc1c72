"""The language model of exercise beam, and the search for inputs on which its rare mistakes show."""

import numpy as np
import pytest

from npformer_course import course
from npformer_course.exercises.beam import teacher
from npformer_course.exercises.beam.toy_model import SURE, UNDECIDED, ToyModel
from npformer_course.inputs import make_draw
from npformer_course.telling_inputs import draw_until, mistaken_solution

M, V, BOS, EOS, PAD = 5, 9, 2, 3, 1


@pytest.fixture
def weights():
    rng = np.random.default_rng(0)
    return {
        "to_itself": rng.normal(size=(M, M)),
        "embedding": rng.normal(size=(V, M)),
        "to_scores": rng.normal(size=(M, V)),
        "to_end": rng.normal(size=M),
        "bos": BOS,
        "eos": EOS,
        "pad": PAD,
    }


def next_p(weights, ending, contrast, n_rows=3):
    model = ToyModel(weights, [ending], [contrast], most=1)
    log_p, state = model(np.full(n_rows, BOS), model.start(np.zeros(M), n_rows))
    return np.exp(log_p), state


def test_probabilities_add_up_to_1_and_state_counts_what_was_read(weights):
    p, state = next_p(weights, ending=-1.0, contrast=1.3)
    np.testing.assert_allclose(p.sum(1), 1)
    assert p.shape == (3, V) and p[:, [PAD, BOS]].max() < 1e-9
    assert (state[:, 0] == 1).all() and state.shape == (3, 1 + M)


def test_ending_says_how_readily_a_sentence_ends(weights):
    seldom, often = (next_p(weights, ending, 1.3)[0][0, EOS] for ending in (-9, 1))
    assert seldom < 0.01 < 0.3 < often


def test_contrast_says_how_sure_the_model_is(weights):
    undecided, sure = (next_p(weights, -9, contrast)[0][0].max() for contrast in (UNDECIDED, SURE))
    assert undecided < 0.5 < 0.9 < sure


def test_tokens_that_a_search_gives_are_listed_and_counted(weights):
    model = ToyModel(weights, [0.0, 0.0], [1.0, 1.0], most=2)
    _, state = model(np.array([BOS]), model.start(np.zeros(M), 1))
    model([5, 4, 5], np.repeat(state, 3, 0))
    assert [tokens.tolist() for tokens in model.tokens_given] == [[BOS], [4, 5]]
    with pytest.raises(ValueError, match="asked more than 2 times"):
        model([5], state)


def test_what_the_model_cannot_read_is_refused(weights):
    model = ToyModel(weights, [0.0], [1.0], most=1)
    with pytest.raises(ValueError, match=r"tokens float64 \(1,\) and state \(1, 6\)"):
        model(np.array([1.0]), np.zeros((1, 1 + M)))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("mistake", [rare[0] for rare in teacher.RARELY_SHOWN])
def test_each_rare_mistake_shows_on_its_sentence(mistake, seed):
    exercise = course.load("beam")
    wrong = mistaken_solution("beam", mistake).beam_search
    shown = 0
    for index in range(3):
        drawn = make_draw(exercise, seed, index).inputs
        for place in range(len(drawn["start"])):
            ids, _ = teacher.search_one(teacher.beam_search, drawn, place)
            wrong_ids, _ = teacher.search_one(wrong, drawn, place)
            shown += not np.array_equal(ids, wrong_ids)
    assert shown


def test_draws_go_on_until_one_tells_and_end_after_all_tries():
    drawn = []

    def draw_next():
        drawn.append(len(drawn))
        return drawn[-1]

    assert draw_until(draw_next, lambda number: number == 2, tries=5) == 2
    assert draw_until(draw_next, lambda number: False, tries=4) == 6
