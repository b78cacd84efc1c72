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
# # 14 The loss
#
# **The idea:** the loss pulls the scores of all tokens toward a target that is nearly one-hot. Where it starts depends
# on one table, which reads tokens and scores them.
#
# Paper: sections 5.4 (label smoothing) and 3.4 (one table). Code: `layers/loss.py`, `layers/embedding.py`,
# `layers/generator.py`. About 30 minutes to read and run, 45 with every change and question. What you need before:
# [notebook 09](09_backpropagation_from_zero.ipynb) for gradients, [notebook 07](07_encoder_and_decoder.ipynb) for the
# model, post-norm and pre-norm.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import plot_label_smoothing
from npformer.visualization.plots import new_figure

# %% [markdown]
# ## What to aim at
#
# At each position the model scores all $V$ tokens. Softmax turns the scores $z$ into probabilities $p$, and the loss
# compares $p$ with a target $q$:
#
# $$q = (1 - \varepsilon)\,\text{onehot} + \frac{\varepsilon}{V}, \qquad L = -\sum_v q_v \ln p_v,
# \qquad \frac{\partial L}{\partial z} = p - q$$
#
# The gradient follows as in notebook 12. Because $\sum_v q_v = 1$, the loss is
# $L = \ln \sum_v e^{z_v} - \sum_v q_v z_v$. The derivative of the first term with respect to $z_v$ is $p_v$, that of
# the second is $q_v$, whether $q$ is one-hot or not.
#
# With $\varepsilon = 0$ the target is one-hot. The paper takes $\varepsilon = 0.1$:

# %% tags=["hide-input"]
figure, ax = new_figure(height=3.2)
plot_label_smoothing(ax, ["<pad>", "the", "dog", "sees", "a", "cat"], "dog", eps=0.1)
figure

# %% [markdown]
# The library's class agrees with this definition. `backward` divides by the number of tokens, because the loss is a
# mean:

# %%
from npformer.tasks import LabelSmoothingLoss

rng = np.random.default_rng(0)
eps, V, N = 0.1, 6, 8  # change eps to 0.3 and run the cells of this section again
logits = rng.normal(size=(N, V))
targets = rng.integers(1, V, N)  # 0 is padding
p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)  # (N, V)
onehot = np.eye(V)[targets]  # (N, V)
q = (1 - eps) * onehot + eps / V

loss = LabelSmoothingLoss(eps=eps)
value = loss.forward(logits, targets)
dlogits = loss.backward()
print(f"by the class {value:.6f}, by the definition {-(q * np.log(p)).sum(-1).mean():.6f}")
assert np.isclose(value, -(q * np.log(p)).sum(-1).mean())
assert np.allclose(dlogits, (p - q) / N)

# %% [markdown]
# What is the smoothing for? Let six scores follow their gradient, with the one-hot target and with the smoothed one,
# and look how far the score of the right token gets above the others:

# %%
gaps = {}
for smoothing in (0.0, 0.1):  # change the 0.1 to 0.01 and run it again
    z, aim = np.zeros(V), (1 - smoothing) * np.eye(V)[2] + smoothing / V
    gaps[smoothing] = []
    for _ in range(10_000):
        z -= np.exp(z) / np.exp(z).sum() - aim  # dL/dz = p - q, with a learning rate of 1
        gaps[smoothing].append(z[2] - z[0])
for smoothing, gap in gaps.items():
    ends = (f"{n:,} steps {gap[n - 1]:.2f}" for n in (10, 100, 1000, 10_000))
    print(f"eps {smoothing:<4} after", *ends, sep="  ")

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import ORANGE, main_color

figure, ax = new_figure(width=7, height=2.8)
for (smoothing, gap), style, color in zip(gaps.items(), ("--", "-"), (ORANGE, main_color()), strict=True):
    ax.plot(range(1, 10_001), gap, style, color=color, linewidth=2, label=f"eps = {smoothing:g}")
ax.set(xscale="log", xlabel="step", ylabel="score above the others")
ax.grid(alpha=0.3)
ax.legend()
assert np.isclose(gap[-1], np.log(aim[2] / aim[0])) and gaps[0.0][-1] - gaps[0.0][999] > 2
figure

