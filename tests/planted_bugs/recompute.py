"""Bugs of layers that recompute: what the second forward gets, and how it leaves things."""

from functools import partial

import test_recompute as recompute_
from npformer.models.recompute import Recomputed

from npformer.models import Decoder, Encoder, recompute
from npformer.visualization.tracing.recorder import Recorder

from .plant import bug

SAME = partial(recompute_.test_logits_gradients_and_random_states_are_those_without_it_time_after_time, "Transformer")
SAME = partial(SAME, {}, "post")
OF_INPUTS = partial(recompute_.test_gradients_of_inputs_are_those_without_it, recompute_.EncoderLayer, "pre")
LESS = partial(recompute_.test_a_model_of_six_and_six_layers_remembers_less_than_half_even_while_it_goes_back, "post")
SWITCHES = recompute_.test_the_second_forward_has_the_switches_of_the_first_though_they_are_others_by_then
AGAIN = "super().forward(*inputs, **named)"

RECOMPUTE = [
    bug(
        "recompute: the second forward draws anew",
        SAME,
        (recompute, "drawing_from", "put(states, generators)", "pass"),
    ),
    bug(
        "recompute: the generators stay where the second forward leaves them",
        SAME,
        (recompute, "drawing_from", "put(before, generators)", "pass"),
    ),
    bug(
        "recompute: one generator alone is put back",
        recompute_.test_layers_with_generators_of_their_own_each_get_their_own_back,
        (recompute, "put", "zip(generators, states, strict=True)", "[*zip(generators, states, strict=True)][:1]"),
    ),
    bug(
        "recompute: the states of the generators are those after the first forward",
        SAME,
        (
            Recomputed,
            "forward",
            "return self.remember(",
            "states = [rng.bit_generator.state for rng in self.generators()]\n    return self.remember(",
        ),
    ),
    bug(
        "recompute: the second forward without its last mask",
        SAME,
        (Recomputed, "backward", AGAIN, AGAIN.replace("*inputs", "*inputs[:-1]")),
    ),
    bug(
        "recompute: the second forward without what came by name",
        OF_INPUTS,
        (Recomputed, "backward", AGAIN, AGAIN.replace(", **named", "")),
    ),
    bug(
        "recompute: the second forward drops nothing out",
        SAME,
        (Recomputed, "backward", "(switches)", "(now._replace(drop_out=False) for now in switches)"),
    ),
    bug(
        "recompute: the second forward has the switches of the moment",
        SWITCHES,
        (Recomputed, "backward", "        switched_here(self.by_module(switches)),\n", ""),
    ),
    bug(
        "recompute: the second forward goes by blocks or not as is said at the moment",
        partial(
            recompute_.test_a_trace_of_one_way_alone_changes_no_gradient_where_attention_goes_by_blocks, (True, False)
        ),
        (Recomputed, "backward", "blockwise_in(self), plain_below", "[], []"),
    ),
    bug(
        "recompute: the first forward remembers everything",
        LESS,
        (Recomputed, "forward", "now._replace(remember=False)", "now"),
    ),
    bug(
        "encoder: the setting does not arrive",
        LESS,
        (Encoder, "__init__", "if config.recompute", "if False"),
    ),
    bug(
        "decoder: the setting does not arrive",
        LESS,
        (Decoder, "__init__", "if config.recompute", "if False"),
    ),
    bug(
        "a trace takes the second forward for another",
        recompute_.test_a_trace_shows_every_layer_once_and_what_it_shows_without,
        (Recorder, "note_forward", "if self.open_backwards:", "if False:"),
    ),
]
