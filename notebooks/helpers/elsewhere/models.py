"""Three small models as other people build them, trained on the made language."""

from __future__ import annotations

from collections.abc import Sequence

import npformer as npf
from npformer.datasets import SentencePair
from npformer.tasks import Objective, Translator, translation_batches
from npformer.text import PAD, Vocabulary
from npformer.training import Adam, Trainer, WarmupSchedule

OTHERS = {  # what each does otherwise than the paper
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


def trained(name: str, pairs: Sequence[SentencePair], *, epochs: int = 2, seed: int = 0) -> Translator:
    """Return a model that computes as those of a kind do, trained on sentence pairs.

    One vocabulary has the words of both languages, but nn.Transformer's two are apart.
    """
    sides = [[pair.source for pair in pairs], [pair.target for pair in pairs]]
    apart = OTHERS[name].get("tie_embeddings") == "none"
    source, target = (Vocabulary.build(side if apart else sides[0] + sides[1]) for side in sides)
    sizes = {"src_vocab_size": len(source), "tgt_vocab_size": len(target), "max_len": 32, "dropout": 0.0}
    config = npf.TransformerConfig.tiny(**sizes, **OTHERS[name])
    model = npf.Transformer(config, rng=seed)
    ids = [(source.encode(pair.source), target.encode(pair.target)) for pair in pairs]
    batches = translation_batches(ids, config, batch_tokens=256, seed=seed)
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule.with_peak(4e-3, config.d_model, 100))
    for _ in Trainer(Objective(model), adam, batches).updates(epochs):
        pass
    return Translator(model.eval(), source, target)
