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
# # 14b Where a tied model's loss starts
#
# *A detour from [14](14_the_loss.ipynb): nothing later needs it. [Notation](../docs/reference/notation.md).*
#
# You start a training with 1,000 tokens. A model that knows nothing should pay $\ln 1000 = 6.9$ nats, and its first loss
# is 13.3. Is that a bug?
#
# **The idea:** one table reads the tokens and scores them. So a fresh model may repeat the token that it has just read,
# and be very sure of it.
#
# Paper: section 3.4. Code: `npformer/layers/embedding.py`, `npformer/layers/generator.py`. About 30 minutes with its
# writing.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.course_sentence import CourseSentence
from helpers.pictures import show_arrays
from npformer.tasks import LabelSmoothingLoss
from npformer_course import Bet, exercise

# %% [markdown]
# ## One table, three uses
#
# The logits come from the **generator**: the decoder's output $x$ at a position, times one row of a table $E$ for each
# token, $z_v = x \cdot E_v$. Section 3.4 of the paper uses the same table to read source tokens, to read target tokens
# and, transposed, to score the next token: $z = x\,E^\top$.
#
# It saves a lot. The layers of the paper's base model have 44 million parameters. A table for 37,000 tokens has
# $37000 \cdot 512 = 19$ million. With one table the model has 63 million, with three it would have 101.
#
# At each of its uses the table gets a gradient, and the three add up. Those of the two embeddings only reach the rows
# that were read (notebook 12). What about the generator?
#
# **Write it:** the gradient of the table from the generator, for one sentence. It is the weight of a linear layer,
# transposed: look at the shapes.

# %%
sentence = CourseSentence()
table = sentence.model.generator.table.data  # (825, 64)
x = sentence.arrays("generator")["x"][None]  # (1, 10, 64)
loss = LabelSmoothingLoss(eps=0.1)
loss.forward(x @ table.T, sentence.batch.tgt_out)
dlogits = loss.backward()  # (1, 10, 825), (p - q) / N

blank = exercise("tied_generator").on(dlogits=dlogits, x=x, table=table)
dtable = ...  # (825, 64)
dtable = blank.check(dtable=dtable)

# %%
tokens = sentence.translator.target.tokens
shown = ["jeden", "Radio", "das", "die", "Hund", "radio", "turn"]
rows = [tokens.index(token) for token in shown]
norms = np.linalg.norm(dtable, axis=-1)  # (825,)
show_arrays(**{"norm of the gradient": norms[rows]}, columns=shown, decimals=4)

# %% [markdown]
# Every row gets some, also that of *Hund*, which is not in the sentence, and those of English words: a token that should
# not come is pushed away from $x$. Rows of tokens that should come get most.
#
# ## The factor of the embedding
#
# The embedding multiplies its row by $\sqrt{d_{model}}$, and the paper does not say why. A good reason is that the table
# has two uses. The generator multiplies a row by the output of a LayerNorm, whose $d_{model}$ features are about 1 in
# size. For logits of about 1 the entries of the table must be about $1/\sqrt{d_{model}}$. An embedding is added to sines
# and cosines, which are 0.71 in size for every $d_{model}$. The factor serves both:

# %%
from npformer.layers import Embedding, Generator, LayerNorm
from npformer.layers.positional_encoding import sinusoids

rng = np.random.default_rng(0)


def size_of(array):
    """Return the root mean square."""
    return float(np.sqrt(np.mean(array**2)))


sizes = {}
for d_model in (64, 512, 2048):
    embedding = Embedding(1000, d_model, rng=rng, dtype="float64")
    generator = Generator(1000, d_model, table=embedding.table)
    random = LayerNorm(d_model, dtype="float64").forward(rng.normal(size=(50, d_model)))
    sizes[d_model] = [
        size_of(sinusoids(100, d_model)),
        size_of(embedding.forward(np.arange(1000))),
        size_of(embedding.table.data),
        size_of(generator.forward(random)),
    ]
kinds = ["positions", "embedding", "entry of the table", "logits"]
show_arrays(size=np.array(list(sizes.values())), rows=[f"{d} features" for d in sizes], columns=kinds, limit=4)

# %% [markdown]
# Without the factor, a word of 512 features would be 0.04 next to positions of 0.71. With a table of entries around 1,
# the logits would be 22.6 in size, and the model would start out sure of nonsense. (Some tutorials start the table at 1
# *and* keep the factor. Then words enter with 22.6 and drown their positions.)
#
# The logits are about 1 here because `random` knows nothing of the table. The decoder's output does.
#
# ## Where the loss starts
#
# Logits of variance 1 do not give $\ln V$ exactly. The mean of $e^z$ is then $e^{1/2}$, not 1, so $\ln \sum_v e^{z_v}$
# is about $\ln V + \frac{1}{2}$. With three separate tables, fresh models of every width start there: at 7.4 for
# $V = 1000$. Now one table, 512 features, one layer on each side:

# %%
bet = Bet("Its first loss, in nats?", ["6.9", "7.4", "13.3"])
bet.place(...)

# %%
V = 1000
src, tgt_in, tgt_out = rng.integers(4, V, (3, 8, 10))  # (B, S), (B, T), (B, T)


