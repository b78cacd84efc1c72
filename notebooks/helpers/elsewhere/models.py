"""Three small models as other people build them, trained on the made language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Objective, Translator, translation_batches
from npformer.text import PAD, Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule

OTHERS: dict[str, dict[str, Any]] = {  # where each differs from the paper
    "nn.Transformer": {
        "norm": "pre",
        "activation": "gelu",
        "positions": "learned",
        "tie_embeddings": "none",
        "generator_bias": True,
        "layer_norm_eps": 1e-5,
    },
    "jadore": {"embedding_norm": True, "attention_bias": False, "source_special_tokens": "both"},
    "Marian": {
        "activation": "silu",
        "positions": "sinusoidal_concatenated",
        "generator_bias": True,
        "start_id": PAD,
        "layer_norm_eps": 1e-5,
    },
}


def trained(
    name: str, pairs: Sequence[SentencePair], *, epochs: int = 2, seed: int = 0
) -> Translator:
    """Return a model that computes as those of a kind do, trained on sentence pairs.

    One vocabulary has the words of both languages, except that nn.Transformer has two.

    Arguments:
        name: one of `OTHERS`
        pairs: the sentences to train on
        epochs: of the training
        seed: of the initial weights and the order of the batches
    """
    source, target = _vocabularies(name, pairs)
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(source),
        tgt_vocab_size=len(target),
        max_len=32,
        dropout=0.0,
        **OTHERS[name],
    )
    model = npf.Transformer(config, rng=seed)

    ids = []
    for pair in pairs:
        ids.append((source.encode(pair.source), target.encode(pair.target)))
    batches = translation_batches(ids, config, batch_tokens=256, seed=seed)

    schedule = WarmupSchedule.with_peak(4e-3, config.d_model, 100)
    adam = Adam(model.parameters(), learning_rate=schedule)
    for _ in Trainer(Objective(model), adam, batches).updates(epochs):
        pass
    return Translator(model.eval(), source, target)


def _vocabularies(name: str, pairs: Sequence[SentencePair]) -> tuple[Vocabulary, Vocabulary]:
    sources = [pair.source for pair in pairs]
    targets = [pair.target for pair in pairs]
    if OTHERS[name].get("tie_embeddings") == "none":
        return Vocabulary.build(sources), Vocabulary.build(targets)
    # embeddings are shared, so a word of either language has one id
    both = Vocabulary.build(sources + targets)
    return both, both
