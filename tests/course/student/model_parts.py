"""The solutions of all exercises that are parts of the model, to be put into it."""

from npformer_course import course
from npformer_course.definition import module_of
from npformer_course.student.student_layers import ADAPTERS

LAYER = """
import numpy as np


def norm(x, w, name):
    centered = x - x.mean(-1, keepdims=True)
    scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-6)
    return scaled * w[f"{name}.norm.gain"] + w[f"{name}.norm.bias"]


def linear(x, w, name):
    return x @ w[f"{name}.weight"] + w[f"{name}.bias"]


def attention(x, memory, mask, w, name, n_heads):
    place = f"{name}.sublayer"
    merged = np.zeros(x.shape)
    width = x.shape[-1] // n_heads
    q = linear(x, w, f"{place}.w_query")
    k = linear(memory, w, f"{place}.w_key")
    v = linear(memory, w, f"{place}.w_value")
    for head in range(n_heads):
        own = slice(head * width, (head + 1) * width)
        scores = q[..., own] @ k[..., own].swapaxes(1, 2) / np.sqrt(width)
        e = np.where(mask, np.exp(scores), 0)
        merged[..., own] = e / e.sum(-1, keepdims=True) @ v[..., own]
    return norm(x + linear(merged, w, f"{place}.w_output"), w, name)


def network(x, w):
    hidden = np.maximum(0, linear(x, w, "feed_forward.sublayer.linear_1"))
    return norm(x + linear(hidden, w, "feed_forward.sublayer.linear_2"), w, "feed_forward")
"""

# what is an exercise of its own: the attention of the decoder, whole layers, and backwards
WRITTEN = {
    "encoder_layer": f"""{LAYER}

def encoder_layer(x, mask, w, n_heads):
    z = attention(x, x, mask, w, "self_attention", n_heads)
    return network(z, w)
""",
    "decoder_layer": f"""{LAYER}

def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    u = attention(x, x, self_mask, w, "self_attention", n_heads)
    v = attention(u, memory, cross_mask, w, "cross_attention", n_heads)
    return network(v, w)
""",
    "masked_attention": """
import numpy as np


def masked_softmax(x, mask):
    raise AssertionError("the model's softmax is to replace this one")


def masked_attention(q, k, v, mask):
    weights = masked_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), mask)
    return weights @ v, weights
""",
    "embedding_backward": """
import numpy as np


def embed_backward(dy, ids, vocab_size):
    dtable = np.zeros((vocab_size, dy.shape[-1]))
    np.add.at(dtable, ids, dy * np.sqrt(dy.shape[-1]))
    return dtable
""",
    "feed_forward_backward": """
def feed_forward_backward(dy, x, hidden, w1, w2):
    dhidden = dy @ w2.T * (hidden > 0)
    dw1 = (x[..., :, None] * dhidden[..., None, :]).sum((0, 1))
    dw2 = (hidden[..., :, None] * dy[..., None, :]).sum((0, 1))
    return dhidden @ w1.T, dw1, dhidden.sum((0, 1)), dw2, dy.sum((0, 1))
""",
    "add_norm_backward": """
def layer_norm_backward(dy, xhat, rstd, gain):
    raise AssertionError("the model's LayerNorm is to replace this one")


def post_norm_backward(dy, xhat, rstd, gain, drop, sublayer_backward):
    dtotal, dgain, dbias = layer_norm_backward(dy, xhat, rstd, gain)
    return dtotal + sublayer_backward(dtotal * drop), dgain, dbias
""",
}


def text_of(id: str) -> str:
    """Return the code of a part."""
    return course.load(id).key if id in course.EXERCISES else WRITTEN[id]


def part(id: str, right: str = "", wrong: str = ""):
    """Return a part as a module, with something wrong in place of what is right."""
    text = text_of(id)
    assert right in text
    return module_of(text.replace(right, wrong, 1), f"answer_{id}")


def all_parts() -> dict:
    """Return all parts by their ids."""
    return {id: part(id) for id in ADAPTERS}