def start(layers, norm="post", d_model=512, tie_embeddings="all"):
    """Return the loss of a fresh model, and cosine and logit for the token that it has just read."""
    config = npf.TransformerConfig.tiny(
        src_vocab_size=V,
        tgt_vocab_size=V,
        d_model=d_model,
        n_encoder_layers=layers,
        n_decoder_layers=layers,
        norm=norm,
        tie_embeddings=tie_embeddings,
        dropout=0.0,
    )
    model = npf.Transformer(config, rng=0)
    with npf.trace(model) as trace:
        z = model.forward(src, tgt_in)  # (B, T, V)
    output = trace["decoder"].output  # (B, T, D)
    own_row = model.generator.table.data[tgt_in]  # (B, T, D)
    norms = np.linalg.norm(output, axis=-1) * np.linalg.norm(own_row, axis=-1)
    cosine = (output * own_row).sum(-1) / norms
    own_logit = np.take_along_axis(z, tgt_in[..., None], axis=-1)
    return LabelSmoothingLoss(eps=0.0).forward(z, tgt_out), cosine.mean(), own_logit.mean()


first, cosine, own = start(1)
bet.settle(f"{first:.1f}")
show_arrays(**{"one layer": np.array([[first, cosine, own]])}, columns=["loss", "cosine", "logit"])

# %% [markdown]
# The loss is nearly twice $\ln V$. The reason is the residual connection. A token's vector passes up the decoder, and
# what arrives still points much like its own row: `start` measures a cosine of 0.59. A row has norm 1 and the output of
# LayerNorm $\sqrt{512}$, so the logit of the token just read is $0.59 \cdot \sqrt{512} = 13.4$, where all others are
# about 1 in size. The model is sure that the token comes again.
#
# More layers write more into the vector, and each LayerNorm scales down what came from below. So how do cosine and loss
# depend on the depth, and on the place of the norm?

# %%
depths = np.array([1, 2, 4, 6])
starts = {}
for norm in ("post", "pre"):
    starts[norm] = np.array([start(layers, norm) for layers in depths])  # (4, 3): loss, cosine, logit

# %% [markdown]
# **Write it:** can you say the loss from the logit? Right tokens are random here, so theirs is 0 on average, and the
# loss is $\ln \sum_v e^{z_v}$. One of the $V$ tokens has the logit `own`, and the others have variance 1.

# %%
own = np.array([starts["post"][:, 2], starts["pre"][:, 2]])  # (2, 4), logits of the token just read
predicted = ...  # (2, 4), the losses

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ink, main_color

figure, (left, right) = new_figure(1, 2, width=9, height=3.2)
for i, (norm, color) in enumerate((("post", main_color()), ("pre", ORANGE))):
    left.plot(depths, starts[norm][:, 1], "o-", color=color, label=f"{norm}-norm")
    right.plot(depths, starts[norm][:, 0], "o-", color=color, label=f"{norm}-norm")
    if predicted is not ...:
        right.plot(depths, predicted[i], "x--", color=ink(), label="yours" if i == 0 else None)
right.axhline(np.log(V) + 0.5, color=GREY, linewidth=1, linestyle=":", label="ln V + 1/2")
left.set(xlabel="layers on each side", ylabel="cosine with the row just read", ylim=(0, 0.8), xticks=depths)
right.set(xlabel="layers on each side", ylabel="first loss in nats", ylim=(6, 17), xticks=depths)
for ax in (left, right):
    ax.legend()
figure

# %% [markdown]
# Your crosses should lie on the dots. The six layers of the paper take the problem away before training starts: the
# cosine is 0.03, and the loss that of three tables. In pre-norm the residual path has no norm on it, and 0.36 is left.
#
# Nothing is broken in such a model, but its first updates have to undo what it is sure of. So look at the first loss of
# a training, and compare it with $\ln V + \frac{1}{2}$. Is it higher? With tied tables and few layers, or pre-norm, look
# at the logit of the token just read. Where it does not explain the loss, something has the wrong size
# ([notebook 18](18_debugging_a_training.ipynb) looks for such bugs).
#
# ## Two questions
#
# **1.** With 64 features and one layer the loss starts at 7.6, hardly above $\ln V + \frac{1}{2}$. Why?
#
# <details><summary>Answer</summary>
#
# The cosine is much the same, 0.58, but the logit is $0.58 \cdot \sqrt{64} = 4.6$. $e^{4.6} = 99$ is little next to the
# sum of the others, about 1650. At 512 features it is $e^{13.4} = 660000$. It is a matter of width, and of how many tokens
# there are.
#
# </details>
#
# **2.** With `tie_embeddings="target"` the source has a table of its own. When do you need that? Why did the paper not?
#
# <details><summary>Answer</summary>
#
# When source and target have different vocabularies: then id 17 is one token on the left and another on the right, and
# one row cannot serve both. The paper cut both languages with one byte-pair encoding into a shared vocabulary of 37,000
# tokens (section 5.1), so an id means the same everywhere.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what tied tables save, and where their gradients come from;
# - say why embeddings have the factor $\sqrt{d_{model}}$;
# - say which first loss to expect, and when a higher one is no bug.
#
# Back to the path: [notebook 15](15_adam_and_warm_up.ipynb). The exercise tied_generator has all three functions.
