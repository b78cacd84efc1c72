# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 08 Build it
#
# *Part I, See it. Before: [07](07_encoder_and_decoder.ipynb). Next: [08b](08b_checkpoint_1.ipynb), then
# [09](09_backpropagation_from_zero.ipynb). [Notation](../docs/reference/notation.md).*
#
# You have written the parts of figure 1, each by itself, on small arrays. Do they add up to a translator? Here you put
# them together and give them the parameters of the one that ships. Where you have written the parts, nothing of
# npformer's model will run inside yours, and the sentence has to come out in German.
#
# **After this you can** build a Transformer from its parts, run any whose parameters you have by name, and say whether
# two programs compute the same.
#
# Paper: figure 1 and section 3.1. About 45 minutes with its writing.

# %% tags=["hide-input"]
# %matplotlib inline
from unittest.mock import patch

import numpy as np

from helpers.course_sentence import CourseSentence, tally
from helpers.library_model import LibraryModel, by_name, first_and_last_box, own_functions, part_of
from helpers.pictures import show_arrays
from helpers.schematics import build_it
from npformer_course import Bet, bets_so_far, exercise, yours

# %%
softmax = yours("softmax")
split_heads, merge_heads = yours("heads")
embed = yours("embedding")
sinusoids, add_positions = yours("positions")
feed_forward = yours("feed_forward")
padding_mask, causal_mask, target_mask = yours("masks")
masked_attention, _ = yours("masked_attention")  # the other one is for programs without an axis of heads

# %%
build_it(yours=own_functions(globals()))

# %% [markdown]
# Yellow is yours. What is npformer's you can still write, in its notebook. Six functions of the picture you write here:
# `layer_norm`, `multi_head`, `encoder_layer`, `decoder_layer`, `encode` and `logits`.
#
# ## A layer of each kind
#
# A trained model is a file of arrays with names, and any program that computes the same formulas can use them. Here are
# those of the translator, in float64:

# %%
library = LibraryModel()
W = library.weights  # 85 arrays by name
{name: array.shape for name, array in part_of(W, "encoder.layers.0.self_attention").items()}

# %% [markdown]
# These ten belong to the first attention of the encoder and to the Add & Norm after it. `part_of` takes those whose names
# have a beginning, and takes the beginning off.
#
# **LayerNorm.** Your `normalize` of notebook 06 took one position. **Write it** for all of them: the mean is over the
# last axis, kept as an axis of length 1. Part II will use two results on the way, so return them, too: $\hat x$ (`xhat`)
# and $r$ (`rstd`):
#
# $$r = \frac{1}{\sqrt{\sigma^2 + \varepsilon}}, \qquad \hat x_i = (x_i - \mu)\, r, \qquad y_i = g_i\, \hat x_i + b_i$$


# %%
def layer_norm(x, gain, bias, eps):
    """Normalize each position over its features, then scale and shift.

    x (B, T, D), gain (D,), bias (D,), eps a number above 0; D is at least 1. Returns y (B, T, D),
    xhat (B, T, D), rstd (B, T, 1), in this order. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
layer_norm = exercise("layer_norm").check(layer_norm)

# %% [markdown]
# **Attention.** In notebook 04 it had four matrices. The translator also adds a bias after each of the four products, as
# most programs do; the paper has none. And keys and values may come from another array than the queries, the memory $m$.
# In self-attention $m$ is $x$.
#
# $$Q = x\,W^Q + b^Q, \qquad K = m\,W^K + b^K, \qquad V = m\,W^V + b^V, \qquad
#   y = \mathrm{Concat}(\mathrm{head}_0, \dots, \mathrm{head}_{H-1})\,W^O + b^O$$
#
# **Write it** with `split_heads(x, n_heads)`, `masked_attention(q, k, v, mask)`, which returns the result and the weights,
# and `merge_heads(heads)`. `masked_attention` expects a mask with an axis for the heads, the second of four. The one that
# you get has none.


# %%
def multi_head(x, memory, mask, w, n_heads):
    """Return y (B, T, D): multi-head attention from x (B, T, D) to memory (B, S, D), with biases.

    mask: booleans (B, T, S) or (B, 1, S), True = may attend. w: a dict of arrays with the names
    "w_query.weight" (D, D) and "w_query.bias" (D,), and the same with w_key, w_value and w_output.
    n_heads: H, a divisor of D. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
multi_head = exercise("encoder_layer").check(multi_head)

# %% [markdown]
# **The encoder layer** is self-attention, Add & Norm, network, Add & Norm. In the picture two arrows enter each Add &
# Norm. It adds what they bring.
#
# $$u = \mathrm{LayerNorm}\big(x + \mathrm{Attention}(x, x)\big), \qquad
#   y = \mathrm{LayerNorm}\big(u + \mathrm{FFN}(u)\big)$$
#
# **Write it** with `multi_head`, and with `norm(x, w)` and `network(x, w)`: LayerNorm and the network with their arrays
# by name. `w` has four parts: `self_attention.sublayer`, `self_attention.norm`, `feed_forward.sublayer` and
# `feed_forward.norm`. `part_of(w, ...)` returns each of them.

# %%
norm, network = by_name(layer_norm, feed_forward)


# %%
def encoder_layer(x, mask, w, n_heads):
    """Return y (B, T, D): x (B, T, D) after self-attention and the feed-forward network.

    mask: booleans (B, 1, T) or (B, T, T), True = may attend. w: a dict of the layer's arrays, with
    the names that the text lists. n_heads: H. None of the inputs is changed.
    """
    raise NotImplementedError


# %%
multi_head, encoder_layer = exercise("encoder_layer").check(multi_head, encoder_layer)

# %% [markdown]
# **The decoder layer** has a third box between these two: cross-attention, in which the target looks at the memory.
#
# $$u = \mathrm{LayerNorm}\big(x + \mathrm{Attention}(x, x)\big), \qquad
#   v = \mathrm{LayerNorm}\big(u + \mathrm{Attention}(u, m)\big), \qquad
#   y = \mathrm{LayerNorm}\big(v + \mathrm{FFN}(v)\big)$$
#
# The first formula and the last you have just written; they are given. **Write what is new.** The names of its parts
# begin with `cross_attention`.

# %%
first_box, last_box = first_and_last_box(multi_head, norm, network)


# %%
def decoder_layer(x, memory, self_mask, cross_mask, w, n_heads):
    """Return y (B, T, D) of x (B, T, D) and the memory (B, S, D).

    self_mask: booleans (B, T, T). cross_mask: booleans (B, 1, S).
    """
    u = first_box(x, self_mask, w, n_heads)  # noqa: F841, for what you write
    v = ...  # one or two lines
    return last_box(v, w)


# %%
decoder_layer = library.check(decoder_layer)

# %% [markdown]
# ## Encoder and decoder
#
# What is left is what goes around the layers. One table is used three times: for what the encoder reads, for what the
# decoder reads, and at the end (section 3.4).

# %%
H = 4  # heads
N = 2  # layers of the encoder, and of the decoder
PAD = 0  # the id of padding
BOS = 2  # what the decoder reads first
EOS = 3  # what it writes last
table = W["encoder.input_embedding.embedding.table"]  # (V, D) = (825, 64)
positions = sinusoids(64, 64)  # for sentences of up to 64 tokens

# %% [markdown]
# **The encoder.** Embed the ids, add the positions from 0 on, and send the result through both layers. The names of
# their arrays begin with `encoder.layers.0` and `encoder.layers.1`. Who may look at whom? **Write it**, with the names of
# the cell above and `embed(ids, table)`, `add_positions(x, table, start)` and `padding_mask(ids, pad_id)`.


# %%
def encode(src):
    """Return the memory (B, S, D) of the source ids (B, S)."""
    memory = ...  # three to six lines
    return memory


# %%
encode = library.check(encode)

# %% [markdown]
# The check runs your function on two sentences at once, ours and "The dog sleeps." with five tokens of padding. Where the
# memory is wrong, it names the first layer that differs from npformer's.
#
# **The decoder.** Embedding, positions and layers, now with the memory and two masks. In the end each position has 64
# features, and each token of the vocabulary has a row of 64 features in the table $E$. Their dot product is the *logit* of
# this token, its score to be the next one: $z = x\,E^\top$. **Write it**, with `target_mask(ids, pad_id)`.


# %%
def logits(tgt, memory, memory_mask):
    """Return the logits (B, T, V): a score for every token to come after each target id (B, T).

    memory: (B, S, D). memory_mask: booleans (B, 1, S), True = may attend.
    """
    z = ...  # four to seven lines
    return z


# %%
logits = library.check(logits)

# %% [markdown]
# ## Is it the same?
#
# All logits of both sentences, yours and npformer's:

# %%
src = library.src  # (2, 10)
tgt = library.tgt  # (2, 10)
memory_mask = padding_mask(src, PAD)
found = logits(tgt, encode(src), memory_mask)  # (2, 10, 825)
difference = abs(found - library.logits)[tgt != PAD]
print(f"largest difference {difference.max():.0e}, largest logit {abs(found).max():.1f}")

# %% [markdown]
# A float64 has sixteen digits. Next to a logit of 9.9, 7e-15 is in the sixteenth digit: two programs that add in another
# order round in other places. Every parameter of the translator is now in use:

