"""An import with wrong settings, and a table of what differs between models: for notebook 32b."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Translator, mean_loss, translation_batches

# what is wrong with the import of notebook 32b
WRONG = {"embedding_scale": "1", "n_heads": 8, "activation": "relu"}
TOLERANCE = 1e-4

SIZES = {"src_vocab_size", "tgt_vocab_size", "max_len", "d_model", "d_ff", "d_k", "d_v", "n_heads"}
SIZES |= {"dropout", "n_encoder_layers", "n_decoder_layers"}
# settings that names and shapes of the arrays in a file show
SEEN = {"final_norm", "embedding_norm", "positions", "attention_bias", "tie_embeddings"}
SEEN |= {"generator_bias"}
TOKENS = ("<pad>", "<unk>", "<bos>", "<eos>")


class Difference(NamedTuple):
    """The first layer that differs: its index, its name, and what each of them returned."""

    layer: int
    name: str
    theirs: tuple[int, ...]
    ours: tuple[int, ...]
    largest: float | None

    def __repr__(self) -> str:
        text = f"layer {self.layer}, {self.name}\n  theirs {self.theirs}, ours {self.ours}"
        if self.largest is not None:
            text += f", the largest difference is {self.largest}"
        return text


class BrokenImport:
    """An import of an nn.Transformer with some settings wrong, next to the original.

    Arguments:
        original: the translator whose model is right
        file: where its weights are
        settings: the right settings
        pair: a sentence and its translation, with which the two are compared
    """

    def __init__(self, original: Translator, file: Path, settings: Mapping[str, Any], pair):
        self.original = original
        self.file = file
        self.settings = settings
        ids = (original.source.encode(pair.source), original.target.encode(pair.target))
        batches = translation_batches([ids], original.model.config, batch_tokens=4096)
        [batch] = batches.epoch(1)
        self.inputs = batch.inputs

    def outputs(self, **repairs) -> tuple[list[str], list[np.ndarray], list[np.ndarray]]:
        """Return the names of all layers, what the original returns in each, and the import."""
        wrong = {**self.settings, **WRONG, **repairs}
        traces = []
        for model in (self.original.model, npf.interop.load(self.file, **wrong).model):
            with npf.trace(model) as trace:
                model.forward(*self.inputs)
            traces.append(trace)
        theirs, ours = traces
        names = innermost(list(theirs)[1:])  # the first is the model itself
        return names, [theirs[name].output for name in names], [ours[name].output for name in names]

    def compare(self, first_differing_layer: Callable, **repairs) -> Difference | str:
        """Return the first layer that differs after some repairs, as a function finds it."""
        names, theirs, ours = self.outputs(**repairs)
        layer = first_differing_layer(theirs, ours, TOLERANCE)
        if layer == len(names):
            return f"all {len(names)} layers agree"
        their_shape = theirs[layer].shape
        our_shape = ours[layer].shape
        largest = None
        if their_shape == our_shape:
            largest = round(float(np.abs(theirs[layer] - ours[layer]).max()), 2)
        return Difference(layer, names[layer], their_shape, our_shape, largest)


def innermost(names: Sequence[str]) -> list[str]:
    """Return the layers that have no layer in them.

    >>> innermost(["encoder", "encoder.norm"])
    ['encoder.norm']
    """
    found = []
    for name in names:
        if not any(other.startswith(f"{name}.") for other in names):
            found.append(name)
    return found


def table_of_settings(models: Mapping[str, Translator]) -> str:
    """Return a table of the settings in which models differ from each other or from the paper."""
    usual = npf.TransformerConfig(src_vocab_size=9, tgt_vocab_size=9)
    columns = {"npformer": in_words(usual)}
    for name, translator in models.items():
        columns[name] = in_words(translator.model.config)

    lines = [" " * 22 + "in file  " + "".join(f"{name:15}" for name in columns).rstrip()]
    for setting in columns["npformer"]:
        values = [column[setting] for column in columns.values()]
        if len(set(values)) > 1:
            seen = "seen" if setting in SEEN else "ask"
            line = f"{setting:22}{seen:9}" + "".join(f"{value:15}" for value in values)
            lines.append(line.rstrip())
    return "\n".join(lines)


def in_words(config: npf.TransformerConfig) -> dict[str, str]:
    """Return the settings of a config that are not sizes, as words."""
    found = {name: value for name, value in vars(config).items() if name not in SIZES}
    if config.final_norm is None:
        found["final_norm"] = config.norm == "pre"
    found["start_id"] = TOKENS[config.start_id]
    words = {}
    for name, value in found.items():
        if isinstance(value, bool):
            words[name] = "yes" if value else "-"
        else:
            words[name] = str(value).replace("sinusoidal_concatenated", "sin., sorted")
    return words


def share_and_loss(translator: Translator, pairs: Sequence[SentencePair]) -> tuple[float, float]:
    """Return the share of sentences that are translated as the rules do, and the loss."""
    ids = []
    for pair in pairs:
        ids.append((translator.source.encode(pair.source), translator.target.encode(pair.target)))
    batches = translation_batches(ids, translator.model.config, batch_tokens=4096)
    outputs = translator.translate([pair.source for pair in pairs], beam=1)
    right = [output == pair.target for output, pair in zip(outputs, pairs, strict=True)]
    return float(np.mean(right)), float(mean_loss(translator.model, batches))
