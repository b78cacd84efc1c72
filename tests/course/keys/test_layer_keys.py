"""The keys of exercises against npformer's layers, whose gradients are checked elsewhere."""

from unittest.mock import patch

import numpy as np
import pytest

import npformer as npf
from npformer import Parameter, layers
from npformer.decoding import Sampler
from npformer.layers import dropout as dropout_module
from npformer.layers.extra.rotary_positions import RotaryAttention, RotaryPositionalEncoding
from npformer.layers.positional_encoding import sinusoids
from npformer.models.decoder import DecoderLayer
from npformer.models.encoder import EncoderLayer
from npformer.tasks import LabelSmoothingLoss
from npformer.training import WarmupSchedule
from npformer_course import course
from npformer_course.case import Case
from npformer_course.definition import module_of

MATRICES = ("w_query", "w_key", "w_value", "w_output")


def agree(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-11)


def with_matrices(layer, a):
    for name in MATRICES:
        getattr(layer, name).weight.data[...] = a[name]
    return layer


def check_linear(key, a, expected):
    layer = layers.Linear(*a["w"].shape, dtype="float64")
    layer.weight.data[...], layer.bias.data[...] = a["w"], a["b"]
    for x, dy in ((a["x"], a["dy"]), (a["x_axes"], a["dy_axes"]), (a["x"][0], a["dy"][0])):
        layer.zero_grad()
        agree([key.linear(x, a["w"], a["b"])], [layer.forward(x)])
        agree(
            key.linear_backward(dy, x, a["w"]),
            [layer.backward(dy), layer.weight.grad, layer.bias.grad],
        )


def feed_forward_layer(a):
    """Return npformer's layer with these weights, and its parameters in this order."""
    layer = layers.FeedForward(*a["w1"].shape, dtype="float64")
    layer.linear_1.weight.data[...] = a["w1"]
    layer.linear_1.bias.data[...] = a["b1"]
    layer.linear_2.weight.data[...] = a["w2"]
    layer.linear_2.bias.data[...] = a["b2"]
    parameters = []
    for linear in (layer.linear_1, layer.linear_2):
        parameters += [linear.weight, linear.bias]
    return layer, parameters


def check_feed_forward(key, a, expected):
    layer, _ = feed_forward_layer(a)
    y, hidden = key.feed_forward(**a)
    agree([y, hidden @ a["w2"] + a["b2"]], [layer.forward(a["x"])] * 2)
    assert (hidden >= 0).all()


def check_feed_forward_backward(key, a, expected):
    on = a["hidden"] > 0
    # the bias that leads to these hidden numbers; -100 switches off what is off everywhere
    b1 = np.where(on, a["hidden"] - a["x"] @ a["w1"], -100).max((0, 1))
    layer, parameters = feed_forward_layer({**a, "b1": b1, "b2": 0})
    agree([a["hidden"] @ a["w2"]], [layer.forward(a["x"])])
    gradients = [layer.backward(a["dy"])]
    for parameter in parameters:
        gradients.append(parameter.grad)
    agree(key.feed_forward_backward(**a), gradients)


def check_softmax(key, a, expected):
    for x in (*a.values(), a["x"][0, 0]):
        agree([key.softmax(x)], [layers.Softmax().forward(x)])


def check_softmax_backward(key, a, expected):
    for dy, y in (
        (a["dy"], a["y"]),
        (a["dy_heads"], a["y_heads"]),
        (a["dy_masked"], a["y_masked"]),
    ):
        layer = layers.Softmax()
        seen = y > 0
        agree([layer.forward(np.log(np.where(seen, y, 1)), seen)], [y])
        agree([key.softmax_backward(dy, y)], [layer.backward(dy)])
    assert not a["y_masked"].any(-1).all()  # a row that may see nothing


def check_masked_softmax(key, a, expected):
    layer = layers.Softmax()
    y = layer.forward(a["x"], a["mask"])
    agree([key.masked_softmax(a["x"], a["mask"])], [y])
    assert not a["mask"].any(-1).all() and not y[~np.broadcast_to(a["mask"], y.shape)].any()


def check_masks(key, a, expected):
    padding, causal = layers.padding_mask(a["ids"], a["pad_id"]), layers.causal_mask(a["length"])
    found = key.padding_mask(a["ids"], a["pad_id"]), key.causal_mask(a["length"])
    for mask, ours in zip(
        (*found, key.target_mask(a["ids"], a["pad_id"])),
        (padding, causal, padding & causal),
        strict=True,
    ):
        assert mask.dtype == bool
        np.testing.assert_array_equal(mask, ours)


