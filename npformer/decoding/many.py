"""Many sentences: decoded in groups of like length, which threads, and ranks, share out among themselves."""

from collections.abc import Callable, Iterable, Sequence

from ..base import Alone, blas_threads, check_workers, threads_for
from ..models import Transformer
from ..text import pad


def decode_many(
    model: Transformer,
    decode: Callable,
    sources: Sequence[list[int]],
    *,
    batch_tokens: int,
    workers: int | None = None,
    ranks: Alone | None = None,
) -> list:
    """Decode sentences of ids, and return a result for each, in their order.

    `decode` turns padded source ids (B, S) into B results, which JSON can hold; a group has about `batch_tokens` tokens
    at most. Each worker is a thread with one group at a time, on one core; there are as many as cores unless said
    otherwise, and one on a GPU. `ranks`, where they are given, share the groups. The model is in eval mode meanwhile.

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

    def decode_group(group: list[int]) -> list:
        with model.evaluating():
            return decode(pad([sources[i] for i in group], model.config.pad_id))

    def decode_groups(mine: Iterable[list[int]]) -> list:
        if workers == 1 or len(groups) < 2:
            with threads_for(model.config.d_model):
                return [decode_group(group) for group in mine]
        from concurrent.futures import ThreadPoolExecutor  # which a single sentence need not wait for

        with blas_threads(1), ThreadPoolExecutor(workers, "npformer-decoder") as threads:
            return list(threads.map(decode_group, mine))

    groups.reverse()  # the longest sentences first
    results = [None] * len(sources)
    for group, decoded in zip(groups, ranks.shared(decode_groups, groups), strict=True):
        for i, result in zip(group, decoded, strict=True):
            results[i] = result
    return results


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
