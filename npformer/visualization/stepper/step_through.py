"""The step debugger: one update of a model, line by line."""

import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend import to_host
from ...module import Module
from ...tasks import Objective
from ...text import PAD
from ...utils import AnyPath, InputError, write_atomic
from ..viewer.viewer import page_format, readable
from .page import layer_rows, page_of
from .recorder import MadeArray, Recorder, Step

# not part of a sentence in the title
ENDS = ("<pad>", "<bos>", "<eos>", "<s>", "</s>")


def step_through(
    objective: Objective,
    batch: Any,
    optimizer: Any = None,
    *,
    only: str | None = None,
    vocabularies: Sequence = (),
) -> "StepThrough":
    """Run one update, and record each line of every layer's forward and backward.

    The update sets the gradients of the objective to zero, runs its forward on the batch and its
    backward, and with an optimizer a step of it. All results are those of an ordinary update, bit
    for bit.

    The result shows itself in a notebook; `save("step.html")` writes a page. Raises `InputError`
    when there is no layer `only`, the objective or a layer is in eval mode, or the arrays are too
    large.

    Arguments:
        objective: A model with its loss, such as an `Objective`.
        batch: What its forward takes.
        optimizer: An optimizer, whose step is recorded too.
        only: The name of a layer, such as "decoder.layers.1": lines elsewhere are not recorded.
        vocabularies: Those of a predictor, which give the ids in `batch.inputs` names.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import Objective, TranslationBatch
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> batch = TranslationBatch.of([[4, 5]], [[6]])
    >>> recording = step_through(Objective(Transformer(config, rng=0)), batch)
    >>> step, array = recording.find("decoder.layers.1 dscores")[0]
    >>> recording[array].shape
    (1, 4, 2, 3)
    """
    if not isinstance(objective, Module):
        raise InputError(
            f"step_through got {objective!r:.60}: expected an Objective, a model with its loss"
        )
    for module in objective.modules():
        if not module.training:
            raise InputError(
                f"{module.display_name} is in eval mode, without a backward: "
                "call train() of it first"
            )
    with Recorder(objective, only=only, optimizer=optimizer) as recorder:
        objective.zero_grad()
        loss = objective.forward(batch)
        objective.backward()
        if optimizer is not None:
            optimizer.step()
    return StepThrough(recorder, loss, _texts_of(recorder, batch, vocabularies))


class StepThrough:
    """The lines of one update.

    `steps` are in the order in which they ran; `recording[array]` is an array of one.
    """

    def __init__(self, recorder: Recorder, loss: float, texts: dict):
        self.recorder = recorder
        self.steps = recorder.steps
        self.loss = loss
        self.texts = texts

    def __getitem__(self, array: MadeArray) -> np.ndarray:
        return self.recorder.arrays[array.number]

    def find(self, text: str) -> list[tuple[Step, MadeArray]]:
        """Return the arrays that match all words of a text, each with its step.

        The words are names of variables, functions, classes and (parts of) modules.
        """
        words = text.lower().split()
        found = []
        for step in self.steps:
            call = self.recorder.calls[step.call]
            display_name = getattr(self.recorder.modules.get(call.module), "display_name", "")
            class_name = display_name.partition("(")[0]
            place = f".{call.module}.{call.function.name}.{class_name}.".lower()
            for array in step.made:
                name = array.name.lower()
                if all(word == name or f".{word}." in place for word in words):
                    found.append((step, array))
        return found

    def html(self) -> str:
        """Return the page, which asks nothing of the network."""
        title = _title(self.texts, f"loss {self.loss:.4g}")
        notes = [f"Loss {self.loss:.6g}. All arrays are exactly as the update computed them."]
        for side, text in self.texts.items():
            notes.append(_describe_lengths(side, text["ids"]))
        return page_of(self.recorder, self.texts, title, notes)

    def save(self, path: AnyPath) -> None:
        """Write the page, whole or not at all; the name must end in .html."""
        page_format(path)
        write_atomic(path, self.html())

    def _repr_html_(self) -> str:
        return in_frame(self.html(), "Step debugger", layer_rows(self.recorder))

    def __repr__(self) -> str:
        arrays = self.recorder.arrays
        size = f"{len(arrays.blocks):,} different arrays, {arrays.n_bytes / 1e6:.1f} MB"
        return f"StepThrough({len(self.steps):,} steps, {size}, loss {self.loss:.4g})"


def in_frame(page: str, title: str, rows: str) -> str:
    """Return a page in a frame, and the rows of a table for a notebook that removes the frame."""
    size = 'style="width: 100%; height: 45rem; border: 0"'
    return (
        f'<iframe title="{title}" {size} srcdoc="{html.escape(page)}"></iframe>'
        f"<table>{rows}</table><style>iframe + table {{ display: none }}</style>"
    )


def _title(texts: dict[str, dict], loss: str) -> str:
    """Return the first text of each side and the loss."""
    return f"{sentences_of(texts)} · {loss}" if texts else loss


def sentences_of(texts: dict[str, dict]) -> str:
    """Return the first text of each side without the tokens at its ends.

    >>> source = {"tokens": [["a", "dog", "<eos>"]]}
    >>> sentences_of({"s": source, "t": {"tokens": [["<bos>", "Hund"]]}})
    'a dog → Hund'
    """
    sentences = []
    for text in texts.values():
        words = [readable(token) for token in text["tokens"][0] if token not in ENDS]
        sentences.append(" ".join(words or text["tokens"][0]))
    return " \u2192 ".join(sentences)


def _describe_lengths(side: str, ids: np.ndarray) -> str:
    """Say how long the texts of a side are, and how much of them is padding."""
    name = "Source" if side == "s" else "Target"
    n_texts, length = ids.shape
    if n_texts == 1:
        return f"{name}: {length} tokens."
    real = ", ".join(str(n) for n in (ids != PAD).sum(1))
    return (
        f"{name}: {length} tokens for each of {n_texts} texts; {real} are real, "
        f"the rest at the end is <pad> (id {PAD})."
    )


def _texts_of(recorder: Recorder, batch: Any, vocabularies: Sequence) -> dict[str, dict]:
    """Return the ids and tokens of the texts of a batch.

    "s" is what an encoder reads, "t" what a decoder reads.
    """
    sides = []
    if "encoder" in recorder.modules:
        sides.append("s")
    if "decoder" in recorder.modules:
        sides.append("t")
    tokens = [getattr(vocabulary, "tokens", None) for vocabulary in vocabularies]
    if not tokens:
        tokens = [None] * len(sides)
    if len(tokens) < len(sides):
        raise InputError(
            f"vocabularies: got {len(tokens)} for {len(sides)} texts, expected one for each"
        )

    texts = {}
    for side, ids, names in zip(sides, getattr(batch, "inputs", ()), tokens, strict=False):
        ids = np.asarray(to_host(ids))
        rows = [_names_of(row, names) for row in ids.tolist()]
        texts[side] = {"ids": ids, "tokens": rows, "vocabulary": names}
    return texts


def _names_of(ids: Sequence[int], names: Sequence[str] | None) -> list[str]:
    """Return the tokens of ids, or the ids as text."""
    if not names:
        return [str(i) for i in ids]
    return [names[i] for i in ids]
