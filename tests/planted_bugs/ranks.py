"""Bugs of ranks: what each adds up, draws, saves and shares."""

from functools import partial

import test_ranks as told
import test_ranks_train as ranks_
import test_shared_scores as scores

from npformer.training import Checkpoint, Replicas
from npformer.training.alone import Alone
from npformer.training.ranks import Ranks

from .plant import bug

TWO = partial(ranks_.test_two_ranks_do_bit_for_bit_what_two_workers_do, how={})
CLIPPED = partial(ranks_.test_two_ranks_do_bit_for_bit_what_two_workers_do, how={"clip_norm": 0.05})
GO_ON = partial(ranks_.test_as_many_ranks_go_on_bit_for_bit, workers=1)

RANKS = [
    bug(
        "Ranks: gradients are not added up",
        TWO,
        (Ranks, "add_up", "self.comm.Allreduce(self.mpi.IN_PLACE, gradient)", "pass"),
    ),
    bug(
        "Ranks: losses are added up as float32",
        partial(ranks_.test_losses_are_added_up_as_they_are, value=0.1 + 0.2, dtype="float32"),
        (Ranks, "add_up", "[loss, n_tokens, self.listening()]", "[np.float32(loss), n_tokens, self.listening()]"),
    ),
    bug(
        "Ranks: what was in the room before is added too",
        partial(ranks_.test_losses_are_added_up_as_they_are, value=0.1 + 0.2, dtype="float32"),
        (Ranks, "add_up", "room[...] = 0", "pass"),
    ),
    bug(
        "Ranks: each hears only its own signal",
        ranks_.test_a_signal_that_came_to_one_rank_is_heard_by_all_at_the_same_update,
        (Ranks, "add_up", "int(max(signals))", "int(signals[self.rank])"),
    ),
    bug(
        "Ranks: nobody counts the tokens",
        ranks_.test_ranks_at_different_updates_are_found,
        (Ranks, "add_up", "if sum(counted) != of_all:", "if False:"),
    ),
    bug(
        "Ranks: the first one is compared with itself",
        partial(told.test_a_rank_that_differs_is_named_with_what_differs, odd=2),
        (Ranks, "check_alike", "self.gathered([self.name, facts()])", "[[self.name, facts()]]"),
    ),
    bug(
        "Ranks: all do all held-out sentences",
        partial(scores.test_the_scores_are_those_of_one_process, scored=scores.foreseen, n=2),
        (Alone, "shared", "islice(items, self.rank, None, self.n)", "items"),
    ),
    bug(
        "Ranks: results come back in the order of the ranks",
        partial(told.test_work_is_dealt_out_and_its_results_come_back_in_order, n=3, length=7),
        (
            Alone,
            "shared",
            "[parts[i % self.n][i // self.n] for i in range(sum(map(len, parts)))]",
            "[result for part in parts for result in part]",
        ),
    ),
    bug(
        "Replicas: every rank takes the first share",
        TWO,
        (Replicas, "gradient", "batch.split(self.n_everywhere)[self.here]", "batch.split(self.n_everywhere)[:1]"),
    ),
    bug(
        "Replicas: all ranks drop out by the same numbers",
        TWO,
        (Replicas, "give_streams", "][self.here]", "][: len(self.streams)]"),
    ),
    bug(
        "Replicas: each rank's loss is a mean over its own tokens",
        TWO,
        (
            Replicas,
            "gradient",
            "n_tokens = sum(batch.n_tokens for batch in batches)",
            "n_tokens = sum(batch.split(self.n_everywhere)[self.here][0].n_tokens for batch in batches)",
        ),
    ),
    bug(
        "Replicas: a gradient is clipped before the ranks' are added up",
        CLIPPED,
        (
            Replicas,
            "gradient",
            "return self.ranks.add_up(",
            "self.flat.clip_gradient(0.05)\n    return self.ranks.add_up(",
        ),
    ),
    bug(
        "Checkpoint: every rank takes the first one's random states",
        GO_ON,
        (Checkpoint, "restore", "self.random_states(trainer.ranks.rank)", "self.random_states(0)"),
    ),
    bug(
        "Checkpoint: the first rank's random states alone are saved",
        GO_ON,
        (ranks_, "save_checkpoint", "for of_one in of_ranks", "for of_one in of_ranks[:1] * ranks.n"),
    ),
]
