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
# # 07 Training
#
# **The idea:** an update answers three questions. What to aim at? A target that is nearly one-hot. Which way does each
# number go? Adam. How far? A learning rate that starts small.
#
# Paper: sections 5.3 (Adam, warm-up), 5.4 (label smoothing), 3.4 (one table). Code: `layers/loss.py`, `layers/embedding.py`,
# `training/adam.py`, `training/schedule.py`. About 50 minutes. What you need before: [notebook
# 05a](05a_backpropagation_from_zero.ipynb) for gradients, [notebook 06](06_encoder_and_decoder.ipynb) for the model.

# %%
# %matplotlib inline
import numpy as np

from npformer.visualization.plots import new_figure
from pictures import plot_label_smoothing

# %% [markdown]
# ## What to aim at
#
# At each position the model scores all $V$ tokens. Softmax turns the scores $z$ into probabilities $p$, and the loss
# compares $p$ with a target $q$:
#
# $$q = (1 - \varepsilon)\,\text{onehot} + \frac{\varepsilon}{V}, \qquad L = -\sum_v q_v \ln p_v,
# \qquad \frac{\partial L}{\partial z} = p - q$$
#
# The gradient follows as in notebook 05c. Because $\sum_v q_v = 1$, the loss is $L = \ln \sum_v e^{z_v} - \sum_v q_v z_v$. The
# derivative of the first term with respect to $z_v$ is $p_v$, that of the second is $q_v$, whether $q$ is one-hot or not.
#
# With $\varepsilon = 0$ the target is one-hot. No finite score gives $p = 1$, so it pulls the scores apart forever. With the
# paper's $\varepsilon = 0.1$ the pull ends where $p = q$.

# %% tags=["hide-input"]
figure, ax = new_figure(height=3.2)
plot_label_smoothing(ax, ["<pad>", "the", "dog", "sees", "a", "cat"], "dog", eps=0.1)
figure

# %% [markdown]
# The library's class agrees with this definition. `backward` divides by the number of tokens, because the loss is a mean:

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
dlogits, _ = loss.backward()
print(f"by the class {value:.6f}, by the definition {-(q * np.log(p)).sum(-1).mean():.6f}")
assert np.isclose(value, -(q * np.log(p)).sum(-1).mean())
assert np.allclose(dlogits, (p - q) / N)

# %% [markdown]
# ### Over V, V - 1 or V - 2?
#
# Tutorials spread $\varepsilon$ over all $V$ tokens, the $V - 1$ wrong ones, or $V - 2$, without padding. Szegedy et al.
# (2016), whom the paper cites, take $V$, as npformer does; the authors' program, tensor2tensor, takes $V - 1$. How much does
# it matter, for six tokens and for the paper's 37,000?

# %%
print("      V   rule    right token   wrong token   padding")
for size in (6, 37_000):
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
# ## Which way: Adam
#
# Adam keeps two running means for each number: $m$ of its gradient $g$, and $v$ of the gradient's square.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g, \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# $$\theta \leftarrow \theta - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}$$
#
# Both start at 0; dividing by $1 - \beta^t$ corrects for that. Here are three numbers to learn, with a large gradient, a tiny
# one, and one that changes its sign at each update:

# %%
import npformer as npf
from npformer.training import Adam, FlatParameters

steps, beta1, beta2, tiny, rate = 6, 0.9, 0.98, 1e-9, 0.1
gradients = np.array([[100.0, 0.001, 5.0 * (-1) ** t] for t in range(steps)])  # change the numbers and run it again

theta = npf.Parameter(np.zeros(3))
flat = FlatParameters([theta])  # all parameters end to end: here there is one
adam = Adam(flat, learning_rate=rate, beta1=beta1, beta2=beta2, eps=tiny)
by_hand, m, v = np.zeros(3), np.zeros(3), np.zeros(3)
print("update   g = 100   g = 0.001   g = 5, -5, ...")
for t, g in enumerate(gradients, start=1):
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g**2
    by_hand = by_hand - rate * (m / (1 - beta1**t)) / (np.sqrt(v / (1 - beta2**t)) + tiny)

    theta.grad = g
    adam.step()
    print("{:6} {:9.4f} {:11.4f} {:16.4f}".format(t, *theta.data))
    assert np.allclose(theta.data, by_hand)

# %% [markdown]
# A steady gradient moves its number by the learning rate at each update, whether it is 100 or 0.001: Adam looks at signs
# and steadiness, not at size. A gradient that changes its sign moves its number much less.
#
# After the first update $m/(1-\beta_1) = g$ and $v/(1-\beta_2) = g^2$, so the step is $\eta\, g/|g|$: **every number moves
# by the whole learning rate**, even one whose gradient is only noise. Adam takes its largest steps when it knows least.

