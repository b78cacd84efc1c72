"""Shared by many rooms: the sizes of a small model, options that train it in a blink, and weights
that are not the ones it starts with.
"""

# of a Transformer that trains in a blink
SIZES = {"d_model": 16, "d_ff": 24, "n_heads": 2, "n_encoder_layers": 1, "n_decoder_layers": 1}

# of `npformer train`, on a few dozen short lines
QUICK_TRAINING = "--batch-tokens 64 --warmup-steps 5 --learning-rate 0.01 --min-count 1".split()


def disturb(module, rng, scale=0.3):
    """Add random numbers to every parameter, so that no gain is 1 and no bias 0."""
    for parameter in module.parameters():
        data = parameter.data
        data += rng.normal(0, scale, data.shape).astype(data.dtype)
