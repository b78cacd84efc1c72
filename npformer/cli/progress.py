"""What a training says at its beginning, and the bar that it moves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..base.errors import require
from ..training import Trainer

if TYPE_CHECKING:
    from ..runs.run import Run


def describe(run: Run) -> str:
    """Say in a few lines what will be trained on what."""
    batches, c = run.trainer.batches, run.config
    n_parameters = sum(p.data.size for p in run.model.parameters())
    left_out = f", {run.left_out} left out (an empty side, or too long)" if run.left_out else ""
    return "\n".join(
        [
            f"data    {len(batches.pairs):,} sentence pairs{left_out}; {len(run.held_out):,} held out",
            f"tokens  {len(run.source):,} source and {len(run.target):,} target "
            f"{run.source.unit}; {100 * batches.epoch(1).padding_share:.1f} % padding in the batches",
            f"model   {c.n_encoder_layers}+{c.n_decoder_layers} layers, d_model {c.d_model}, d_ff {c.d_ff}, "
            f"{c.n_heads} heads, {n_parameters:,} parameters",
            f"folder  {run.folder.path}",
        ]
    )


def progress_bar(trainer: Trainer, epochs: int):
    """Return a bar over all updates of `epochs` epochs, those of earlier sittings included."""
    # Every epoch has as many updates as the first; with subword dropout about as many.
    updates = math.ceil(len(trainer.batches.epoch(1)) / trainer.accumulate)
    left = (epochs + 1 - trainer.epoch) * updates - trainer.batch // trainer.accumulate
    done = trainer.optimizer.steps
    tqdm = require("tqdm", "npformer").tqdm
    return tqdm(initial=done, total=done + max(left, 0), unit="step", disable=None, dynamic_ncols=True)
