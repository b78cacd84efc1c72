"""The gallery of planted bugs: its texts, and what each bug changes in an update."""

import re

import numpy as np
import pytest

import npformer as npf
from npformer import InputError
from npformer.tasks import Objective, TranslationBatch
from npformer.testing import find_bug, gallery, plant, read_planted_bugs
from npformer.visualization.comparison.evidence import gradient_check
from tests.small_models import SIZES, disturb

GALLERY = gallery()
# whose texts say when a gradient check passes
ON_CONDITION = [
    find_bug("gradient of the encoder's output from one decoder layer only"),
    find_bug("dropout's backward draws a new mask"),
]
# two decoder layers, because a bug changes only what is summed over layers
SETTINGS = {**SIZES, "n_decoder_layers": 2, "dropout": 0.1}


def update():
    """Return the loss, the gradients and the parameters of an update of a small translator."""
    config = npf.TransformerConfig(src_vocab_size=9, tgt_vocab_size=9, **SETTINGS)
    model = npf.Transformer(config, rng=0)
    disturb(model, np.random.default_rng(1), scale=0.1)
    adam = npf.Adam(model.parameters(), npf.WarmupSchedule(config.d_model, 10))
    batch = TranslationBatch.of([[4, 5, 4], [6]], [[7, 7, 8], [8]])
    objective = Objective(model).train()
    loss = objective.forward(batch)
    objective.backward()
    adam.step()
    return [np.array(loss), adam.grad.copy(), adam.data.copy()]


@pytest.mark.parametrize("bug", GALLERY, ids=lambda bug: bug.title)
def test_gallery_bug_changes_an_update(bug):
    correct = update()
    np.testing.assert_equal(update(), correct)
    with plant(bug):
        assert not all(map(np.array_equal, correct, update()))


def test_gallery_has_texts_and_sources():
    assert len(GALLERY) >= 24
    for bug in GALLERY:
        assert bug.title and bug.teaches, bug.name
        assert re.search(r"\d{4}.*\): https://\S+$", bug.seen), bug.name


@pytest.mark.long
@pytest.mark.parametrize("bug", GALLERY, ids=lambda bug: bug.title)
def test_gradient_check_passes_where_the_text_says_so(bug):
    text = " ".join(bug.teaches.split())
    found = gradient_check(bug)
    if re.search(r"(^|[.:,] |and )[Aa] gradient check passes", text) and bug not in ON_CONDITION:
        assert "does not find this change" in found
    if (
        re.search("(?<!nor )a gradient check (in float64 )?(finds|shows)", text)
        or bug in ON_CONDITION
    ):
        assert "The gradient check finds this change" in found


def test_only_gallery_bugs_have_texts():
    for bug in read_planted_bugs():
        assert bug in GALLERY or not bug.seen + bug.teaches


def test_bug_is_found_by_name_and_title():
    bug = GALLERY[-1]
    assert find_bug(bug.name) == find_bug(bug.title) == bug


def test_no_two_bugs_have_one_title():
    titles = {bug.title for bug in GALLERY}
    assert len(titles) == len(GALLERY)


def test_unknown_bug_is_answered_with_the_closest():
    with pytest.raises(InputError, match="'softmax over the wrong axis'") as caught:
        find_bug("softmax over wrong axes")
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"the closest are \['.*', '.*', '.*'\]$"):
        find_bug("abacus")
