"""Many sentences: decoded in groups of like length, which workers, and ranks, share out among themselves."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing

from ..backend import check_workers
from ..models import Transformer
from ..text import pad
from ..training.alone import Alone
from ..utils import blas_threads, threads_for

BATCH_TOKENS = 4096  # of a group, about, unless said otherwise
WORTH_A_FORK = 100  # source tokens: to fork children and to end them takes some 10 ms


def decode_many(
    model: Transformer,
    decode: Callable,
    sources: Sequence[list[int]],
    *,
    batch_tokens: int,
    workers: int | None = None,
    processes: bool | None = None,
    ranks: Alone | None = None,
) -> list:
    """Decode sentences of ids, and return a result for each, in their order.

    `decode` turns padded source ids (B, S) into B results, which JSON can hold; a group has about `batch_tokens` tokens
    at most. Each worker has one group at a time, on one core; there are as many as cores unless said otherwise, and one
    on a GPU. They are processes forked for this call, where that can be and pays, and otherwise threads; `processes`
    asks for one or the other (`workers.team`). In a process `decode` shall use nothing but Python and NumPy, and all
    that it leaves anywhere but in its results is lost: where it draws random numbers ask for threads, or it draws the
    same ones in each. `ranks`, where they are given, share the groups. The model is in eval mode meanwhile.

    >>> import numpy as np
    >>> from npformer import TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10))
    >>> decode_many(model, lambda src: [row.tolist() for row in src], [[5, 3], [6, 7, 8, 3], [9, 3]], batch_tokens=4)
    [[5, 3], [6, 7, 8, 3], [9, 3]]
    """
    ranks = ranks or Alone()
    workers = ranks.default_workers() if workers is None else workers
    check_workers(workers)
    lengths = [len(ids) for ids in sources]
    share = -(-sum(lengths) // (workers * ranks.n))  # a group for each worker, where one could hold them all
    groups = groups_of_like_length(lengths, min(batch_tokens, share))
    one = OneGroup(model, decode, sources)
    if processes is None and sum(lengths) < WORTH_A_FORK:
        processes = False

    def decode_groups(mine: Iterable[list[int]]) -> list:
        if workers == 1 or len(groups) < 2:
            with threads_for(model.config.d_model):
                return [one.decoded(group) for group in mine]
        from ..workers import team  # which a single sentence need not wait for

        items = [(group,) for group in mine]
        n = max(min(workers, len(items)), 1)
        with blas_threads(1), closing(team(n, processes=processes, n_ranks=ranks.n)) as several:
            several.join(one.decoded)
            return several.each(one.decoded, items)

    groups.reverse()  # the longest sentences first
    results = [None] * len(sources)
    for group, decoded in zip(groups, ranks.shared(decode_groups, groups), strict=True):
        for i, result in zip(group, decoded, strict=True):
            results[i] = result
    return results


class OneGroup:
    """What each worker does."""

    def __init__(self, model: Transformer, decode: Callable, sources: Sequence[list[int]]):
        self.model, self.decode, self.sources = model, decode, sources

    def decoded(self, group: list[int]) -> list:
        """Return the results of the sentences with these numbers."""
        with self.model.evaluating():
            return self.decode(pad([self.sources[i] for i in group], self.model.config.pad_id))

    def move_to(self, visible: Callable) -> None:
        """Leave the model where it is: a worker sees it as it was when it was forked, and nothing changes there."""


def groups_of_like_length(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Cut indices, sorted by length, into groups whose padded size stays within batch_tokens (or a single one).

    >>> groups_of_like_length([3, 9, 4, 3], batch_tokens=12)
    [[0, 3, 2], [1]]
    """
    groups = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if groups and (len(groups[-1]) + 1) * lengths[i] <= batch_tokens:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups
