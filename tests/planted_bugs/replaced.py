"""Bugs of the layers that self-attention replaced."""

from functools import partial

import test_contract as contract
import test_convolution as convolution
import test_lstm as lstm

from npformer.layers import LSTM, BidirectionalLSTM, Convolution
from npformer.layers.extra import lstm as recurrent

from .plant import bug, gradients

VALUES = partial(lstm.test_values_equal_formula, None)
MASKED_VALUES = partial(lstm.test_values_equal_formula, lstm.REAL)
NEIGHBOURS = partial(convolution.test_values_equal_formula, 4, 1, None, False)
DILATED = partial(convolution.test_values_equal_formula, 3, 2, None, False)

REPLACED = [
    bug(
        "LSTM.backward: the cell's gradient does not pass through the forget gate",
        gradients("LSTM"),
        (LSTM, "backward", "dc_t * f + dc", "dc_t + dc"),
    ),
    bug(
        "LSTM.backward: the cell's gradient is overwritten by the output's",
        gradients("LSTM"),
        (LSTM, "backward", "dc_t = dc * mask[t] + dh_t", "dc_t = dh_t"),
    ),
    bug(
        "LSTM.backward: nothing goes back through the state",
        gradients("LSTM"),
        (LSTM, "backward", "dy[t] + dh * mask[t]", "dy[t]"),
    ),
    bug(
        "LSTM.backward: truncated after one position",
        gradients("LSTM"),
        (LSTM, "backward", "dh_t = dy[t] + dh * mask[t]", "dh_t, dc = dy[t], 0 * dc"),
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
        partial(contract.test_parameter_gradients_accumulate, "LSTM"),
        (LSTM, "backward", "self.w_hidden.grad +=", "self.w_hidden.grad ="),
    ),
    bug(
        "LSTM.backward: the state's gradient stops at padding inside a sentence",
        gradients("LSTM, masked"),
        (LSTM, "backward", " + dh * ~mask[t], ", ", "),
    ),
    bug(
        "BidirectionalLSTM.backward: the leftward gradient is read from left to right",
        gradients("BidirectionalLSTM, masked"),
        (BidirectionalLSTM, "backward", "leftward[:, ::-1])[:, ::-1]", "leftward)"),
    ),
    bug(
        "LSTM: the state is lost at padding",
        MASKED_VALUES,
        (
            LSTM,
            "forward",
            "xp.where(mask[t], o * xp.tanh(new_c), h[t])",
            "o * xp.tanh(new_c) * mask[t]",
        ),
    ),
    bug(
        "LSTM: the cell is lost at padding",
        MASKED_VALUES,
        (LSTM, "forward", "xp.where(mask[t], new_c, c[t])", "new_c * mask[t]"),
    ),
    bug(
        "LSTM: padding is read like any token",
        partial(lstm.test_padding_changes_no_output_and_has_no_gradient, LSTM),
        (LSTM, "forward", "mask = mask.T[..., None]", "mask = 0 * mask.T[..., None] == 0"),
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
        "LSTM: recurrent weights straight from QR, whose first entries are negative",
        lstm.test_initial_recurrent_weights_are_random_orthogonal,
        (recurrent, "_orthogonal", "(q * np.sign(np.diag(r)))", "q"),
    ),
    bug(
        "LSTM: the forget gate starts half closed",
        lstm.test_initial_forget_bias_is_one_and_others_zero,
        (LSTM, "__init__", "d_hidden : 2 * d_hidden] = 1", "d_hidden : 2 * d_hidden] = 0"),
    ),
    bug(
        "LSTM: all gates' W start as one matrix would",
        lstm.test_each_gate_is_initialized_independently,
        (LSTM, "__init__", "gain=one_gate, ", ""),
    ),
    bug(
        "BidirectionalLSTM: both read from left to right",
        lstm.test_both_directions_are_concatenated,
        (BidirectionalLSTM, "forward", "x[:, ::-1]", "x"),
        (BidirectionalLSTM, "forward", ")[:, ::-1]\n", ")\n"),
    ),
    bug(
        "BidirectionalLSTM: reading leftward begins in the padding",
        partial(lstm.test_sentence_alone_equals_sentence_in_batch, BidirectionalLSTM),
        (BidirectionalLSTM, "forward", "None if mask is None else mask[:, ::-1]", "None"),
    ),
    bug(
        "BidirectionalLSTM: reading rightward goes through the padding",
        partial(lstm.test_padding_changes_no_output_and_has_no_gradient, BidirectionalLSTM),
        (
            BidirectionalLSTM,
            "forward",
            "self.rightward.forward(x, mask)",
            "self.rightward.forward(x)",
        ),
    ),
    bug(
        "BidirectionalLSTM.backward: x has the gradient of one direction",
        gradients("BidirectionalLSTM"),
        (BidirectionalLSTM, "backward", "dx + self.leftward", "dx + 0 * self.leftward"),
    ),
    bug(
        "BidirectionalLSTM.backward: the halves exchanged",
        gradients("BidirectionalLSTM, masked"),
        (BidirectionalLSTM, "backward", "rightward, leftward = xp", "leftward, rightward = xp"),
    ),
    bug(
        "BidirectionalLSTM: the directions added, not side by side, in both directions",
        lstm.test_both_directions_are_concatenated,
        (
            BidirectionalLSTM,
            "forward",
            "xp.concatenate([rightward, leftward], -1)",
            "rightward + leftward",
        ),
        (BidirectionalLSTM, "backward", "xp.split(dy, 2, -1)", "dy, dy"),
    ),
    bug(
        "BidirectionalLSTM: one seed for both directions",
        lstm.test_two_directions_have_separate_weights,
        (BidirectionalLSTM, "__init__", "rng = np.random.default_rng(rng)", "rng = 0"),
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
        partial(contract.test_parameter_gradients_accumulate, "Convolution"),
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
        (Convolution, "backward", " * mask[..., None]", ""),
    ),
    bug(
        "Convolution: padding is seen",
        partial(convolution.test_values_equal_formula, 3, 1, convolution.REAL, False),
        (Convolution, "forward", "x * mask[..., None]", "x"),
    ),
    bug(
        "Convolution: as mathematics has it, with the window turned round, in both directions",
        NEIGHBOURS,
        (
            Convolution,
            "forward",
            "zip(self.steps, self.weight.data,",
            "zip(self.steps, self.weight.data[::-1],",
        ),
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
        partial(convolution.test_receptive_field, True, [3, 1]),
        (
            Convolution,
            "__init__",
            "self.steps[-1] if causal else self.steps[-1] // 2",
            "self.steps[-1] // 2",
        ),
    ),
    bug(
        "Convolution: weights start as if each saw one position",
        convolution.test_initial_weights_have_glorot_variance,
        (Convolution, "__init__", ", gain=width**-0.5", ""),
    ),
]