def check_scores(key, a, expected):
    q, k, weights, v = a.values()
    # with softmax and the root of d_k in between they are equation 1, for one query
    ours = key.weighted_mean(layers.Softmax().forward(key.scores(q, k)), v)
    agree([ours], layers.ScaledDotProductAttention().forward(q[None] * np.sqrt(len(q)), k, v))
    agree([key.weighted_mean(weights, v)], [weights @ v])


def check_attention(key, a, expected):
    for end in ("", "_heads", "_sentence"):
        q, k, v = a[f"q{end}"], a[f"k{end}"], a[f"v{end}"]
        y, weights = key.attention(q, k, v)
        agree([y, weights @ v], [layers.ScaledDotProductAttention().forward(q, k, v)] * 2)


def check_masked_attention(key, a, expected):
    q, k, v, mask = a["q"], a["k"], a["v"], a["mask"]
    y, weights = key.masked_attention(q, k, v, mask)
    agree([y, weights @ v], [layers.ScaledDotProductAttention().forward(q, k, v, mask)] * 2)

    sentence_mask = a["sentence_mask"]
    folded = key.mask_of_heads(sentence_mask, a["n_heads"])
    assert folded.dtype == bool
    batch, length, n_keys = sentence_mask.shape
    per_head = folded.reshape(batch, a["n_heads"], length, n_keys)
    np.testing.assert_array_equal(per_head, np.broadcast_to(sentence_mask[:, None], per_head.shape))


def check_attention_backward(key, a, expected):
    layer = layers.ScaledDotProductAttention()
    agree([a["weights"] @ a["v"]], [layer.forward(a["q"], a["k"], a["v"], a["weights"] > 0)])
    agree(
        key.attention_backward(a["dy"], a["q"], a["k"], a["v"], a["weights"]),
        layer.backward(a["dy"]),
    )


def check_heads(key, a, expected):
    heads = a["x"].reshape(*a["x"].shape[:2], a["n_heads"], -1).swapaxes(1, 2)
    np.testing.assert_array_equal(key.split_heads(a["x"], a["n_heads"]), heads)
    np.testing.assert_array_equal(key.merge_heads(heads), a["x"])


def check_multi_head(key, a, expected):
    layer = with_matrices(
        layers.MultiHeadAttention(a["query"].shape[-1], a["n_heads"], bias=False, dtype="float64"),
        a,
    )
    with npf.trace(layer) as trace:
        y = layer.forward(a["query"], a["key"], a["value"])
    agree(key.multi_head_attention(**a), [y, trace["attention.softmax"].output])


def layer_with(make, w, n_heads):
    """Return a layer of a stack with these arrays, by their names."""
    d_ff = w["feed_forward.sublayer.linear_1.bias"].size
    d_model = w["feed_forward.norm.gain"].size
    sizes = {"d_model": d_model, "d_ff": d_ff, "n_heads": n_heads}
    config = npf.TransformerConfig(
        src_vocab_size=5, tgt_vocab_size=5, dropout=0.0, dtype="float64", **sizes
    )
    layer = make(config, rng=np.random.default_rng(0))
    layer.load_state_dict(w)
    return layer


def check_encoder_layer(key, a, expected):
    layer = layer_with(EncoderLayer, a["w_layer"], a["n_heads"])
    agree(expected["layer"], [layer.forward(a["x"], a["layer_mask"])])

    attention = layers.CrossAttention(a["x"].shape[-1], a["n_heads"], dtype="float64")
    attention.load_state_dict(a["w_attention"])
    y = attention.forward(a["x"], a["memory"], a["mask"])
    other = attention.forward(a["x"], a["other_memory"], a["other_mask"])
    agree([*expected["attend"], *expected["attend_to_other_length"]], [y, other])


def check_decoder_layer(key, a, expected):
    layer = layer_with(DecoderLayer, a["w"], a["n_heads"])
    layer.self_attention.sublayer.attention.causal = False  # the drawn mask is any mask
    y = layer.forward(a["x"], a["memory"], a["self_mask"], a["cross_mask"])
    other = layer.forward(a["x"], a["other_memory"], a["self_mask"], a["other_cross_mask"])
    agree([*expected["layer"], *expected["layer_on_other_length"]], [y, other])


def check_multi_head_backward(key, a, expected):
    layer = with_matrices(
        layers.SelfAttention(a["x"].shape[-1], a["q"].shape[1], bias=False, dtype="float64"), a
    )
    layer.forward(a["x"], (a["weights"] > 0)[:, 0])
    gradients = [layer.backward(a["dy"]), *(getattr(layer, name).weight.grad for name in MATRICES)]
    agree(expected["backward"], gradients)