# %% [markdown]
# No finite score gives $p = 1$, so the one-hot target pulls the scores apart forever: here by 2.3 for each tenfold
# number of steps, which makes every *wrong* token ten times less probable ($p$ of the right one goes from 0.999 to
# 0.9999). The smoothed target lets go where $p = q$, at $\ln (0.917 / 0.0167) = 4.01$. A model trained with it is less
# sure of itself. For the paper that has two sides (5.4): perplexity gets worse, and the translations get a better BLEU
# ([notebook 21](21_what_is_a_good_translation.ipynb) is about BLEU).

# %% [markdown]
# ## Over V, V - 1 or V - 2?
#
# Tutorials spread $\varepsilon$ over all $V$ tokens, the $V - 1$ wrong ones, or $V - 2$, without padding. Szegedy et
# al. (2016), whom the paper cites, take $V$, as npformer does; the authors' program, tensor2tensor, takes $V - 1$. How
# much does it matter, for six tokens and for the paper's 37,000?

# %%
print("      V   rule    right token   wrong token   padding")
for size in (6, 37_000):  # add 100 and run it again
    for rule, right, wrong, pad in (
        ("V", 1 - eps + eps / size, eps / size, eps / size),
        ("V - 1", 1 - eps, eps / (size - 1), eps / (size - 1)),
        ("V - 2", 1 - eps, eps / (size - 2), 0.0),
    ):
        print(f"{size:7,}   {rule:5} {right:13.6f} {wrong:13.6f} {pad:9.6f}")
        assert np.isclose(right + (size - 2) * wrong + pad, 1)

# %% [markdown]
# With 37,000 tokens the rules differ in the sixth decimal place, with six by up to 0.020. And $V$ with $\varepsilon$ is
# exactly $V - 1$ with $\varepsilon (V-1)/V$. The rule matters only when you compare losses with somebody else's.

# %%
eps_of_the_other = eps * (V - 1) / V
q_of_the_other = (1 - eps_of_the_other) * onehot + eps_of_the_other / (V - 1) * (1 - onehot)
assert np.allclose(q, q_of_the_other)
assert eps != 0.1 or round(-(q[0] * np.log(q[0])).sum(), 2) == 0.42  # see question 1
print(f"V with eps {eps} is V - 1 with eps {eps_of_the_other:.4f}")

# %% [markdown]
# ## One table in three places
#
# So much for $q$. The other side, the scores $z$, comes from the generator: the decoder's output at a position,
# multiplied by one row of a table for each token. Section 3.4 uses the same table to read source tokens, to read target
# tokens and, transposed, to score the next token. In npformer it is one `Parameter` in three layers, so its gradients
# add up.

# %%
import npformer as npf

size, counts, arrays = 37_000, {}, {}  # change the size to 100 and run it again: how much is a table now?
for tie_embeddings in ("all", "target", "none"):
    one_layer = {"n_encoder_layers": 1, "n_decoder_layers": 1, "tie_embeddings": tie_embeddings}
    config = npf.TransformerConfig.tiny(src_vocab_size=size, tgt_vocab_size=size, **one_layer)
    model = npf.Transformer(config, rng=rng)
    arrays[tie_embeddings] = len(model.parameters())
    counts[tie_embeddings] = sum(parameter.data.size for parameter in model.parameters())
    print(
        f"tie_embeddings = {tie_embeddings!r:8} {counts[tie_embeddings]:>9,} numbers to learn, in {arrays[tie_embeddings]} arrays"
    )
assert counts["none"] - counts["all"] == 2 * size * 64
assert arrays == {"all": 43, "target": 44, "none": 45}

# %% [markdown]
# ## The factor sqrt(d_model)
#
# Why does section 3.4 multiply the embeddings by $\sqrt{d_{model}}$? The paper does not say. A good reason is that the
# table has two uses. The generator multiplies it with the output of a LayerNorm, of size 1: for logits of size 1 the
# entries must have size $1/\sqrt{d_{model}}$, or the model starts out sure of nonsense. An embedding is added to sines
# and cosines, of size $\sqrt{1/2} = 0.71$ for every $d_{model}$. The factor serves both.

# %%
from npformer.layers import Embedding, Generator, LayerNorm
from npformer.layers.positional_encoding import sinusoids


def size_of(array):
    """Root mean square."""
    return float(np.sqrt(np.mean(array**2)))


print("d_model   positions   embedding   without factor   logits   logits if table had size 1")
for d_model in (64, 512):  # add 2048 and run it again
    embedding = Embedding(1000, d_model, rng=rng, dtype="float64")
    generator = Generator(1000, d_model, table=embedding.table)
    x = LayerNorm(d_model, dtype="float64").forward(rng.normal(size=(50, d_model)))
    sizes = {
        "positions": size_of(sinusoids(100, d_model)),
        "embedding": size_of(embedding.forward(np.arange(1000))),
        "plain": size_of(embedding.table.data),
        "logits": size_of(generator.forward(x)),
    }
    sizes["large"] = sizes["logits"] * np.sqrt(d_model)
    print("{:7} {:11.2f} {:11.2f} {:16.3f} {:8.2f} {:28.1f}".format(d_model, *sizes.values()))
    assert np.isclose(sizes["positions"], np.sqrt(0.5))
    assert abs(sizes["embedding"] - 1) < 0.05 and abs(sizes["logits"] - 1) < 0.05
    assert np.isclose(sizes["plain"] * np.sqrt(d_model), sizes["embedding"])

# %% [markdown]
# Without the factor, at $d_{model} = 512$, a word would enter at 0.044 next to positions at 0.71, sixteen times larger.
# With a table of size 1 the logits would start at 22.6 instead of 1. Some tutorials start the table at size 1 *and*
# keep the factor: then words enter at 22.6 and drown their positions.
#
# (The logits have size 1 here because `x` is random and knows nothing of the table. The next section shows what happens
# when it does.)
#
# ## Where the loss starts
#
# What do table and factor do to a model that has learned nothing? If it gave all $V$ tokens the same probability, its
# loss would be $\ln V$. In notebook 17 a fresh model repeated the token that it had just read, so look at that token
# too: at its logit and its probability, for two widths and two depths.


# %%
size = 1000
src, tgt_in, tgt_out = rng.integers(4, size, (3, 16, 10))  # (B, S), (B, T), (B, T)


def start(d_model, layers, factor=1.0, **more):
    """Return, for a fresh model, the loss, and the mean logit and probability of the token just read."""
    shape = {"d_model": d_model, "n_encoder_layers": layers, "n_decoder_layers": layers, "dropout": 0.0, **more}
    model = npf.Transformer(npf.TransformerConfig.tiny(src_vocab_size=size, tgt_vocab_size=size, **shape), rng=0)
    model.generator.table.data *= factor
    z = model.forward(src, tgt_in)  # (B, T, V)
    p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    own = (np.take_along_axis(array, tgt_in[..., None], axis=-1).mean() for array in (z, p))
    return LabelSmoothingLoss(eps=0.0).forward(z, tgt_out), *own


starts = {  # add "two layers": start(512, 2) and run it again
    "three tables,  64 features, 1 layer": start(64, 1, tie_embeddings="none"),
    "three tables, 512 features, 1 layer": start(512, 1, tie_embeddings="none"),
    "one table,     64 features, 1 layer": start(64, 1),
    "one table,    512 features, 1 layer": start(512, 1),
    "one table,    512 features, 6 layers": start(512, 6),
    "the same with pre-norm": start(512, 6, norm="pre"),
    "one of size 1, 64 features, 1 layer": start(64, 1, factor=8),
}
print(f"ln V = {np.log(size):.2f}{'loss':>31}   the token just read: logit   p")
for name, (value, z, p_own) in starts.items():
    print(f"{name:36} {value:6.2f} {z + 0.0:28.2f} {p_own:7.3f}")

# %% tags=["hide-input"]
half_a_nat = np.log(size) + 0.5
for name, (value, z, _) in starts.items():
    if "size 1" not in name:  # one table: ln(V e^(1/2) + e^z), see the text
        assert abs(value - np.log(size * np.exp(0.5) + np.exp(z))) < 0.4, name
assert starts["one table,    512 features, 1 layer"][2] > 0.98 and starts["one of size 1, 64 features, 1 layer"][0] > 30
assert starts["one table,    512 features, 6 layers"][0] < half_a_nat + 0.4

# %% [markdown]
# **Three tables** start half a nat above $\ln V$, at every width. That is what logits of variance 1 do: the mean of
# $e^z$ is then $e^{1/2}$ and not 1, so $\ln \sum_v e^{z_v}$ is about $\ln V + 1/2$.
#
# **One table** adds a second term. A token's vector passes up the residual path of the decoder, and what arrives is
# still like its own row: the cosine is 0.59 after one layer. A row has norm 1 and the output of LayerNorm has
# $\sqrt{d_{model}}$, so the logit of the token just read is $0.59 \sqrt{d_{model}}$: 4.7 with 64 features and 13.4 with
# 512. With it, the loss is about $\ln (V e^{1/2} + e^{z})$: at 64 features that is hardly more than before, at 512 it
# is 13.4 (13.2 was measured), nearly twice $\ln V$. Nothing is broken there, but the model is sure of nonsense, and the
# first updates have to undo that. The six layers of the paper take it away before the start: each LayerNorm scales down
# what came from below, the cosine falls to 0.03, and the loss is that of three tables again. In pre-norm more of it
# stays, 0.36.
#
# So look at the first loss of a training, and compare it with $\ln V + 1/2$. Higher? With tied tables and few layers,
# or pre-norm, print the logit $z$ of the token just read, and compare with $\ln (V e^{1/2} + e^{z})$. Where neither
# explains it, something has the wrong size, like the table in the last line
# ([notebook 18](18_debugging_a_training.ipynb) looks for such bugs).
#
# ## The line of the loss
#
# Last, the gradient $p - q$ in the code. There $p$ is `exp_z / total`, and $q$ is subtracted in two lines,
# $\varepsilon / V$ everywhere and $1 - \varepsilon$ at the targets. Here is the first line in the step debugger:

# %%
from helpers.pictures import StepFrame
from npformer.tasks import Objective, TranslationBatch

one_pair = TranslationBatch.of([[4, 5, 6]], [[6, 5, 4]])  # change the ids, 4 to 13, and run it again
config = npf.TransformerConfig.tiny(src_vocab_size=14, tgt_vocab_size=14, n_encoder_layers=1, n_decoder_layers=1)
recording = npf.step_through(Objective(npf.Transformer(config, rng=0)), one_pair, only="loss")
StepFrame(recording, "dlogits")

# %% [markdown]
# ## Three questions
#
# **1.** With $\varepsilon = 0.1$ and $V = 6$, what is the lowest loss that any model can reach, and at which $p$?
#
# <details><summary>Answer</summary>
#
# The loss is lowest where its gradient $p - q$ is zero. It is then the entropy of $q$: with 0.917 on the right token
# and 0.0167 on each of the five others, $-0.917 \ln 0.917 - 5 \cdot 0.0167 \ln 0.0167 = 0.42$ nats. A smoothed loss
# never goes to 0, so compare models by the plain cross-entropy of held-out text.
#
# </details>
#
# **2.** The loss is a mean over the real tokens of a batch. A program divides by all positions instead, padding
# included. What changes?
#
# <details><summary>Answer</summary>
#
# The loss and its gradient become smaller, by the share of padding in the batch: half of it, half the loss. Batches
# with one long sentence and many short ones then count less than others, and losses of two runs can be compared only if
# both fill their batches alike. It still trains, so nobody notices.
#
# </details>
#
# **3.** With `tie_embeddings="target"` the source has a table of its own. When do you need that? Why did the paper not?
#
# <details><summary>Answer</summary>
#
# When source and target have different vocabularies, such as words of English and of German: then id 17 means one thing
# on the left and another on the right, and one row cannot serve both. The paper cut both languages with one byte-pair
# encoding into a shared vocabulary of 37,000 tokens (section 5.1), so an id means the same everywhere.
#
# </details>
#
# ---
#
# Next: [notebook 15](15_adam_and_warm_up.ipynb), which follows the gradient of this loss.
#
# Write it yourself: exercises p_minus_q, embedding, tied_generator, label_smoothing. `npformer course start my-course`
# begins the course.
