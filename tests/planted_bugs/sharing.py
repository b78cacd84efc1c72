"""Bugs of workers: how sentences are shared out, and who is forked when."""

from functools import partial

import test_ends_of_workers as ends
import test_many as many_
import test_other_threads as others_
from npformer.workers import Processes, others

from npformer.decoding import batching as many

from .plant import bug

SHARING = [
    bug(
        "decode_many: results stand in the places of another group",
        partial(many_.test_workers_share_the_groups_and_the_order_stays, workers=2, batch_tokens=9, processes=False),
        (many, "decode_many", "ranks.shared(decode_groups, groups)", "ranks.shared(decode_groups, groups[::-1])"),
    ),
    bug(
        "decode_many: a child for every core, though there are fewer groups",
        many_.test_no_more_children_are_forked_than_there_are_groups,
        (many, "decode_many", "max(min(workers, len(items)), 1)", "workers"),
    ),
    bug(
        "decode_many: threads that were asked for are processes",
        many_.test_workers_are_processes_unless_threads_are_asked_for_or_there_are_other_ranks,
        (many, "decode_many", "team(n, processes=processes, n_ranks", "team(n, n_ranks"),
    ),
    bug(
        "decode_many: a rank forks beside other ranks",
        many_.test_workers_are_processes_unless_threads_are_asked_for_or_there_are_other_ranks,
        (many, "decode_many", "n_ranks=ranks.n)", "n_ranks=1)"),
    ),
    bug(
        "decode_many: a fork for two short sentences",
        many_.test_where_few_tokens_are_read_no_process_is_forked_unless_one_is_asked_for,
        (many, "decode_many", "sum(lengths) < WORTH_A_FORK", "False"),
    ),
    bug(
        "Processes: children stay until nobody holds their team",
        many_.test_no_child_outlives_its_call,
        (Processes, "close", "end(self.children, self.home)", "pass"),
    ),
    bug(
        "Processes: a fork that was refused is tried again at each call",
        ends.test_where_no_process_can_be_forked_and_none_is_asked_for_threads_go_on,
        (Processes, "complete", "self.refused = True", "return False"),
    ),
    bug(
        "others: a pool's thread is taken for one that waits",
        others_.test_so_may_any_of_multiprocessings_pool_of_threads,
        (others, "may_multiply", "in CALLERS", '== "run"'),
    ),
]
