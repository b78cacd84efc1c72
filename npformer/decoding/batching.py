"""Many sentences, decoded in groups of similar length."""

from collections.abc import Callable, Sequence

from ..module import Module
from ..text import pad
from ..utils import threads_for

BATCH_TOKENS = 4096  # of a group, about, by default


def decode_batched(
    model: Module, decode: Callable, sources: Sequence[list[int]], *, batch_tokens: int = BATCH_TOKENS
) -> list:
    """Decode sentences of ids, and return a result for each, in their order.

    `decode` turns padded ids (B, S) into B results; a group has at most about `batch_tokens` tokens. The model is in
    eval mode meanwhile.

    >>> from npformer import Transformer, TransformerConfig
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10))
    >>> decode_batched(model, lambda src: [row.tolist() for row in src], [[5, 3], [6, 7, 8, 3], [9, 3]], batch_tokens=4)
    [[5, 3], [6, 7, 8, 3], [9, 3]]
    """
    results = [None] * len(sources)
    with model.evaluating(), threads_for(model.config.d_model):
        for group in groups_of_like_length([len(ids) for ids in sources], batch_tokens):
            decoded = decode(pad([sources[i] for i in group], model.config.pad_id))
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
