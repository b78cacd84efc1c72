"""Bugs of the layers that self-attention replaced."""

from functools import partial

import test_contract as contract
import test_convolution as convolution
import test_lstm as lstm

from npformer.layers import LSTM, BidirectionalLSTM, Convolution

from .plant import bug, gradients

VALUES = partial(lstm.test_values, False, None)
MASKED_VALUES = partial(lstm.test_values, False, lstm.REAL)
NEIGHBOURS = partial(convolution.test_values, 4, 1, None, False)
DILATED = partial(convolution.test_values, 3, 2, None, False)

REPLACED = [
    bug(
        "LSTM.backward: the cell's gradient does not pass through the forget gate",
        gradients("LSTM"),
        (LSTM, "backward", "dc_t * f + dc", "dc"),
    ),
    bug(
        "LSTM.backward: the cell's gradient is overwritten by the output's",
        gradients("LSTM"),
        (LSTM, "backward", "dc_t = dc_t + dh_t", "dc_t = dh_t"),
    ),
    bug(
        "LSTM.backward: nothing goes back through the state",
        gradients("LSTM"),
        (LSTM, "backward", "(dh + dy[t], dc)", "(dy[t], dc)"),
    ),
    bug(
        "LSTM.backward: truncated after one position",
        gradients("LSTM"),
        (LSTM, "backward", "dh + dy[t], dc)", "dy[t], 0 * dc)"),
    ),
    bug(
        "LSTM.backward: the forget gate's gradient sees the new cell, not the one before",
        gradients("LSTM"),
        (LSTM, "backward", "dc_t * c[t]", "dc_t * c[t + 1]"),
    ),
    bug(
        "LSTM.backward: the recurrent weights' gradient from the new states, not from those before",
        gradients("LSTM"),
        (LSTM, "backward", "flatten_positions(h[:-1]).T", "flatten_positions(h[1:]).T"),
    ),
    bug(
        "LSTM.backward: no slope of the cell's tanh",
        gradients("LSTM"),
        (LSTM, "backward", "o * (1 - tanh_c * tanh_c)", "o"),
    ),
    bug(
        "LSTM.backward: from the first position to the last",
        gradients("LSTM"),
        (LSTM, "backward", "reversed(range(len(gates)))", "range(len(gates))"),
    ),
    bug(
        "LSTM.backward: the recurrent weights' gradient overwritten",
        partial(contract.test_gradients_of_parameters_are_added, "LSTM"),
        (
            LSTM,
            "backward",
            "self.w_hidden.grad +=",
            "self.w_hidden.grad =",
        ),
    ),
    bug(
        "LSTM.backward: the state's gradient stops at padding inside a sentence",
        gradients("LSTM, masked"),
        (LSTM, "backward", " + dh * passed, ", ", "),
    ),
    bug(
        "LSTM.backward, from right to left: the gradient is read from left to right",
        gradients("LSTM from right to left, masked"),
        (LSTM, "backward", "dy, dgates = self._time_first(dy)", "dy, dgates = dy.swapaxes(0, 1)"),
    ),
    bug(
        "LSTM: the state is lost at padding",
        MASKED_VALUES,
        (LSTM, "forward", "xp.where(mask[t], h[t + 1], h[t])", "h[t + 1] * mask[t]"),
    ),
    bug(
        "LSTM: the cell is lost at padding",
        MASKED_VALUES,
        (LSTM, "forward", "xp.where(mask[t], c[t + 1], c[t])", "c[t + 1] * mask[t]"),
    ),
    bug(
        "LSTM: padding is read like any token",
        partial(lstm.test_what_stands_at_padding_changes_nothing_and_has_no_gradient, LSTM),
        (LSTM, "forward", "if mask is not None:\n            c[t + 1]", "if False:\n            c[t + 1]"),
    ),
    bug(
        "LSTM: gates i and f exchanged in both directions",
        VALUES,
        (LSTM, "forward", "i, f, g, o = xp.split", "f, i, g, o = xp.split"),
        (LSTM, "forward", "[i, f, g, o]", "[f, i, g, o]"),
        (LSTM, "backward", "i, f, g, o =", "f, i, g, o ="),
        (LSTM, "backward", "[di, df,", "[df, di,"),
    ),
    bug(
        "LSTM: reverse=True is ignored",
        partial(lstm.test_values, True, lstm.REAL),
        (LSTM, "__init__", "self.reverse = reverse", "self.reverse = False"),
    ),
    bug(
        "LSTM: the forget gate starts half closed",
        lstm.test_the_forget_gate_starts_open_and_the_other_biases_at_zero,
        (LSTM, "__init__", "d_hidden : 2 * d_hidden] = 1", "d_hidden : 2 * d_hidden] = 0"),
    ),
    bug(
        "LSTM: all gates' W start as one matrix would",
        lstm.test_each_gate_starts_as_if_it_stood_alone,
        (LSTM, "__init__", "gain=one_gate, ", ""),
    ),
    bug(
        "BidirectionalLSTM: both read from left to right",
        lstm.test_values_of_both_directions_stand_side_by_side,
        (BidirectionalLSTM, "__init__", "reverse=True, ", ""),
    ),
    bug(
        "BidirectionalLSTM: reading leftward begins in the padding",
        partial(lstm.test_a_sentence_alone_gives_what_it_gives_among_longer_ones, BidirectionalLSTM),
        (BidirectionalLSTM, "forward", "self.leftward.forward(x, mask)", "self.leftward.forward(x)"),
    ),
    bug(
        "BidirectionalLSTM: reading rightward goes through the padding",
        partial(lstm.test_what_stands_at_padding_changes_nothing_and_has_no_gradient, BidirectionalLSTM),
        (BidirectionalLSTM, "forward", "self.rightward.forward(x, mask)", "self.rightward.forward(x)"),
    ),
    bug(
        "BidirectionalLSTM.backward: x has the gradient of one direction",
        gradients("BidirectionalLSTM"),
        (BidirectionalLSTM, "backward", " + self.leftward", " + 0 * self.leftward"),
    ),
    bug(
        "BidirectionalLSTM.backward: the halves exchanged",
        gradients("BidirectionalLSTM, masked"),
        (BidirectionalLSTM, "backward", "rightward, leftward =", "leftward, rightward ="),
    ),
    bug(
        "BidirectionalLSTM: the directions added, not side by side, in both directions",
        lstm.test_values_of_both_directions_stand_side_by_side,
        (BidirectionalLSTM, "forward", "xp.concatenate([", "sum(["),
        (BidirectionalLSTM, "forward", "], -1)", "])"),
        (BidirectionalLSTM, "backward", "xp.split(dy, 2, -1)", "dy, dy"),
    ),
    bug(
        "BidirectionalLSTM: one seed for both directions",
        lstm.test_the_two_directions_have_weights_of_their_own,
        (BidirectionalLSTM, "__init__", "rng = random_generator(rng)", "rng = 0"),
    ),
    bug(
        "Convolution.backward: bias without a gradient",
        gradients("Convolution"),
        (Convolution, "backward", "self.bias.grad += column_sum(dy)", "pass"),
    ),
    bug(
        "Convolution.backward: the neighbors' gradients overwritten, not summed",
        gradients("Convolution"),
        (Convolution, "backward", "dpadded[:, j : j + length] +=", "dpadded[:, j : j + length] ="),
    ),
    bug(
        "Convolution.backward: the weights' gradient overwritten",
        partial(contract.test_gradients_of_parameters_are_added, "Convolution"),
        (Convolution, "backward", "self.weight.grad[i] +=", "self.weight.grad[i] ="),
    ),
    bug(
        "Convolution.backward: the window not turned round",
        gradients("Convolution"),
        (Convolution, "backward", "self.weight.data[i].T", "self.weight.data[-1 - i].T"),
    ),
    bug(
        "Convolution.backward: dx shifted to where a causal window begins",
        gradients("Convolution"),
        (
            Convolution,
            "backward",
            "dpadded[:, self.before : self.before + length]",
            "dpadded[:, self.steps[-1] : self.steps[-1] + length]",
        ),
    ),
    bug(
        "Convolution.backward: padding has a gradient",
        gradients("Convolution, masked, dilated"),
        (Convolution, "backward", "dx if mask is None else dx * mask[..., None]", "dx"),
    ),
    bug(
        "Convolution: padding is seen",
        partial(convolution.test_values, 3, 1, convolution.REAL, False),
        (Convolution, "forward", "x = x * mask[..., None]", "pass"),
    ),
    bug(
        "Convolution: as mathematics has it, with the window turned round, in both directions",
        NEIGHBOURS,
        (Convolution, "forward", "zip(self.steps, self.weight.data,", "zip(self.steps, self.weight.data[::-1],"),
        (Convolution, "backward", "self.weight.grad[i]", "self.weight.grad[-1 - i]"),
        (Convolution, "backward", "self.weight.data[i]", "self.weight.data[-1 - i]"),
    ),
    bug(
        "Convolution: the dilation is ignored in both directions",
        DILATED,
        (Convolution, "__init__", "range(0, (width - 1) * dilation + 1, dilation)", "range(width)"),
    ),
    bug(
        "Convolution: causal is ignored",
        partial(convolution.test_what_a_position_sees, True, [3, 1]),
        (Convolution, "__init__", "self.steps[-1] if causal else self.steps[-1] // 2", "self.steps[-1] // 2"),
    ),
    bug(
        "Convolution: weights start as if each saw one position",
        convolution.test_weights_start_as_glorot_has_it_for_as_many_neighbors_as_there_are,
        (Convolution, "__init__", ", gain=width**-0.5", ""),
    ),
]
