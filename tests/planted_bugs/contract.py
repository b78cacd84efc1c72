"""Bugs against the contract of a layer: what is added, kept, changed in place, or made float64."""

from functools import partial

import test_contract as contract
import test_whole_model as whole

from npformer.layers import Dropout, Generator, LayerNorm, Linear, ReLU, ScaledDotProductAttention
from npformer.module import Module
from npformer.tasks import LabelSmoothingLoss, Objective

from .plant import bug


def rule(test, case):
    """Return one rule of the contract for one case."""
    return partial(test, case)


ADDED, UNCHANGED = (
    contract.test_parameter_gradients_accumulate,
    contract.test_inputs_and_parameters_are_not_modified,
)
FLOAT32, ONCE = contract.test_float32_stays_float32, contract.test_backward_works_once_per_forward
SHAPE = contract.test_backward_rejects_gradient_of_wrong_shape

CONTRACT = [
    bug(
        "Linear.backward: the weight's gradient overwritten",
        rule(ADDED, "Linear"),
        (Linear, "backward", "self.weight.grad +=", "self.weight.grad ="),
    ),
    bug(
        "Generator.backward: the table's gradient overwritten, the embedding's still added",
        rule(ADDED, "Transformer as in the paper"),
        (Generator, "backward", "self.table.grad +=", "self.table.grad ="),
    ),
    bug(
        "ReLU.backward: dy changed in place",
        rule(UNCHANGED, "ReLU"),
        (ReLU, "backward", "return dy * (y > 0)", "dy *= y > 0\n    return dy"),
    ),
    bug(
        "ReLU.forward: x changed in place",
        rule(UNCHANGED, "ReLU"),
        (ReLU, "forward", "xp.maximum(x, 0)", "xp.maximum(x, 0, out=x)"),
    ),
    bug(
        "LayerNorm.backward: the cached xhat changed in place",
        rule(UNCHANGED, "LayerNorm"),
        (
            LayerNorm,
            "backward",
            "column_sum(dy * xhat)",
            "column_sum(xp.multiply(xhat, dy, out=xhat))",
        ),
    ),
    bug(
        "Module.recall: what was remembered stays, and backward works twice",
        rule(ONCE, "Linear"),
        (Module, "recall", "self._cache = None", "pass"),
    ),
    bug(
        "Module.remember: eval mode keeps everything",
        rule(contract.test_eval_mode_caches_nothing, "FeedForward"),
        (Module, "remember", "if self.training:", "if True:"),
    ),
    bug(
        "Module.recall: any dy will do",
        rule(SHAPE, "ReLU"),
        (Module, "recall", "got != shape", "False"),
    ),
    bug(
        "Module.recall: what was remembered is lost when dy has another shape",
        rule(SHAPE, "Linear"),
        (
            Module,
            "recall",
            "shape, values = self._cache",
            "(shape, values), self._cache = self._cache, None",
        ),
    ),
    bug(
        "Objective: the batch's padding is overwritten",
        rule(UNCHANGED, "Transformer as in the paper"),
        (Objective, "forward", "return ", "batch.tgt_in[batch.tgt_in == 0] = 1\n    return "),
    ),
    bug(
        "Module.train: children stay in training mode",
        partial(whole.test_eval_mode_equals_model_without_dropout, whole.SETTINGS[0]),
        (Module, "train", "for module in self.modules():", "for module in [self]:"),
    ),
    bug(
        "Dropout: drops in eval mode",
        partial(whole.test_eval_mode_equals_model_without_dropout, whole.SETTINGS[0]),
        (Dropout, "forward", "not self.training or self.p == 0", "self.p == 0"),
    ),
    bug(
        "Module.parameters: a shared table comes up once a user",
        rule(contract.test_every_parameter_is_found_once, "Transformer as in the paper"),
        (Module, "named_parameters", "id(parameter)", "(prefix, name)"),
    ),
    bug(
        "attention: np.sqrt makes float32 float64",
        rule(FLOAT32, "ScaledDotProductAttention"),
        (
            ScaledDotProductAttention,
            "forward",
            "scores *= 1 / math.sqrt(d_k)",
            "scores = scores / __import__('numpy').sqrt(d_k)",
        ),
    ),
    bug(
        "loss: the gradient is float64 whatever the logits are",
        rule(FLOAT32, "LabelSmoothingLoss"),
        (LabelSmoothingLoss, "backward", "(weights / total)", "(weights / total).astype(float)"),
    ),
]
