"""Cases for the loss, the layers of both columns, and whole models with the loss on top."""

from functools import partial

from ...models import Classifier, DecoderLayer, EncoderLayer, LanguageModel, Transformer, causal_mask, padding_mask
from ...models.gradient_checkpointing import Checkpointed
from ...tasks import ClassificationBatch, LabelSmoothingLoss, LanguageModelBatch, Objective, TranslationBatch
from .case import GradientCase
from .inputs import (
    BATCH,
    D_FF,
    D_MODEL,
    D_V,
    N_CLASSES,
    PAD_ID,
    SRC_VOCAB,
    VOCAB,
    S,
    T,
    classifier_config,
    config,
    holey_mask,
    language_model_config,
    sentences,
    values,
)


def loss(rng, dtype, *, eps):
    """Return a loss with logits (B, T, V) and targets with padding."""
    return LabelSmoothingLoss(eps=eps, pad_id=PAD_ID), (values(rng, BATCH, T, VOCAB), sentences(rng, T, VOCAB))


def encoder_layer(rng, dtype, *, kind=EncoderLayer, **settings):
    """Return an encoder layer with x (B, S, D) and a mask."""
    layer = kind(config(dtype, **settings), rng=rng)
    return layer, (values(rng, BATCH, S, D_MODEL), holey_mask(rng, BATCH, S, S))


def checkpointed(rng, dtype):
    """Return an encoder layer with gradient checkpointing, and its inputs."""
    layer, inputs = encoder_layer(rng, dtype)
    return Checkpointed(layer), inputs


def decoder_layer(rng, dtype, *, kind=DecoderLayer, **settings):
    """Return a decoder layer with x (B, T, D), memory (B, S, D) and both masks."""
    layer = kind(config(dtype, **settings), rng=rng)
    masks = causal_mask(T), padding_mask(sentences(rng, S, VOCAB, shortest=0), PAD_ID)
    return layer, (values(rng, BATCH, T, D_MODEL), values(rng, BATCH, S, D_MODEL), *masks)


def model(rng, dtype, *, label_smoothing=0.1, shortest=2, **settings):
    """Return a model with its loss, and a batch; `shortest` is the length of the shortest source sentence."""
    transformer = Transformer(config(dtype, **settings), rng=rng)
    src = sentences(rng, S, transformer.config.src_vocab_size, shortest)
    tgt = sentences(rng, T + 1, VOCAB)
    if transformer.config.start_id == PAD_ID:
        tgt[:, 0] = PAD_ID
    objective = Objective(transformer, label_smoothing=label_smoothing)
    return objective, (TranslationBatch(src, tgt[:, :-1], tgt[:, 1:]),)


def padded(rng, dtype, **settings):
    """Return a model without a loss, its logits of padding among the others, and ids."""
    objective, (batch,) = model(rng, dtype, **settings)
    return objective.model, batch.inputs


def language_model(rng, dtype, **settings):
    """Return a language model with its loss, and a batch."""
    made = LanguageModel(language_model_config(dtype, **settings), rng=rng)
    ids = sentences(rng, T + 1, VOCAB)
    return Objective(made), (LanguageModelBatch(ids[:, :-1], ids[:, 1:]),)


def classifier(rng, dtype, **settings):
    """Return a classifier with its loss, and a batch in which a text is of class 0."""
    made = Classifier(classifier_config(dtype, **settings), rng=rng)
    labels = rng.permutation(N_CLASSES)[:BATCH]
    labels[1] = 0
    return Objective(made), (ClassificationBatch(sentences(rng, S, VOCAB), labels),)


MODEL_CASES = (
    GradientCase("LabelSmoothingLoss", partial(loss, eps=0.1)),
    GradientCase("LabelSmoothingLoss without smoothing", partial(loss, eps=0.0)),
    GradientCase("EncoderLayer, post-norm", encoder_layer),
    GradientCase("EncoderLayer, pre-norm", partial(encoder_layer, norm="pre")),
    GradientCase("DecoderLayer, post-norm", decoder_layer),
    GradientCase("DecoderLayer, pre-norm", partial(decoder_layer, norm="pre")),
    GradientCase("EncoderLayer, checkpointed", checkpointed),
    GradientCase("Transformer as in the paper", model),
    GradientCase("Transformer with gradient checkpointing", partial(model, gradient_checkpointing=True)),
    GradientCase("Transformer, pre-norm, a source of padding", partial(model, norm="pre", shortest=0)),
    GradientCase("Transformer, padding computed too", padded),
    GradientCase("Transformer, attention by blocks", partial(model, attention="flash")),
    GradientCase("Transformer, restricted self-attention", partial(model, neighbors=3)),
    GradientCase(
        "Transformer, pre-norm, learned positions", partial(model, norm="pre", positions="learned", tie="target")
    ),
    GradientCase("Transformer, narrow embeddings", partial(model, d_word_vec=D_V, init="per_head")),
    GradientCase("Transformer, wide embeddings", partial(model, d_word_vec=D_FF, tie="target", init="glorot_normal")),
    GradientCase(
        "Transformer, three tables, no biases, no dropout",
        partial(
            model,
            src_vocab_size=SRC_VOCAB,
            tie="none",
            attention_bias=False,
            dropout=0.0,
            attention_dropout=0.0,
            label_smoothing=0.0,
        ),
    ),
    GradientCase(
        "Transformer as Marian's: SiLU, sines first, a bias in the generator, targets that begin with <pad>",
        partial(model, activation="silu", positions="sinusoidal_halves", generator_bias=True, start_id=PAD_ID),
    ),
    GradientCase(
        "Transformer, norms at foot and end of its columns, a bias with narrow embeddings",
        partial(model, embedding_norm=True, final_norm=True, generator_bias=True, d_word_vec=D_V, tie="target"),
    ),
    GradientCase(
        "Transformer, pre-norm, with a norm at its foot and none at its end",
        partial(model, norm="pre", embedding_norm=True, final_norm=False, positions="learned"),
    ),
    GradientCase("LanguageModel", language_model),
    GradientCase("LanguageModel, pre-norm, two tables", partial(language_model, norm="pre", tie="none")),
    GradientCase("LanguageModel, narrow embeddings", partial(language_model, d_word_vec=D_V)),
    GradientCase(
        "LanguageModel, two tables, a bias in the generator, a norm at its foot",
        partial(language_model, tie="none", generator_bias=True, embedding_norm=True),
    ),
    GradientCase("Classifier, mean pooling", classifier),
    GradientCase("Classifier, max pooling, wide embeddings", partial(classifier, pooling="max", d_word_vec=D_FF)),
    GradientCase("Classifier that reads by LSTMs", partial(classifier, encoder="lstm")),
    GradientCase("Classifier that reads by convolutions", partial(classifier, encoder="convolution", norm="pre")),
    GradientCase("Classifier, pre-norm, first-token pooling", partial(classifier, norm="pre", pooling="first")),
)
