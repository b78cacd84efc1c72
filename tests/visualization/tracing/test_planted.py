"""Can the tests of the trace fail? Each planted bug must be caught by the ordinary test named for it."""

import pytest
import test_records as records
from planted_bugs.plant import bug, called, plant

from npformer.visualization.tracing import recorder
from npformer.visualization.tracing.recorder import Recorder

CALLER = records.test_a_caller_who_changes_what_a_layer_gave_or_got_changes_no_record
LAST = records.test_the_last_of_several_forwards_is_kept_without_the_gradients_of_an_earlier_one
BUGS = [
    bug(
        "arrays are kept, not copied",
        CALLER,
        (recorder, "copied", "np.array(to_host(value))", "to_host(value).view()"),
    ),
    bug(
        "a second forward leaves the gradients of the first",
        LAST,
        (Recorder, "_note_forward", "self._new_record(name)", "self.records.get(name) or self._new_record(name)"),
    ),
    bug(
        "parameters are noted when their layer is done, a shared table too early",
        records.test_a_shared_table_has_one_gradient_the_sum_of_all,
        (Recorder, "_note_backward", "if not self.open_backwards:", "if self.open_backwards:"),
    ),
    bug(
        "the output is noted before it is there",
        records.test_a_feed_forward_network_layer_by_layer,
        (Recorder, "_note_forward", "copied(y)", "record.inputs[0]"),
    ),
    bug(
        "the gradient that went out is noted as the one that came",
        records.test_a_feed_forward_network_layer_by_layer,
        (Recorder, "_note_backward", "record.dy = dy", "record.dy = copied(returned)"),
    ),
]  # fmt: skip
TESTS = {called(b.test): b.test for b in BUGS}


@pytest.mark.parametrize("planted", BUGS, ids=lambda planted: planted.name)
def test_the_bug_is_caught(planted, monkeypatch):
    plant(planted.edits, monkeypatch)
    with pytest.raises((AssertionError, ValueError)):
        planted.test()


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_without_a_bug_the_same_test_passes(test):
    test()
