"""Cases for the loss, the layers of both columns, and whole models with the loss on top."""

from ...models import DecoderLayer, EncoderLayer, Transformer, causal_mask, padding_mask
from ...tasks import LabelSmoothingLoss, TranslationBatch, TranslationObjective
from .case import GradientCase
from .inputs import BATCH, D_MODEL, PAD_ID, SRC_VOCAB, VOCAB, S, T, config, holey_mask, sentences, values


def loss_case(name: str, eps: float) -> GradientCase:
    """Return the case of a loss: logits (B, T, V) and targets with padding."""

    def make(rng, dtype):
        loss = LabelSmoothingLoss(eps=eps, pad_id=PAD_ID)
        return loss, (values(rng, BATCH, T, VOCAB), sentences(rng, T, VOCAB))

    return GradientCase(name, make)


def encoder_layer(name: str, **settings) -> GradientCase:
    """Return the case of an encoder layer: x (B, S, D) and a mask."""

    def make(rng, dtype):
        layer = EncoderLayer(config(dtype, **settings), rng=rng)
        return layer, (values(rng, BATCH, S, D_MODEL), holey_mask(rng, BATCH, S, S))

    return GradientCase(name, make)


def decoder_layer(name: str, **settings) -> GradientCase:
    """Return the case of a decoder layer: x (B, T, D), memory (B, S, D) and both masks."""

    def make(rng, dtype):
        layer = DecoderLayer(config(dtype, **settings), rng=rng)
        masks = causal_mask(T), padding_mask(sentences(rng, S, VOCAB, shortest=0), PAD_ID)
        return layer, (values(rng, BATCH, T, D_MODEL), values(rng, BATCH, S, D_MODEL), *masks)

    return GradientCase(name, make)


def model(name: str, *, label_smoothing: float = 0.1, shortest: int = 2, **settings) -> GradientCase:
    """Return the case of a model with its loss; `shortest` is the length of the shortest source sentence."""

    def make(rng, dtype):
        transformer = Transformer(config(dtype, **settings), rng=rng)
        src = sentences(rng, S, transformer.config.src_vocab_size, shortest)
        tgt = sentences(rng, T + 1, VOCAB)
        objective = TranslationObjective(transformer, label_smoothing=label_smoothing)
        return objective, (TranslationBatch(src, tgt[:, :-1], tgt[:, 1:]),)

    return GradientCase(name, make)


MODEL_CASES = (
    loss_case("LabelSmoothingLoss", 0.1),
    loss_case("LabelSmoothingLoss without smoothing", 0.0),
    encoder_layer("EncoderLayer, post-norm"),
    encoder_layer("EncoderLayer, pre-norm", norm="pre"),
    decoder_layer("DecoderLayer, post-norm"),
    decoder_layer("DecoderLayer, pre-norm", norm="pre"),
    model("Transformer as in the paper"),
    model("Transformer, pre-norm, a source of padding", norm="pre", shortest=0),
    model("Transformer, pre-norm, learned positions", norm="pre", positions="learned", tie="target"),
    model(
        "Transformer, three tables, no biases, no dropout",
        src_vocab_size=SRC_VOCAB,
        tie="none",
        attention_bias=False,
        dropout=0.0,
        attention_dropout=0.0,
        label_smoothing=0.0,
    ),
)
