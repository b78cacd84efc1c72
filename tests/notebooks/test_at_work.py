"""What the notebooks say where a learner has changed the sentence."""

import pytest

from helpers.at_work import place_of
from npformer import InputError


def test_bet_on_a_word_that_is_not_written_names_the_sentence_to_set():
    with pytest.raises(InputError) as error:
        place_of("schalte", ["Ich", "lese", "."])
    assert str(error.value) == (
        "the bet is about 'schalte', and the translation is 'Ich lese .': set sentence = "
        "'I turn off the new radio every day.', and run the cells from there on again"
    )
