"""A program that uses the public names, for mypy to check; it is not run."""

import numpy as np

import npformer as npf
from npformer import layers, runs
from npformer.decoding import beam_search, greedy_decode
from npformer.tasks import Batches, Objective, TranslationBatch
from npformer.training import Adam, Trainer, WarmupSchedule


def use() -> tuple[object, ...]:
    config = npf.TransformerConfig(
        src_vocab_size=20, tgt_vocab_size=20, d_model=16, d_ff=32, n_heads=2
    )
    model = npf.Transformer(config, rng=np.random.default_rng(0))
    adam = Adam(model.parameters(), learning_rate=WarmupSchedule(16, 20))
    batches = Batches([([4, 5], [5, 4])], batch_tokens=64)
    trainer = Trainer(Objective(model), adam, batches, workers=1)
    losses: list[float] = [record.loss for record in trainer.updates(2)]
    ids: list[list[int]] = greedy_decode(model, np.array([[4, 3]]))
    scores: list[float] = [best.score for [best] in beam_search(model, np.array([[4, 3]]))]
    batch: TranslationBatch = TranslationBatch.of([[4]], [[5]])
    layer: npf.Module = layers.PostNorm(layers.FeedForward(16, 32, rng=0), 16)
    count: int = layer.n_parameters
    run = runs.begin("copy", folder="run", epochs=1)
    predictor = runs.load(run.folder.path)
    texts: list[str] = npf.load("run").translate(["1 2 3"], beam=4)
    return losses, ids, scores, batch, count, predictor, texts