def check_cross_attention_backward(key, a, expected):
    layer = with_matrices(
        layers.CrossAttention(a["dy"].shape[-1], a["q"].shape[1], bias=False, dtype="float64"), a
    )
    layer.forward(a["x"], a["memory"], a["mask"][:, 0])
    agree(expected["layer"], layer.backward(a["dy"]))


def check_one_position(key, a, expected):
    np.testing.assert_array_equal(key.residual(a["x"], a["f"]), a["x"] + a["f"])
    layer = layers.LayerNorm(len(a["gain"]), eps=a["eps"], dtype="float64")
    layer.gain.data[...] = a["gain"]
    layer.bias.data[...] = a["bias"]
    agree([key.normalize(a["z"], a["gain"], a["bias"], a["eps"])], [layer.forward(a["z"])])


def check_layer_norm(key, a, expected):
    x, gain, bias, eps = a.values()
    layer = layers.LayerNorm(len(gain), eps=eps, dtype="float64")
    layer.gain.data[...], layer.bias.data[...] = gain, bias
    y, *kept = key.layer_norm(x, gain, bias, eps)
    agree([y], [layer.forward(x)])
    agree(kept, layer.recall(y))


def check_dropout(key, a, expected):
    x, dy, p, seed = a.values()
    with patch.object(
        dropout_module, "dropout_mask", lambda rng, shape, p: rng.random(shape) >= ours.p
    ):
        layer = layers.Dropout(p, rng=np.random.default_rng(seed))
        ours = key.Dropout(p, np.random.default_rng(seed))
        layer.p = p  # the layer rounds it to a multiple of 1 / 65536
        for _step in range(2):
            agree([ours.forward(x), ours.backward(dy)], [layer.forward(x), layer.backward(dy)])
    ours.training = False
    np.testing.assert_array_equal(ours.forward(x), x)
    np.testing.assert_array_equal(ours.backward(dy), dy)


def check_embedding(key, a, expected):
    layer = layers.Embedding(*a["table"].shape, dtype="float64")
    layer.table.data[...] = a["table"]
    agree([key.embed(**a)], [layer.forward(a["ids"])])


def check_embedding_backward(key, a, expected):
    layer = layers.Embedding(a["vocab_size"], a["dy"].shape[-1], dtype="float64")
    layer.forward(a["ids"])
    layer.backward(a["dy"])
    dtable = key.embed_backward(**a)
    # the layer's padding has a gradient, the exercise's has none
    assert (dtable[0] == 0).all() and (layer.table.grad[0] != 0).any()
    agree([dtable[1:]], [layer.table.grad[1:]])


def check_positions(key, a, expected):
    n_positions, d_model, x, table, start = a.values()
    agree([key.sinusoids(n_positions, d_model)], [sinusoids(n_positions, d_model)])
    layer = layers.LearnedPositionalEncoding(x.shape[-1], max_len=len(table), dtype="float64")
    layer.table.data[...] = table
    agree([key.add_positions(x, table, start)], [layer.forward(x, start)])


def check_tied_generator(key, a, expected):
    x, table, dlogits = a["x"], Parameter(a["table"].copy()), a["dlogits"]
    generator = layers.Generator(*table.data.shape, table=table)
    agree([key.generator(x, table.data)], [generator.forward(x)])
    dx, dtable = key.generator_backward(dlogits, x, table.data)
    agree([dx, dtable], [generator.backward(dlogits), table.grad])
    for ids, dy in ((a["src"], a["dsrc"]), (a["tgt"], a["dtgt"])):
        embedding = layers.Embedding(*table.data.shape, table=table)
        embedding.forward(ids)
        embedding.backward(dy)
    agree([key.tied_gradient(dtable, a["src"], a["dsrc"], a["tgt"], a["dtgt"])], [table.grad])


def check_loss_gradient(key, a, expected):
    eps = 0.1
    loss = LabelSmoothingLoss(eps=eps)
    for z in (a["z"], *a["z_far"]):
        q = np.full(z.size, eps / z.size)
        q[-1] += 1 - eps
        value = loss.forward(z[None, None], np.array([[z.size - 1]]))
        agree([key.cross_entropy(z, q), key.gradient(z, q)], [value, loss.backward()[0, 0]])


def check_label_smoothing(key, a, expected):
    logits, real, eps = a["logits"], a["real"], a["eps"]
    targets, loss = np.where(real, np.maximum(a["targets"], 1), 0), LabelSmoothingLoss(eps=eps)
    q = key.smooth_targets(targets, a["vocab_size"], eps)
    agree([key.cross_entropy(logits, q, real)], [loss.forward(logits, targets)])
    agree([key.cross_entropy_backward(logits, q, real)], [loss.backward()])