# %%
adam = Adam(flat, learning_rate=rate)
start = theta.data.copy()
theta.grad = [1e-4, -3.0, 700.0]
adam.step()
print("first step", (theta.data - start).round(4))
assert np.allclose(theta.data - start, [-rate, rate, -rate], rtol=1e-4)

# %% [markdown]
# ## How far: warm-up
#
# So the paper keeps the first steps small (equation 3):
#
# $$\eta(t) = d_{model}^{-0.5} \cdot \min(t^{-0.5},\; t \cdot \text{warmup}^{-1.5})$$
#
# It rises in a straight line during the warm-up, then falls like $1/\sqrt{t}$: `WarmupSchedule` in npformer.

# %% tags=["hide-input"]
from npformer.training import WarmupSchedule
from pictures import plot_schedules

figure, ax = new_figure(height=3)
paper = WarmupSchedule(512, 4000)
plot_schedules(ax, [paper, WarmupSchedule(512, 8000), WarmupSchedule(1024, 4000)], n_steps=20_000)
assert np.isclose(paper(4000), (512 * 4000) ** -0.5)
assert np.isclose(paper(1), paper(4000) / 4000)
figure

# %% [markdown]
# ### Does it matter? Train the same model twice
#
# The model has four layers on each side, with LayerNorm after the sum (post-norm), as in the paper. The task is to reverse
# digits, as in notebook 00. Both runs have the same initial weights, the same batches and the same learning rate from
# update 50 on. Before that, one climbs to the peak and the other starts there.

# %%
from npformer.datasets.synthetic import sequences
from npformer.tasks import Batches, Objective
from npformer.text import Vocabulary
from npformer.training import Trainer

PEAK, WARMUP, UPDATES, NORM = 0.01, 50, 160, "post"  # change "post" to "pre" and run the cells up to the losses again
train, _ = sequences.split("reverse", n_train=2000, n_held_out=100, min_length=3, max_length=6)
vocabulary = Vocabulary.build(pair.source for pair in train)
pairs = [(vocabulary.encode(pair.source), vocabulary.encode(pair.target)) for pair in train]


def train_with(learning_rate):
    """Train a fresh model; return its losses, and how much its logits differ after each of ten updates."""
    sizes = {"d_model": 32, "d_ff": 128, "n_encoder_layers": 4, "n_decoder_layers": 4}
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), dropout=0.0, norm=NORM, **sizes
    )
    model = npf.Transformer(config, rng=0)
    adam = Adam(FlatParameters(model.parameters()), learning_rate=learning_rate)
    batches = Batches(pairs, batch_tokens=320, seed=0)
    batch = next(batches.epoch(1).batches())
    losses, differences = [], []
    for record in Trainer(Objective(model), adam, batches).updates(100):
        losses.append(record.loss)
        if record.step <= 10:
            with model.evaluating():
                logits = model.forward(batch.src, batch.tgt_in)  # (B, T, V)
            differences.append(logits.std((0, 1)).mean())
        if record.step == UPDATES:
            return losses, differences


warming = WarmupSchedule.with_peak(PEAK, 32, WARMUP)
with_warmup, differences = train_with(warming)
without, differences_without = train_with(lambda step: warming(max(step, WARMUP)))

# %% tags=["hide-input"]
from npformer.visualization.plots.colors import GREY, ORANGE, main_color
from npformer.visualization.plots.curves import running_mean

figure, (left, right) = new_figure(1, 2, width=9, height=3.2)
updates = np.arange(1, UPDATES + 1)
for label, rates, losses, look in (
    ("with warm-up", [warming(t) for t in updates], with_warmup, {"color": main_color()}),
    ("without", [warming(max(t, WARMUP)) for t in updates], without, {"color": ORANGE, "linestyle": "--"}),
):
    left.plot(updates, rates, label=label, linewidth=2, **look)
    right.plot(updates, running_mean(losses, 10), label=label, linewidth=2, **look)
left.set(xlabel="update", ylabel="learning rate", ylim=(0, 1.15 * PEAK))
right.set(xlabel="update", ylabel="loss per token (mean of 10)", ylim=(0, 3.5))
for ax in (left, right):
    ax.legend()
    ax.grid(alpha=0.3)
figure

