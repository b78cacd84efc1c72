"""Layers, parameters and generators are found wherever an attribute holds them, or refused: none is left out."""

import numpy as np
import pytest

import npformer as npf
from npformer import InputError, Module, Parameter
from npformer.layers import Dropout, Linear, ReLU
from npformer.tasks import Batches
from npformer.training import Adam, FlatParameters, Trainer, load_checkpoint, save_checkpoint


class Holder(Module):
    """A chain of two linear maps with a factor, held as `hold` says, and a generator under a name of its own."""

    def __init__(self, hold, seed=0):
        rng = np.random.default_rng(seed)
        linears = [Linear(3, 3, rng=rng, dtype="float64") for _ in range(2)]
        self.held = hold(linears, Parameter(rng.normal(size=3)))
        self.noise = np.random.default_rng(seed)

    def parts(self):
        [(_, factor)] = self.members(Parameter)
        linears = [module for _, module in self.named_modules() if isinstance(module, Linear)]
        return linears, factor

    def forward(self, x):
        (one, two), factor = self.parts()
        shaken = x + self.noise.normal(size=x.shape)
        y = two.forward(one.forward(shaken))
        return self.remember(y * factor.data, y)

    def backward(self, dy):
        (y,) = self.recall(dy)
        (one, two), factor = self.parts()
        factor.grad += (dy * y).reshape(-1, 3).sum(0)
        return one.backward(two.backward(dy * factor.data))


HOLD = {
    "tuple": (lambda linears, factor: (*linears, factor), ["held.0.weight", "held.1.weight", "held.2"]),
    "list": (lambda linears, factor: [factor, linears], ["held.0", "held.1.0.weight", "held.1.1.weight"]),
    "dict": (
        lambda linears, factor: {"one": linears[0], "two": linears[1], "by": factor},
        ["held.one.weight", "held.two.weight", "held.by"],
    ),
    "nested": (
        lambda linears, factor: {"maps": [(linears[0],), {"b": linears[1]}], "rest": ([], [factor], 3)},
        ["held.maps.0.0.weight", "held.maps.1.b.weight", "held.rest.1.0"],
    ),
}
every_way = pytest.mark.parametrize("way", HOLD)


def build(way, seed=0):
    return Holder(HOLD[way][0], seed)


@every_way
def test_all_are_found_by_name(way):
    layer = build(way)
    names = dict(layer.named_parameters())
    assert set(HOLD[way][1]) <= names.keys() and len(names) == 5
    assert layer.generators() == [layer.noise]
    assert layer.state_dict().keys() == names.keys()


@every_way
def test_their_gradients_are_checked_and_right(way):
    assert npf.gradcheck(build(way), np.random.default_rng(1).normal(size=(4, 3))).require_ok()


@every_way
def test_they_are_switched_saved_and_loaded(way):
    layer, other = build(way), build(way, seed=1)
    layer.eval()
    assert {module.now for _, module in layer.named_modules()} == {(False, False)}
    assert len(list(layer.named_modules())) == 3
    other.load_state_dict(layer.state_dict())
    for p, wanted in zip(other.parameters(), layer.parameters(), strict=True):
        np.testing.assert_array_equal(p.data, wanted.data)
    other.parameters()[0].grad += 1
    other.zero_grad()
    assert not any(p.grad.any() for p in other.parameters())


class Objective(Module):
    """The mean square of what comes out for noise: enough of an objective for a Trainer."""

    def __init__(self, model):
        self.model = model

    def forward(self, batch, n_tokens):
        y = self.model.forward(batch.src[:, :1, None] * np.ones(3))
        return self.remember(float((y * y).sum()) / n_tokens, y, n_tokens)

    def backward(self, dloss=1.0):
        y, n_tokens = self.recall(dloss)
        self.model.backward(2 * y / n_tokens)


def trainer_of(way, seed=0, workers=2):
    objective = Objective(build(way, seed))
    adam = Adam(FlatParameters(objective.parameters()), learning_rate=0.01)
    return Trainer(objective, adam, Batches([([4 + i], [5]) for i in range(6)], batch_tokens=4), workers=workers)


@every_way
def test_they_are_trained_by_several_replicas_and_taken_up_from_a_checkpoint(way, tmp_path):
    unbroken, stopped = trainer_of(way), trainer_of(way)
    before = unbroken.objective.model.state_dict()
    expected = [record.loss for record in unbroken.updates(4)]
    for name, array in unbroken.objective.model.state_dict().items():
        assert (array != before[name]).all(), name
    losses = [record.loss for record in stopped.updates(2)]
    save_checkpoint(tmp_path / "x.safetensors", stopped)
    taken_up = trainer_of(way, seed=9)
    load_checkpoint(tmp_path / "x.safetensors", taken_up)
    assert losses + [record.loss for record in taken_up.updates(4)] == expected


@pytest.mark.parametrize("kind", [set, frozenset])
@pytest.mark.parametrize("thing", [ReLU, lambda: Parameter(np.ones(2))], ids=["layer", "parameter"])
def test_sets_are_refused(kind, thing):
    layer = ReLU()
    layer.parts = [kind([thing()])]
    for look in (layer.parameters, layer.eval, layer.state_dict, layer.generators, lambda: list(layer.named_modules())):
        with pytest.raises(
            InputError, match=r"parts\.0 is a set of layers or parameters, .*: make it a list"
        ) as caught:
            look()
        assert "\n" not in str(caught.value)


def test_other_sets_are_nobodys_business():
    layer = Linear(2, 3)
    layer.notes = {"a", 3}
    assert len(layer.parameters()) == 2


def test_two_parameters_of_one_name_are_refused():
    layer = Holder(lambda linears, factor: linears)
    layer.more = {1: Linear(2, 2), "1": Linear(2, 2)}
    for look in (layer.state_dict, layer.parameters):
        with pytest.raises(InputError, match=r"two parameters are called more.1.weight, by keys such as 1 and '1'"):
            look()


@pytest.mark.parametrize("odd", [np.array(["a"] * 3), np.ones(3, complex), np.array([None] * 3)])
def test_what_are_no_numbers_is_refused_before_anything_is_loaded(odd):
    layer = Linear(2, 3, rng=0)
    before = layer.state_dict()
    with pytest.raises(InputError, match=r"bias came with numbers of type .*: expected floats"):
        layer.load_state_dict({"weight": np.zeros((2, 3)), "bias": odd})
    assert all((layer.state_dict()[name] == array).all() for name, array in before.items())


@pytest.mark.parametrize("depth", [1, 2])
def test_a_module_inside_itself_is_refused(depth):
    outer, inner = Holder(lambda linears, factor: linears), ReLU()
    if depth == 1:
        outer.again = [outer]
    else:
        outer.inner, inner.back = inner, outer
    with pytest.raises(InputError, match=r"holds itself, as .*: a layer cannot be inside itself") as caught:
        outer.parameters()
    assert "\n" not in str(caught.value)


def test_one_layer_under_two_names_is_no_circle():
    layer, part = ReLU(), Linear(2, 3)
    layer.one, layer.other = part, [part]
    assert list(dict(layer.named_parameters())) == ["one.weight", "one.bias"]


def test_a_generator_is_found_once_under_any_name():
    layer, rng = ReLU(), np.random.default_rng(0)
    layer.drops, layer.mine, layer.more = [Dropout(0.1, rng=rng), Dropout(0.1, rng=1)], rng, {"a": (rng,)}
    assert [id(found) for found in layer.generators()] == [id(rng), id(layer.drops[1].rng)]
