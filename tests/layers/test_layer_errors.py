"""Errors of layers: each names the layer, what was given, and what is expected."""

import importlib
import pkgutil
import re

import numpy as np
import pytest

from npformer import InputError, Module, layers, models
from npformer.tasks import LabelSmoothingLoss


def zeros(*shape):
    return np.zeros(shape, "float32")


def attend(query, key, value, mask=None):
    return layers.ScaledDotProductAttention().forward(query, key, value, mask)


def multi_head(query, memory, mask=None):
    return layers.MultiHeadAttention(6, 2).forward(query, memory, memory, mask)


WRONG_SHAPES = {
    "Linear(4, 3) got x of shape (2, 5): expected last axis 4 (d_in)": lambda: layers.Linear(
        4, 3
    ).forward(zeros(2, 5)),
    "Linear(4, 3) got x of shape (): expected last axis 4 (d_in)": lambda: layers.Linear(
        4, 3
    ).forward(np.float32(1)),
    "LayerNorm(4) got x of shape (2, 5): expected last axis 4 (d_model)": lambda: layers.LayerNorm(
        4
    ).forward(zeros(2, 5)),
    "RMSNorm(4) got x of shape (2, 5): expected last axis 4 (d_model)": lambda: layers.RMSNorm(
        4
    ).forward(zeros(2, 5)),
    "RotaryPositionalEncoding(4) got x of shape (2, 5): expected last axis 4 (d_k)": lambda: (
        layers.RotaryPositionalEncoding(4).forward(zeros(2, 5))
    ),
    "RotaryAttention() got query (5, 4), key (6, 3), value (6, 3): expected": lambda: (
        layers.RotaryAttention(4).forward(zeros(5, 4), zeros(6, 3), zeros(6, 3))
    ),
    "RotaryAttention() got query (4,), key (6, 4), value (6, 4): expected": lambda: (
        layers.RotaryAttention(4).forward(zeros(4), zeros(6, 4), zeros(6, 4))
    ),
    "RotaryAttention() got query (5, 4), key (4,), value (4,): expected": lambda: (
        layers.RotaryAttention(4).forward(zeros(5, 4), zeros(4), zeros(4))
    ),
    "GroupedAttention() got query (4, 5, 4), key (4, 6, 4), value (4, 6, 4): expected": lambda: (
        layers.GroupedAttention(2).forward(zeros(4, 5, 4), zeros(4, 6, 4), zeros(4, 6, 4))
    ),
    "GroupedAttention() got query (4, 5, 4), key (2, 6, 4), value (4, 6, 4): expected": lambda: (
        layers.GroupedAttention(2).forward(zeros(4, 5, 4), zeros(2, 6, 4), zeros(4, 6, 4))
    ),
    "GroupedAttention() got query (3, 5, 4), key (2, 6, 4), value (2, 6, 4): expected": lambda: (
        layers.GroupedAttention(2).forward(zeros(3, 5, 4), zeros(2, 6, 4), zeros(2, 6, 4))
    ),
    "Generator(9, 4) got x of shape (2, 5): expected last axis 4 (d_model)": lambda: (
        layers.Generator(9, 4).forward(zeros(2, 5))
    ),
    "FeedForward(4, 8) got x of shape (2, 5): expected last axis 4 (d_model)": lambda: (
        layers.FeedForward(4, 8).forward(zeros(2, 5))
    ),
    "SinusoidalPositionalEncoding(4) got x of shape (2, 5, 6): expected last axis 4 (d_model)": lambda: (
        layers.SinusoidalPositionalEncoding(4).forward(zeros(2, 5, 6))
    ),
    "SinusoidalPositionalEncoding(4) got 5 positions, more than max_len = 3: shorten * or build": lambda: (
        layers.SinusoidalPositionalEncoding(4, max_len=3).forward(zeros(2, 5, 4))
    ),
    "LearnedPositionalEncoding(512, 4) got x of shape (4,), start = 0: expected (..., T, D)": lambda: (
        layers.LearnedPositionalEncoding(4).forward(zeros(4))
    ),
    "LearnedPositionalEncoding(3, 4) got 5 positions, more than max_len = 3: shorten * or build": lambda: (
        layers.LearnedPositionalEncoding(4, max_len=3).forward(zeros(2, 5, 4))
    ),
    "Softmax() got x of shape (): expected (..., S) with S above 0": lambda: (
        layers.Softmax().forward(np.float32(1))
    ),
    "Softmax() got x of shape (3, 0): expected (..., S)": lambda: layers.Softmax().forward(
        zeros(3, 0)
    ),
    "Softmax() got a mask of shape (4,): expected one that broadcasts to (2, 3). A padding mask is": lambda: (
        layers.Softmax().forward(zeros(2, 3), np.ones(4, bool))
    ),
    "Softmax() got a mask of shape (5, 2, 3): *": lambda: layers.Softmax().forward(
        zeros(2, 3), np.ones((5, 2, 3), bool)
    ),
    "Softmax() got a mask of type float64: expected booleans, True = may attend. Turn": lambda: (
        layers.Softmax().forward(zeros(2, 3), np.zeros(3))
    ),
    "ScaledDotProductAttention() got query (2, 5, 4), key (2, 6, 3), value (2, 6, 3): expected": lambda: (
        attend(zeros(2, 5, 4), zeros(2, 6, 3), zeros(2, 6, 3))
    ),
    "ScaledDotProductAttention() got * value (2, 7, 3): expected": lambda: attend(
        zeros(2, 5, 4), zeros(2, 6, 4), zeros(2, 7, 3)
    ),
    "ScaledDotProductAttention() got * S above 0, same leading axes": lambda: attend(
        zeros(2, 5, 4), zeros(3, 6, 4), zeros(3, 6, 4)
    ),
    "ScaledDotProductAttention() got query (2, 5, 4), key (2, 0, 4), value (2, 0, 4): expected": lambda: (
        attend(zeros(2, 5, 4), zeros(2, 0, 4), zeros(2, 0, 4))
    ),
    "FlashAttention(causal) got query (2, 5, 4), key (2, 3, 4), * expected at least as many keys": lambda: (
        layers.FlashAttention(causal=True).forward(zeros(2, 5, 4), zeros(2, 3, 4), zeros(2, 3, 4))
    ),
    "LocalAttention() got query (2, 5, 4), key (2, 6, 4): expected one sequence": lambda: (
        layers.LocalAttention(2).forward(zeros(2, 5, 4), zeros(2, 6, 4), zeros(2, 6, 4))
    ),
    "ScaledDotProductAttention() got query (5, 4), key (4,), *": lambda: attend(
        zeros(5, 4), zeros(4), zeros(4)
    ),
    "ScaledDotProductAttention() got query (4,), *": lambda: attend(zeros(4), zeros(4), zeros(4)),
    "got a mask of shape (2, 6): expected one that broadcasts to (2, 5, 6)": lambda: attend(
        zeros(2, 5, 4), zeros(2, 6, 4), zeros(2, 6, 3), np.ones((2, 6), bool)
    ),
    "MultiHeadAttention(6, 2) got query (2, 5, 6), key (3, 7, 6), * expected (B, T, D)": lambda: (
        multi_head(zeros(2, 5, 6), zeros(3, 7, 6))
    ),
    "MultiHeadAttention(6, 2) got query (2, 5, 6), key (2, 7, 4), * expected (B, T, D)": lambda: (
        multi_head(zeros(2, 5, 6), zeros(2, 7, 4))
    ),
    "MultiHeadAttention(6, 2) got * key (2, 7, 6), value (2, 4, 6): expected (B, T, D)": lambda: (
        layers.MultiHeadAttention(6, 2).forward(zeros(2, 5, 6), zeros(2, 7, 6), zeros(2, 4, 6))
    ),
    "MultiHeadAttention(6, 2) got query (5, 6), *": lambda: multi_head(zeros(5, 6), zeros(7, 6)),
    "MultiHeadAttention(6, 2) got a mask of shape (2, 7): * (2, 5, 7). A padding mask is (B, 1, S)": lambda: (
        multi_head(zeros(2, 5, 6), zeros(2, 7, 6), np.ones((2, 7), bool))
    ),
    "MultiHeadAttention(6, 2) got a mask of shape (2, 2, 5, 7): *": lambda: multi_head(
        zeros(2, 5, 6), zeros(2, 7, 6), np.ones((2, 2, 5, 7), bool)
    ),
    "SelfAttention(6, 2) got query (5, 6), *": lambda: layers.SelfAttention(6, 2).forward(
        zeros(5, 6)
    ),
    "CrossAttention(6, 2) got query (2, 5, 6), key (3, 5, 6)": lambda: layers.CrossAttention(
        6, 2
    ).forward(zeros(2, 5, 6), zeros(3, 5, 6)),
    "LSTM(3, 12) got x of shape (2, 5, 6): expected last axis 4 (d_in)": lambda: layers.LSTM(
        4, 3
    ).forward(zeros(2, 5, 6)),
    "LSTM(3, 12) got x of shape (5, 4): expected (B, T, D), for one sentence (1, T, D)": lambda: (
        layers.BidirectionalLSTM(4, 3).forward(zeros(5, 4))
    ),
    "LSTM(3, 12) got a mask of shape (2, 4) and type bool: expected booleans (2, 5), True = a real token": lambda: (
        layers.LSTM(4, 3).forward(zeros(2, 5, 4), np.ones((2, 4), bool))
    ),
    "LSTM(3, 12) got a mask of shape (2, 1, 5) and type bool: expected booleans (2, 5)": lambda: (
        layers.LSTM(4, 3).forward(zeros(2, 5, 4), np.ones((2, 1, 5), bool))
    ),
    "LSTM(3, 12) got a mask of type list: expected booleans (1, 2)": lambda: layers.LSTM(
        4, 3
    ).forward(zeros(1, 2, 4), [[True, False]]),
    "Convolution(5, 4, 3) got a mask of shape (2, 5) and type float64: expected booleans (2, 5)": lambda: (
        layers.Convolution(4, 3, width=5).forward(zeros(2, 5, 4), np.ones((2, 5)))
    ),
    "Convolution(3, 4, 3) got x of shape (2, 5, 6): expected last axis 4 (d_in)": lambda: (
        layers.Convolution(4, 3).forward(zeros(2, 5, 6))
    ),
    "Convolution(3, 4, 3) got x of shape (5, 4): expected (B, T, D)": lambda: layers.Convolution(
        4, 3
    ).forward(zeros(5, 4)),
    "MeanPooling() got x of shape (2, 5): expected (B, T, D)": lambda: layers.MeanPooling().forward(
        zeros(2, 5), np.ones(2, bool)
    ),
    "MaxPooling() got a mask of shape (2, 4) and type bool: expected booleans (2, 5)": lambda: (
        layers.MaxPooling().forward(zeros(2, 5, 4), np.ones((2, 4), bool))
    ),
    "FirstTokenPooling() got a mask of type NoneType: expected booleans": lambda: (
        layers.FirstTokenPooling().forward(zeros(2, 5, 4), None)
    ),
    "FeedForward(4, 8) got x of shape (2, 5)": lambda: layers.PostNorm(
        layers.FeedForward(4, 8), 4
    ).forward(zeros(2, 5)),
    "targets have shape (2, 4): expected (2, 3), one for each position": lambda: (
        LabelSmoothingLoss().forward(zeros(2, 3, 9), np.ones((2, 4), int))
    ),
}