# %%
written = [token for _, target in pairs for token in [*target, 3]]  # 3 is <eos>
often = np.bincount(written, minlength=len(vocabulary))  # (V,)
aim = (1 - eps) * often / often.sum() + eps / len(vocabulary)
guessing = -(aim * np.log(aim)).sum()
end, end_without = np.mean(with_warmup[-20:]), np.mean(without[-20:])
print(f"last 20 updates: {end:.2f} with warm-up, {end_without:.2f} without")
print(f"giving each token its share in the targets, whatever the source: {guessing:.2f}")
assert NORM == "pre" or (abs(end_without - guessing) < 0.2 and end_without > end + 0.5)

# %% [markdown]
# One of the two has hardly learned. After each of their first ten updates, how much do their logits differ between
# positions? Here is the standard deviation over all positions of a batch:

# %%
print("update          " + "".join(f"{t:6}" for t in (1, 2, 4, 7, 10)))
for name, values in (("with warm-up", differences), ("without", differences_without)):
    print(f"{name:16}" + "".join(f"{values[t - 1]:6.2f}" for t in (1, 2, 4, 7, 10)))
assert NORM == "pre" or differences_without[-1] < 0.01 < 0.1 < differences[-1]

# %% [markdown]
# The first update is far too large. After four the model without warm-up says the same at every position: what told one
# word from another is gone. From then on it learns only how often each token occurs.
#
# Is that a law? Three peaks, post-norm and pre-norm (LayerNorm before each sub-layer), and three seeds for weights and
# batches are 36 trainings, some minutes, so they have a program of their own.

# %%
# Nothing is trained here: these are typed in from what  python notebooks/warm_up.py  printed,
# the mean loss of the last 20 updates, for seeds 0, 1 and 2.
WITH_WARMUP = {
    ("post", 0.001): (1.24, 1.28, 1.34),
    ("post", 0.003): (0.84, 0.91, 1.05),
    ("post", 0.01): (1.18, 1.11, 1.11),
    ("pre", 0.001): (1.15, 1.26, 1.31),
    ("pre", 0.003): (0.78, 0.84, 0.83),
    ("pre", 0.01): (0.91, 0.78, 0.78),
}
WITHOUT = {
    ("post", 0.001): (1.02, 1.10, 1.21),
    ("post", 0.003): (0.94, 0.98, 1.03),
    ("post", 0.01): (2.38, 2.30, 2.10),
    ("pre", 0.001): (0.97, 1.06, 1.05),
    ("pre", 0.003): (0.77, 0.77, 0.77),
    ("pre", 0.01): (1.73, 1.06, 0.98),
}
print("norm   peak     with warm-up        without")
for (norm, peak), losses in WITH_WARMUP.items():
    columns = ("  ".join(f"{loss:.2f}" for loss in row) for row in (losses, WITHOUT[norm, peak]))
    print(f"{norm:5}  {peak:<6}  ", "    ".join(columns))

# %% tags=["hide-input"]
figure, axes = new_figure(1, 2, width=9, height=3)
for ax, norm in zip(axes, ("post", "pre"), strict=True):
    for label, results, color, style in (
        ("with warm-up", WITH_WARMUP, main_color(), "-"),
        ("without", WITHOUT, ORANGE, "--"),
    ):
        peaks = [peak for kind, peak in results if kind == norm]
        for seed in range(3):
            ends = [results[norm, peak][seed] for peak in peaks]
            ax.plot(peaks, ends, "o" + style, color=color, label=label if seed == 0 else None)
    ax.set(xscale="log", xlabel="peak learning rate", title=f"{norm}-norm", ylim=(0, 2.6))
    ax.axhline(guessing, color=GREY, linewidth=1, label="guessing by frequency")
axes[0].set_ylabel("loss of the last 20 updates")
axes[0].legend()
assert abs(end - WITH_WARMUP[NORM, PEAK][0]) < 0.05
figure

# %% [markdown]
# At the two lower peaks post-norm learns without warm-up too, at 0.001 even better, perhaps because no updates are
# spent on tiny steps. At 0.01 it fails without warm-up, on every seed; pre-norm learns there too, but less. So warm-up is
# not a law: **it lets you use a rate at which post-norm would otherwise fail**. Whether the higher rate is worth it is
# another question: here post-norm does best at 0.003. Xiong et al. (2020) explain why pre-norm hardly needs warm-up.
#
# ## One table, and the factor sqrt(d_model)
#
# Section 3.4 uses one matrix to read source tokens, to read target tokens and, transposed, to score the next token. In
# npformer it is one `Parameter` in three layers, so its gradients add up.

