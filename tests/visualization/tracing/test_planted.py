"""Can the tests of the trace fail? Each planted bug must be caught by the ordinary test named for it."""

import pytest
import test_records as records
from planted_bugs.plant import bug, called, plant

from npformer.visualization.tracing.recorder import Recorder
from npformer.visualization.tracing.snapshots import Copies

CALLER = records.test_a_caller_who_changes_what_a_layer_gave_or_got_changes_no_record
LAST = records.test_the_last_of_several_forwards_is_kept_without_the_gradients_of_an_earlier_one
BUGS = [
    bug("arrays are kept, not copied", CALLER, (Copies, "of", "np.array(to_host(value)", "np.asarray((value)")),
    bug(
        "arrays of the same shape share a copy",
        records.test_a_linear_map_by_hand,
        (Copies, "of", "(array.shape, array.dtype.str, content)", "(array.shape, array.dtype.str)"),
    ),
    bug(
        "a second forward leaves the gradients of the first",
        LAST,
        (Recorder, "note_forward", "self.new_record(name)", "self.records.get(name) or self.new_record(name)"),
    ),
    bug(
        "parameters are noted when their layer is done, a shared table too early",
        records.test_a_shared_table_has_one_gradient_the_sum_of_all,
        (Recorder, "note_backward", "if not self.open_backwards:", "if self.open_backwards:"),
    ),
    bug(
        "the output is noted before it is there",
        records.test_a_feed_forward_network_layer_by_layer,
        (Recorder, "note_forward", "self.copies.of(y)", "record.inputs[0]"),
    ),
    bug(
        "the gradient that went out is noted as the one that came",
        records.test_a_feed_forward_network_layer_by_layer,
        (Recorder, "note_backward", "record.dy = dy", "record.dy = self.copies.of(returned)"),
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