WRONG_VALUES = {
    "Embedding(9, 4) got the id 9: expected ids in 0 .. 8. Was": lambda: layers.Embedding(
        9, 4
    ).forward(np.array([9])),
    "Embedding(9, 4) got the id -1: expected ids in 0 .. 8": lambda: layers.Embedding(9, 4).forward(
        np.array([-1, 3])
    ),
    "Embedding(9, 4) got ids of type float64: * must be integers": lambda: layers.Embedding(
        9, 4
    ).forward(np.ones(2)),
    "LabelSmoothingLoss(0.1) got the id 9": lambda: LabelSmoothingLoss().forward(
        zeros(2, 9), np.array([1, 9])
    ),
    "label smoothing eps = 1: expected a number of 0 or more": lambda: LabelSmoothingLoss(eps=1),
    "dropout = 1: expected a number of 0 or more, and below 1": lambda: layers.Dropout(1),
    "dropout = -0.1: expected": lambda: layers.Dropout(-0.1),
    "eps = 0: expected a number above 0": lambda: layers.LayerNorm(4, eps=0),
    "eps = 'a': expected a number above 0": lambda: layers.LayerNorm(4, eps="a"),
    "got rows of different lengths: expected equal ones": lambda: layers.Embedding(9, 4).forward(
        [[4], [4, 5]]
    ),
    "dropout = None: expected": lambda: layers.Dropout(None),
    "SinusoidalPositionalEncoding(4) got x of shape (2, 5, 4), start = -2: expected": lambda: (
        layers.SinusoidalPositionalEncoding(4).forward(zeros(2, 5, 4), -2)
    ),
    "LearnedPositionalEncoding(512, 4) got x of shape (2, 5, 4), start = -1: expected": lambda: (
        layers.LearnedPositionalEncoding(4).forward(zeros(2, 5, 4), -1)
    ),
    "d_model = 5 is odd: * or learned positions": lambda: layers.SinusoidalPositionalEncoding(5),
    "d_model = 6 is not divisible by n_heads = 4: choose others, or d_k": lambda: (
        layers.SelfAttention(6, 4)
    ),
    "d_model = 7 is not divisible by n_heads = 4: choose others, or d_k": lambda: (
        layers.SelfAttention(7, 4, d_k=3)
    ),
    "d_model = 9 is not divisible by n_heads = 4: choose others, or d_k": lambda: (
        layers.SelfAttention(9, 4, d_v=3)
    ),
    "init = 'zeros': expected one of glorot, glorot_normal, per_head": lambda: layers.Linear(
        4, 3, init="zeros"
    ),
    "activation = 'swish': expected one of relu, gelu": lambda: layers.FeedForward(
        4, 8, activation="swish"
    ),
    "GELUTanh() got numbers of type int64": lambda: layers.GELUTanh().forward(np.ones(2, int)),
    "SiLU() got numbers of type int64": lambda: layers.SiLU().forward(np.ones(2, int)),
}