# %%
tally("embedding", "self_attention", "cross_attention", "feed_forward")

# %% [markdown]
# The last box is softmax. In row i the decoder has read the tokens up to that of row i; the columns are ten of the 825
# tokens that may come next, those of the translation.

# %%
sentence = CourseSentence()
probabilities = softmax(found[0])  # (10, 825)
next_ids = sentence.batch.tgt_out[0]  # (10,)
show_arrays(
    probabilities=probabilities[:, next_ids],
    rows=sentence.read_tokens,
    columns=sentence.target_tokens,
)

# %% [markdown]
# After *Ich* comes *schalte*, with 0.87. The other half of the verb waits: *aus* is not probable before *Radio* is there.
#
# ## It translates
#
# To write a sentence, take the most probable token, append it and ask again, until it is `<eos>`. Whether this is the
# best way is the question of notebook 19.


# %%
def translate(text):
    """Return the translation of a sentence, with the most probable token at each step."""
    src = np.array([[*library.english.encode(text), EOS]])  # (1, S)
    memory = encode(src)
    written = [BOS]
    while written[-1] != EOS and len(written) < 40:
        z = logits(np.array([written]), memory, padding_mask(src, PAD))  # (1, T, V)
        written.append(int(z[0, -1].argmax()))
    return library.german.decode(written[1:-1])


SENTENCE = "I turn off the new radio every day."
translate(SENTENCE)

# %% [markdown]
# **There it is.** Ten ids went in, and between them and this sentence there is NumPy and about a hundred lines. (In 2018
# Alexander Rush rebuilt the paper in one notebook, *The Annotated Transformer*, in 400 lines with the training. Many
# learned the model from it.) Yellow is what you wrote:

# %%
build_it(own_functions(globals()), SENTENCE, translate(SENTENCE))

# %% [markdown]
# **Your own sentence.** Notebook 01 has a list of words that it knows.

# %%
translate("My old teacher reads the book every evening.")  # change it

# %% [markdown]
# Could there be a mistake in a program that translates? Here are three that people make when they rebuild a model. None
# ends in an error, because all shapes fit.

# %%
mistakes = {
    "from 1": {"positions": positions[1:]},  # positions are counted from 1
    "2 heads": {"H": 2},  # which is not 4
    "exchanged": {"W": library.exchanged()},  # the two layers of the encoder in the wrong order
}
bet = Bet("With which mistake is the translation still right?", list(mistakes))
bet.place(...)

# %%
translations = {}
for mistake, changed in mistakes.items():
    with patch.dict(globals(), changed):  # only within this block
        off = abs(logits(tgt, encode(src), memory_mask) - library.logits)[tgt != PAD].max()
        translations[mistake] = translate(SENTENCE)
        print(f"{mistake:9}  logits wrong by {off:.1f}  {translations[mistake]}")
right = translate(SENTENCE)
bet.settle(" and ".join(mistake for mistake in mistakes if translations[mistake] == right))

# %% [markdown]
# Counting from 1 changes some logits by 2, and the sentence survives. (Try `positions[10:]`.) Two heads write "I brings
# every morning": each of them is made of two that had learned different things. And with the layers exchanged the radio
# is not turned off but unloaded, in perfect German. Without German you would never notice.
#
# So a right translation is a weak test, and equal logits are a strong one. Models are brought from one program to another
# like this: load the arrays by name, compare the logits, look for the first layer that differs. Detour
# [32b](32b_importing_a_model.ipynb) does it with models from elsewhere.
#
# ## A question
#
# **1.** `embed` multiplies by 8, and the last product with the same table does not. What does the translator write
# without the 8? And what if the last product had an 8 as well?
#
# <details><summary>Answer</summary>
#
# Without it: *, zurückkommt das das das das* and full stops, until 40 ids are written. A row of the table has a norm of
# about 1, the code of a position always $\sqrt{32} = 5.7$. Without the 8 the positions drown the words. With an 8 in
# the last product nothing changes in the sentence: the largest logit is still the largest. But softmax would say 1.00
# where it says 0.87 now, and the model would be sure of everything.
#
# </details>

# %%
bets_so_far()

# %% [markdown]
# **You can now**
#
# - build encoder and decoder of the parts of figure 1;
# - run a trained model whose parameters you have by name, and translate with it;
# - compare two programs by their logits, and find the first layer that differs.
#
# The exercise decoder_layer asks for the whole decoder layer. Next: [ten questions](08b_checkpoint_1.ipynb) on part I.
# Then [notebook 09](09_backpropagation_from_zero.ipynb) begins part II. Your model works with 286,272 numbers that somebody else has found. How does one find them?
