"""The tree of notebook 19, the check of a beam's step, and the translator as a model to search."""

import numpy as np
import pytest

from helpers.phrase_tree import DANKE, END, GUTEN_TAG, PhraseTree, check_step
from helpers.shipped_search import (
    BOS,
    EOS,
    MAX_LEN,
    PAD,
    reads_beginnings,
    reads_tokens,
    text_of,
    translator,
)
from npformer_course import course
from npformer_course.definition import module_of


@pytest.mark.parametrize("counts", [GUTEN_TAG, DANKE])
def test_sentences_of_a_tree_have_the_shares_of_the_people(counts):
    tree = PhraseTree("", counts)
    for sentence, n in counts.items():
        assert tree.probability((*sentence.split(), END)) == pytest.approx(n / 200)


def step_with(times="p * q", ends_among=":beam", open_among="longer", order="-one[1]"):
    """Return a step of beam search of which some parts may be wrong."""
    code = f"""
def beam_step(tree, open_ones, beam):
    longer = []
    for words, p in open_ones:
        for word, q in tree.next_words(words).items():
            longer.append(((*words, word), {times}))
    longer.sort(key=lambda one: {order})
    finished = [one for one in longer[{ends_among}] if one[0][-1] == "{END}"]
    return finished, [one for one in {open_among} if one[0][-1] != "{END}"][:beam]
"""
    names = {}
    exec(code, names)
    return names["beam_step"]


def test_right_step_is_returned(capsys):
    step = step_with()
    assert check_step(step) is step
    assert capsys.readouterr().out == "beam_step: right\n"


@pytest.mark.parametrize(
    ("mistake", "reason"),
    [
        ({"times": "q"}, "is not the probability of all its words"),
        ({"ends_among": ":"}, "what is finished: "),
        ({"open_among": "longer[:beam]"}, "step 1, what is open: 0, and there should be 1"),
        ({"order": "one[1]"}, "what is open: 'how' is there, and others are more probable"),
        ({"times": "p * q / 0"}, "ZeroDivisionError"),
    ],
)
def test_wrong_step_is_explained_and_replaced(capsys, mistake, reason):
    wrong = step_with(**mistake)
    returned = check_step(wrong)
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("beam_step: wrong; the notebook continues with npformer's")
    assert reason in said
    finished, still_open = returned(PhraseTree("danke", DANKE), [((), 1.0)], 2)
    assert [words for words, _ in still_open] == [("thank",), ("thanks",)] and not finished


def test_step_that_is_not_written_is_replaced(capsys):
    def beam_step(tree, open_ones, beam):
        return ..., ...

    assert check_step(beam_step) is not beam_step
    assert "not written yet" in capsys.readouterr().out


def test_translator_as_a_model_is_searched_as_by_the_library():
    sentence = "May she call the men?"
    [expected] = translator().translate([sentence])
    beam_search = module_of(course.load("beam").key).beam_search
    model, state = reads_tokens(sentence, 4)
    ids, _ = beam_search(model, state, BOS, EOS, PAD, MAX_LEN, 4, 0.6)
    assert text_of(ids) == expected

    # both models give the same probabilities
    log_p = reads_beginnings([sentence, "The dog sleeps."])(np.array([[BOS], [BOS]]))
    np.testing.assert_allclose(np.exp(log_p).sum(-1), 1, atol=1e-3)  # less that of padding
    next_log_p, _ = model(np.array([BOS]), state[:1])
    np.testing.assert_allclose(np.exp(next_log_p[0]), np.exp(log_p[0, 0]), atol=1e-6)