@pytest.mark.parametrize("message", [*WRONG_SHAPES, *WRONG_VALUES])
def test_error_message(message):
    with pytest.raises(InputError, match=re.escape(message).replace(r"\*", ".*")):
        (WRONG_SHAPES | WRONG_VALUES)[message]()


def test_every_layer_with_a_fixed_shape_is_tested():
    any_shape = {"ReLU", "GELU", "GELUTanh", "SiLU", "Dropout", "Embedding"}
    tried = (
        " ".join(message for message in WRONG_SHAPES)
        + "FeedForward PostNorm PreNorm BidirectionalLSTM"
    )
    tried += "SwiGLU GroupedQueryAttention"
    any_shape |= {"LabelSmoothingLoss", "causal_mask", "padding_mask", "target_padding_mask"}
    assert {name for name in layers.__all__ if name not in tried} == any_shape


def test_mask_for_all_queries_may_have_one_axis():
    query, memory = np.random.default_rng(0).normal(size=(2, 2, 5, 6)).astype("float32")
    attention = layers.MultiHeadAttention(6, 2)
    mask = np.array([True, True, False, True, False])
    y = attention.forward(query, memory, memory, mask)
    np.testing.assert_array_equal(
        y, attention.forward(query, memory, memory, np.broadcast_to(mask, (2, 5, 5)))
    )


def test_dropout_rate_just_below_one_is_finite():
    dropout = layers.Dropout(0.9999999, rng=np.random.default_rng(0))
    assert np.isfinite(dropout.forward(zeros(5))).all()


def layer_and_model_classes():
    """Return every class of a layer or a model, by name; helpers that start with _ are left out."""
    classes = {}
    for package in (layers, models):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            for name, value in vars(importlib.import_module(found.name)).items():
                if isinstance(value, type) and issubclass(value, Module) and name[0] != "_":
                    classes[name] = value
    del classes["Module"]
    return classes


@pytest.mark.parametrize("name", sorted(layer_and_model_classes()))
def test_an_unknown_keyword_names_the_class_whose_arguments_they_are(name):
    # these have the constructor of their base class, and their docstrings say so
    bases = dict.fromkeys(["SelfAttention", "CrossAttention"], "MultiHeadAttention")
    bases |= dict.fromkeys(["PostNorm", "PreNorm"], "AddNorm")
    named = bases.get(name, name)
    with pytest.raises(TypeError, match=rf"^{named}(\.__init__)?\(\) (got an unexpected|takes no)"):
        layer_and_model_classes()[name](cuasal=True)
