"""What `npformer evaluate` says about attention and the gold word alignment."""

from __future__ import annotations

import numpy as np

from ..datasets import SentencePair
from ..decoding import Translator
from ..evaluation import alignment_baselines
from ..seeing import attention_error_rates
from ..tasks import encode_pairs, usable_pairs


def alignment_table(translator: Translator, pairs: list[SentencePair], *, batch_tokens: int) -> str:
    """Alignment error rates by layer and head, and what to compare them with; "" where no pair has gold links."""
    known = [pair for pair in pairs if pair.alignment]
    if not known:
        return ""
    longest = translator.model.config.max_len
    encoded = encode_pairs(known, translator.source, translator.target)
    known = [pair for pair, *_ in usable_pairs(encoded, longest=longest, what="aligned")]
    written, read = (
        100 * attention_error_rates(translator, known, row=row, batch_tokens=batch_tokens)
        for row in ("writes", "reads")
    )  # (layers, H + 1) each
    columns = [f"head {n}" for n in range(1, written.shape[1])] + ["mean"]
    lines = [
        "alignment     error rate in % of cross-attention, by head and for the mean of a layer's heads; * the best",
        " " * 12 + "".join(f"{name:>8}" for name in columns),
    ]
    for layer, rates in enumerate(written, start=1):
        cells = "".join(f"{rate:7.1f}{'*' if rate == written.min() else ' '}" for rate in rates)
        lines.append(f"layer {layer:<7}{cells}".rstrip())
    in_order, random, ideal = (100 * rate for rate in alignment_baselines(known))
    layer, column = np.unravel_index(read.argmin(), read.shape)
    where = f"(layer {layer + 1}, {columns[column]})"
    return "\n".join(
        [
            *lines,
            f"to compare    words in order {in_order:.1f}, at random {random:.1f}, one right link a word {ideal:.1f}",
            f"where read    {read.min():.1f} at best {where}; the table is of the positions that write a word",
        ]
    )