# %%
counts, arrays = {}, {}
for tie in ("all", "target", "none"):
    one_layer = {"n_encoder_layers": 1, "n_decoder_layers": 1, "tie": tie}
    config = npf.TransformerConfig.tiny(src_vocab_size=37_000, tgt_vocab_size=37_000, **one_layer)
    model = npf.Transformer(config, rng=rng)
    arrays[tie] = len(model.parameters())
    counts[tie] = sum(parameter.data.size for parameter in model.parameters())
    print(f"tie = {tie!r:8} {counts[tie]:>9,} numbers to learn, in {arrays[tie]} arrays")
assert counts["none"] - counts["all"] == 2 * 37_000 * 64
assert arrays == {"all": 43, "target": 44, "none": 45}

# %% [markdown]
# Why does section 3.4 multiply the embeddings by $\sqrt{d_{model}}$? The paper does not say. A good reason is that the
# table has two uses. The generator multiplies it with the output of a LayerNorm, of size 1: for logits of size 1 the
# entries must have size $1/\sqrt{d_{model}}$, or the model starts out sure of nonsense. An embedding is added to sines and
# cosines, of size $\sqrt{1/2} = 0.71$ for every $d_{model}$. The factor serves both.

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
# Without the factor, at $d_{model} = 512$, a word would enter at 0.044 next to positions at 0.71, sixteen times larger. With
# a table of size 1 the logits would start at 22.6 instead of 1. Some tutorials start the table at size 1 *and* keep the
# factor: then words enter at 22.6 and drown their positions.
#
# One table has a side effect: the fresh model of notebook 00 repeats itself. A token's vector passes up the residual path
# of the decoder, and at the top it is still most like its own row. At how many positions is the most probable next token
# the one just read, with one table and with three?

# %%
batch = next(Batches(pairs, batch_tokens=320).epoch(1).batches())
repeats = {}
for tie in ("all", "none"):
    one_layer = {"n_encoder_layers": 1, "n_decoder_layers": 1, "tie": tie}
    config = npf.TransformerConfig.tiny(
        src_vocab_size=len(vocabulary), tgt_vocab_size=len(vocabulary), dropout=0.0, **one_layer
    )
    logits = npf.Transformer(config, rng=0).forward(batch.src, batch.tgt_in)
    repeats[tie] = float((logits.argmax(-1) == batch.tgt_in).mean())
    print(f"tie = {tie!r:6} {repeats[tie]:4.0%} of the positions")
assert repeats["all"] > 0.9 and repeats["none"] < 0.3

# %% [markdown]
# ## The line of the loss
#
# In the code, $p$ is `exp_z / total`, and $q$ is subtracted in two lines, $\varepsilon / V$ everywhere and $1 - \varepsilon$ at
# the targets. Here is the first line in the step debugger:

# %%
from npformer.tasks import TranslationBatch
from pictures import StepFrame

one_pair = TranslationBatch.of(*([ids] for ids in pairs[0]))  # change the 0 to 1 and run it again
recording = npf.step_through(Objective(npf.Transformer(config, rng=0)), one_pair, only="loss")
StepFrame(recording, "dlogits")

# %% [markdown]
# ## Three questions
#
# **1.** With $\varepsilon = 0.1$ and $V = 6$, what is the lowest loss that any model can reach, and at which $p$?
#
# <details><summary>Answer</summary>
#
# The loss is lowest where its gradient $p - q$ is zero. It is then the entropy of $q$: with 0.917 on the right token and
# 0.0167 on each of the five others, $-0.917 \ln 0.917 - 5 \cdot 0.0167 \ln 0.0167 = 0.42$ nats. A smoothed loss never
# goes to 0, so compare models by the plain cross-entropy of held-out text.
#
# </details>
#
# **2.** Multiply the loss by 1000. What changes in Adam's updates? What would change in plain gradient descent?
#
# <details><summary>Answer</summary>
#
# In Adam almost nothing: $m$ and $\sqrt v$ both grow by 1000 and cancel, except for the tiny $\epsilon$. Plain gradient
# descent would take steps a thousand times as long.
#
# </details>
#
# **3.** Warm-up counts updates. What goes wrong if a program counts one step for each array of the model?
#
# <details><summary>Answer</summary>
#
# The model of one layer on each side has 43 arrays, 42 of them in its layers; the base model of six has
# $1 + 6 \cdot 42 = 253$. Warm-up would be over after 16 updates instead of 4000, and the rate would then fall far too
# soon. The loss still goes down at first, so nobody notices.
#
# </details>
#
# Next: [notebook 07c](07c_one_training_step.ipynb), where one training step shows its numbers.
#
# Write it yourself: exercises 18 embedding, 20 tied_generator, 21 label_smoothing, 22 adam, 23 warmup.
# `npformer class start my-course` begins the course.
