"""The key of the exercise against npformer's layers, loss, clipping and Adam."""

import numpy as np
import pytest

from npformer import Parameter
from npformer.layers import Embedding, Generator, Linear
from npformer.tasks import LabelSmoothingLoss
from npformer.training import Adam
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of

EXERCISE = course.load("training_step")
KEY = module_of(EXERCISE.key)
CASES = [Case(EXERCISE, seed) for seed in range(3)]


def npformer_updates(inputs, max_norm):
    table = Parameter(inputs["table"].copy())
    V, D = table.data.shape
    embedding, generator = Embedding(V, D, table=table), Generator(V, D, table=table)
    linear = Linear(D, D, rng=np.random.default_rng(0), dtype="float64")
    linear.weight.data[...], linear.bias.data[...] = inputs["weight"], inputs["bias"]
    loss = LabelSmoothingLoss(eps=0.0)
    parameters = [table, linear.weight, linear.bias]
    rates = [0, *inputs["rates"]]
    adam = Adam(parameters, learning_rate=lambda step: rates[step], eps=inputs["eps"])
    losses, norms = [], []
    for ids in inputs["batches"]:
        adam.zero_grad()
        hidden = np.tanh(linear.forward(embedding.forward(ids[:, :-1])))
        losses.append(loss.forward(generator.forward(hidden), ids[:, 1:]))
        dhidden = generator.backward(loss.backward())
        embedding.backward(linear.backward(dhidden * (1 - hidden**2)))
        norms.append(adam.clip_gradient(max_norm))
        adam.step()
    return losses, adam.data, norms


@pytest.mark.parametrize("case", CASES)
def test_key_equals_three_npformer_updates(case):
    for drawn, (losses, parameters) in zip(case.draws, case.expected["clipped"], strict=True):
        their_losses, theirs, norms = npformer_updates(drawn.inputs, drawn.inputs["small"])
        np.testing.assert_allclose(losses, their_losses, rtol=1e-10)
        np.testing.assert_allclose(parameters, theirs, rtol=0, atol=1e-10)
        assert norms[0] > drawn.inputs["small"]
    for drawn, (parameters,) in zip(case.draws, case.expected["unclipped"], strict=True):
        _, theirs, norms = npformer_updates(drawn.inputs, drawn.inputs["large"])
        np.testing.assert_allclose(parameters, theirs, rtol=0, atol=1e-10)
        assert max(norms) < drawn.inputs["large"]


def test_draws_have_padding_and_repeated_ids():
    for drawn in (drawn for case in CASES for drawn in case.draws):
        batches = drawn.inputs["batches"]
        assert (batches == 0).any() and all(len({*row}) < len(row) for row in batches[:, 0])