def check_surprise(key, a, expected):
    loss = LabelSmoothingLoss(eps=0)
    for logits, ids in ((a["logits"], a["ids"]), (a["far"], a["far_ids"])):
        # the loss leaves out the target 0, which is padding: so a column goes before, of p = 0
        with_padding = np.concatenate([np.full((len(ids), 1), -1e4), logits], -1)
        for row, id, nats in zip(with_padding, ids, key.surprise(logits, ids), strict=True):
            agree([nats], [loss.forward(row[None, None], np.array([[id + 1]]))])


def check_alignment_error_rate(key, a, expected):
    pairs = [set(map(tuple, np.argwhere(table).tolist())) for table in (a["found"], a["gold"])]
    rate = npf.evaluation.alignment_error_rate([pairs[0]], [pairs[1]])
    agree([key.alignment_error_rate(a["found"], a["gold"])], [np.array(rate)])
    assert (key.links(a["weights"]).argmax(-1) == a["weights"].argmax(-1)).all()


def check_cosine_neighbors(key, a, expected):
    table, row, n = a["table"], a["row"], a["n"]
    cosines = np.corrcoef(np.concatenate([table, -table], 1))[row]  # of rows with the mean 0
    agree([key.cosines(table, row)], [cosines])
    assert key.neighbors(table, row, n).tolist() == np.argsort(-cosines)[1 : n + 1].tolist()


def check_warmup(key, a, expected):
    sizes = a["d_model"], a["warmup_steps"]
    steps = np.array([1, a["early"], a["warmup_steps"], a["late"], *a["steps"]])
    agree([key.learning_rate(steps, *sizes)], [WarmupSchedule(*sizes)(steps)])


def check_top_p(key, a, expected):
    draw = Sampler(temperature=a["temperature"], top_p=a["p"], rng=0)
    for logits, probabilities in zip(a["logits"], expected["find_probabilities"][0], strict=True):
        counts = np.bincount(draw(np.tile(logits, (4000, 1))), minlength=logits.size)
        np.testing.assert_array_equal(counts > 0, probabilities > 0)
        np.testing.assert_allclose(counts / 4000, probabilities, atol=0.04)


def check_rotary(key, a, expected):
    x, dy, q, k = a["x"], a["dy"], a["q"], a["k"]
    layer = RotaryPositionalEncoding(x.shape[-1], dtype="float64")
    agree([key.rotate(x, a["start"])], [layer.forward(x, a["start"])])
    agree([key.rotate_backward(dy, a["start"])], [layer.backward(dy)])
    # so that the result of attention is its weights
    values = np.tile(np.eye(k.shape[2]), (*k.shape[:2], 1, 1))
    weights = RotaryAttention(k.shape[-1], dtype="float64").forward(q, k, values)
    agree([layers.Softmax().forward(key.rotary_scores(q, k))], [weights])


def check_encoder_training(key, a, expected):
    D, H, F = a["x"].shape[-1], a["n_heads"], a["d_ff"]
    attention = layers.PostNorm(
        layers.SelfAttention(D, H, bias=False, dtype="float64"), D, dropout=0, dtype="float64"
    )
    feed_forward = layers.PostNorm(
        layers.FeedForward(D, F, dtype="float64"), D, dropout=0, dtype="float64"
    )
    inner, network, start = attention.sublayer, feed_forward.sublayer, 0
    parameters = [getattr(inner, name).weight for name in MATRICES] + [
        attention.norm.gain,
        attention.norm.bias,
    ]
    parameters += [
        one
        for linear in (network.linear_1, network.linear_2)
        for one in (linear.weight, linear.bias)
    ]
    parameters += [feed_forward.norm.gain, feed_forward.norm.bias]
    for parameter in parameters:
        end = start + parameter.data.size
        parameter.data[...] = a["layer_numbers"][start:end].reshape(parameter.data.shape)
        start = end
    agree(expected["forward"], [feed_forward.forward(attention.forward(a["x"], a["mask"][:, 0]))])
    dx = attention.backward(feed_forward.backward(a["dy"]))
    agree(expected["backward"], [dx, np.concatenate([p.grad.ravel() for p in parameters])])
    losses, _ = expected["training"]
    assert losses[0] > 1 and losses[-3:].max() < 0.3  # the task is learned


CHECKS = {
    name.removeprefix("check_"): check
    for name, check in list(globals().items())
    if name.startswith("check_")
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("exercise", CHECKS)
def test_key_equals_layer(exercise, seed):
    case = Case(course.load(exercise), seed)
    key = module_of(case.exercise.key)
    for index, drawn in enumerate(case.draws):
        expected = {part: values[index] for part, values in case.expected.items()}
        CHECKS[exercise](key, drawn.inputs, expected)
