"""The step debugger: one update of a model, line by line."""

import html
from collections.abc import Sequence

import numpy as np

from ...backend import to_host
from ...module import Module
from ...text import PAD
from ...utils import AnyPath, InputError, write_atomic
from ..viewer.viewer import page_format, readable
from .page import layer_rows, page_of
from .recorder import MOST_UPDATED, MadeArray, Recorder, Step


def step_through(
    objective: Module,
    batch,
    optimizer=None,
    *,
    only: str | None = None,
    vocabularies: Sequence = (),
) -> "StepThrough":
    """Run one update, and record each line of every layer's forward and backward with the arrays that it makes.

    The update sets the gradients of the `objective` to zero, runs its forward on the batch and its backward, and with
    an `optimizer` a step of it. All results are those of an ordinary update, bit for bit. `only` is the name of a
    layer, such as "decoder.layers.1": lines elsewhere are not recorded. `vocabularies`, those of a predictor, give the
    ids in `batch.inputs` names.

    The result shows itself in a notebook; `save("step.html")` writes a page.
    Raises `InputError` when there is no layer `only`, the objective is in eval mode, or the arrays are too large.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import Objective, TranslationBatch
    >>> model = Transformer(TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0), rng=0)
    >>> recording = step_through(Objective(model), TranslationBatch.of([[4, 5]], [[6]]))
    >>> step, array = recording.find("decoder.layers.1 dscores")[0]
    >>> recording[array].shape
    (1, 4, 2, 3)
    """
    if not isinstance(objective, Module):
        raise InputError(
            f"step_through got {objective!r:.60}: expected an Objective, a model with its loss"
        )
    if not objective.training:
        raise InputError(
            f"{objective.label} is in eval mode, without a backward: call train() of it first"
        )
    with Recorder(objective, only=only, optimizer=optimizer) as recorder:
        objective.zero_grad()
        loss = objective.forward(batch)
        objective.backward()
        if optimizer is not None:
            optimizer.step()
    return StepThrough(recorder, loss, _texts_of(recorder, batch, vocabularies))


class StepThrough:
    """The lines of one update. `steps` are in the order in which they ran; `recording[array]` is an array of one."""

    def __init__(self, recorder: Recorder, loss: float, texts: dict):
        self.recorder, self.steps, self.loss, self.texts = recorder, recorder.steps, loss, texts

    def __getitem__(self, array: MadeArray) -> np.ndarray:
        return self.recorder.arrays[array.number]

    def find(self, text: str) -> list[tuple[Step, MadeArray]]:
        """Return the arrays that match all words: names of variables, functions, classes and (parts of) modules."""
        words, found = text.lower().split(), []
        for step in self.steps:
            call = self.recorder.calls[step.call]
            label = getattr(self.recorder.modules.get(call.module), "label", "")
            place = f".{call.module}.{call.function.name}.{label.partition('(')[0]}.".lower()
            found += [
                (step, a)
                for a in step.made
                if all(w == a.name.lower() or f".{w}." in place for w in words)
            ]
        return found

    def html(self) -> str:
        """Return the page, which asks nothing of the network."""
        notes = [f"Loss {self.loss:.6g}. All arrays are exactly as the update computed them."]
        notes += [f"The update shows parameters of up to {MOST_UPDATED:,} entries."] * bool(
            self.recorder.optimizer
        )
        for side, text in self.texts.items():
            (n, length), real = text["ids"].shape, ", ".join(map(str, (text["ids"] != PAD).sum(1)))
            padded = (
                f" for each of {n} texts; {real} are real, the rest at the end is <pad> (id {PAD})"
                * (n > 1)
            )
            notes.append(f"{'Source' if side == 's' else 'Target'}: {length} tokens{padded}.")
        titles = [" ".join(map(readable, text["tokens"][0])) for text in self.texts.values()]
        return page_of(self.recorder, self.texts, " \u2192 ".join(titles), notes)

    def save(self, path: AnyPath) -> None:
        """Write the page, whole or not at all; the name must end in .html."""
        page_format(path)
        write_atomic(path, self.html())

    def _repr_html_(self) -> str:
        size = 'style="width: 100%; height: 45rem; border: 0"'
        table = f"<table>{layer_rows(self.recorder)}</table><style>iframe + table {{ display: none }}</style>"
        return f'<iframe title="Step debugger" {size} srcdoc="{html.escape(self.html())}"></iframe>{table}'

    def __repr__(self) -> str:
        arrays = self.recorder.arrays
        size = f"{len(arrays.blocks):,} different arrays, {arrays.n_bytes / 1e6:.1f} MB"
        return f"StepThrough({len(self.steps):,} steps, {size}, loss {self.loss:.4g})"


def _texts_of(recorder: Recorder, batch, vocabularies: Sequence) -> dict[str, dict]:
    """Return the ids and tokens of the texts of a batch: "s" what an encoder reads, "t" what a decoder reads."""
    sides = [
        side for side, stack in (("s", "encoder"), ("t", "decoder")) if stack in recorder.modules
    ]
    tokens = [getattr(vocabulary, "tokens", None) for vocabulary in vocabularies] or [None] * len(
        sides
    )
    found = {}
    for side, ids, names in zip(sides, getattr(batch, "inputs", ()), tokens, strict=False):
        ids = np.asarray(to_host(ids))
        found[side] = {
            "ids": ids,
            "tokens": [[names[i] if names else str(i) for i in row] for row in ids.tolist()],
        }
    return found
