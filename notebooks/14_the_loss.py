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
# *Part II, Learn it. Before: [13](13_gradient_checks.ipynb). Next: [15](15_adam_and_warm_up.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# After *Ich* the translator gives each of 825 tokens a probability. Training needs one number that says how bad these
# are, and for each of the 825 scores whether it should rise or fall. So far you were always given a gradient to pass
# back. Here is where the first one comes from.
#
# **After this you can** compute the loss of a prediction and say what its unit, the nat, means; write its gradient,
# which is shorter than the loss; say what label smoothing does to both, and from which floor a smoothed loss is measured.
#
# Paper: section 5.4. About 40 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers.compare import compare
from helpers.course_sentence import CourseSentence
from helpers.floors import floor_to_write
from helpers.pictures import show_arrays
from helpers.schematics import loss
from npformer_course import Bet, exercise, yours

softmax = yours("softmax")
loss(gradient=False)

# %% [markdown]
# ## What does a prediction cost?
#
# In the picture *schalte* should come next. Five words have the scores $z$ = 2, 1, 0, -1, 0, and softmax turns them
# into the probabilities $p$. Only one of these counts for the loss, that of the right word:
#
# $$L = -\ln p_{right}$$
#
# A word that was certain, $p = 1$, costs 0. Why a logarithm? The probability of a sentence is the product of those of
# its words, and the logarithm turns it into a sum, to which each word adds its own loss. With the natural logarithm the
# unit is the **nat**. A coin costs $\ln 2 = 0.69$ nats. A model that knows nothing and gives 825 tokens the same
# probability pays $\ln 825 = 6.72$ for each.
#
# In general the right answer is a distribution over all tokens, the **target** $q$. For now it is one-hot: 1 for the
# right token, 0 for the others. The loss is the **cross-entropy**:
#
# $$L = -\sum_v q_v \ln p_v, \qquad \ln p_v = z_v - \ln \sum_u e^{z_u}$$
#
# The second formula is there for a reason. Where a score is 800 below the others, $p$ is rounded to 0, and the logarithm
# of 0 is infinite. So never take the logarithm of $p$.
#
# **Write it** for one position. As in softmax, subtract the largest score from all of them first: $e^{800}$ is
# infinite, too.


# %%
def cross_entropy(z, q):
    """Return the loss, one number: -sum_v q_v ln p_v, where p is the softmax of the scores.

    z (V,): the scores. q (V,): the target distribution, not negative, with the sum 1. Neither is
    changed.
    """
    raise NotImplementedError


# %%
cross_entropy = exercise("loss_gradient").check(cross_entropy)

# %%
words = ["schalte", "drehe", "Radio", "neue", "aus"]
z = np.array([2.0, 1, 0, -1, 0])
q = np.array([1.0, 0, 0, 0, 0])
compare(cross_entropy(z, q), 0.524, "loss in nats")  # change a score: which ones make the loss larger?

# %% [markdown]
# Now the translator, on the sentence of the course. At each of ten positions it scores the next token, and the right one
# has the highest score at all ten.

# %%
sentence = CourseSentence()
logits = sentence.arrays("generator")["output"]  # (10, 825)
ids = sentence.batch.tgt_out[0]  # (10,), the right tokens
T, V = logits.shape
onehot = np.eye(V)[ids]  # (10, 825)

of_right = softmax(logits)[np.arange(T), ids]
losses = np.array([cross_entropy(logits[t], onehot[t]) for t in range(T)])
show_arrays(**{"p of the right token": of_right, "loss in nats": losses}, columns=sentence.target_tokens)

# %% [markdown]
# The mean of $p$ is 0.88, and the mean loss 0.128 nats: that is the "loss per token" of every curve in this course.
#
# The translator is right ten times out of ten, and after *aus* only a period can come. Still it never gives more than
# 0.93. Training asked for that, as notebook 01 said. How does one ask for it? Keep the question for a moment.
#
# ## The gradient
#
# Which way should each score move? Insert the formula for $\ln p_v$ into the loss. The $q_v$ add up to 1, so
#
# $$L = \ln \sum_u e^{z_u} - \sum_v q_v z_v$$
#
# Take your pencil: what is the derivative of the second term with respect to one score $z_j$? And of the first? (Its
# outer function is the logarithm, and $z_j$ is in one summand only. You know the fraction that comes out.)
#
# **Write it:** the gradient of the loss with respect to all scores of a position.


# %%
def gradient(z, q):
    """Return the gradient (V,) of `cross_entropy` with respect to the scores z (V,).

    q (V,): as above. Neither is changed.
    """
    raise NotImplementedError


# %%
gradient = exercise("loss_gradient").check(gradient)

# %%
dz = gradient(z, q)
show_arrays("p - target = dz", p=softmax(z), target=q, dz=dz, columns=words)

# %% [markdown]
# The gradients add up to 0: what the right word gains, the others lose together, each in proportion to its $p$. So
# *drehe*, the strongest rival, is pushed down most. No gradient is above 1, however large the loss is. And it does not
# vanish where the model is badly wrong: with $p_{right} = 0.0001$ the right score is pulled with 0.9999.
#
# In the sentence, *jeden* cost the most. Here are the eight tokens that its position moves most:

# %%
tokens = sentence.translator.target.tokens
place = losses.argmax()  # change it to another position, 0 to 9
dz = gradient(logits[place], onehot[place])
moved = np.abs(dz).argsort()[::-1][:8]
show_arrays(**{"p - q": dz[moved]}, columns=[tokens[i] for i in moved], decimals=4)

# %% [markdown]
# After *Ich schalte* a German could also continue with *das*. The translator thinks so too, and that token is pushed
# down most, though by little: 0.2 is spread over 824 tokens.
#
# ## Why it stops at 0.9: label smoothing
#
# No finite score gives $p = 1$, so a one-hot target pulls the right score up forever. The paper does not want a model
# that sure of itself. It takes $\varepsilon = 0.1$ from the right token, and spreads it over all $V$ tokens, the right
# one included. The rest stays: the loss is the cross-entropy, the gradient $p - q$.
#
# $$q_v = (1 - \varepsilon)\,[v = right] + \frac{\varepsilon}{V}$$
#
# **Write it** for a batch of right tokens. `np.eye(V)[ids]` is one-hot for ids of any shape.


# %%
def smooth_targets(targets, vocab_size, eps):
    """Return the smoothed targets q (B, T, V), V = vocab_size.

    targets (B, T): ids from 0 to V - 1. eps: how much is spread over all V tokens.
    """
    raise NotImplementedError


# %%
smooth_targets = exercise("label_smoothing").check(smooth_targets)

# %% [markdown]
# Let five scores follow their gradient, $z \leftarrow z - (p - q)$, with both targets. How far does *schalte* get above
# the others?

# %%
gaps = {}
for eps in (0.0, 0.1):  # change the 0.1 to 0.01: where does the score stop now?
    aim = smooth_targets(np.array([[0]]), 5, eps)[0, 0]  # (5,), the right token is number 0
    scores = np.zeros(5)
    gaps[eps] = []
    for _ in range(10_000):
        scores = scores - gradient(scores, aim)
        gaps[eps].append(scores[0] - scores[1])

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, main_color

figure, ax = new_figure(width=7, height=2.8)
for (eps, gap), style, color in zip(gaps.items(), ("--", "-"), (ORANGE, main_color()), strict=True):
    ax.plot(range(1, 10_001), gap, style, color=color, linewidth=2, label=f"eps = {eps:g}")
ax.set(xscale="log", xlabel="step", ylabel="score above the others")
ax.grid(alpha=0.3)
ax.legend()
figure

# %% [markdown]
# The one-hot target pulls the scores apart by another 2.3 for each tenfold number of steps, which makes every wrong word
# ten times less probable. The smoothed target lets go where $p = q$: with five words at $\ln (0.92 / 0.02) = 3.83$.
#
# That answers the question. The translator was trained with $\varepsilon = 0.1$ and $V = 825$. It is asked for 0.9001,
# and where it is sure it says about that: 0.91 for the period after *aus*. In the paper's words (5.4) this "hurts
# perplexity, as the model learns to be more unsure, but improves accuracy and BLEU score". (Perplexity is $e^{loss}$, and
# BLEU a score of translations, notebook 21.)
#
# With one-hot targets the mean loss of the ten positions was 0.128. Now take the same logits and smoothed targets.

# %%
bet = Bet("What is the mean loss with smoothed targets?", ["0.14", "0.23", "1.04"])
bet.place(...)

# %% [markdown]
# There is a price when you read a loss. Even where $p = q$, a smoothed loss is above 0. The lowest possible one is its
# **floor**.
#
# **Write it:** the floor for the smoothed target `q[0]`. Which scores give $p = q$? Your `cross_entropy` does the rest.

# %% tags=["hide-input"]
expected = floor_to_write(V)

# %%
q = smooth_targets(ids[None], V, 0.1)[0]  # (10, 825)
floor = ...  # one number
floor = expected.check(floor=floor)

# %%
smoothed = np.mean([cross_entropy(logits[t], q[t]) for t in range(T)])
compare(losses.mean(), 0.128, "loss, one-hot targets")
compare(smoothed, 1.041, "loss, smoothed targets")
bet.settle(f"{smoothed:.2f}")
compare(smoothed - floor, 0.0455, "the same above its floor")

# %% [markdown]
# Where does 1.04 come from? The right tokens give 0.9 times 0.128, which is 0.115. The other tenth is spread over all
# tokens, most of which the model finds very improbable: $-\ln p$ is 9.25 on average, and a tenth of it 0.925. At the floor
# nearly the same has to be paid.
#
# The same translator, the same sentence, two losses. Measure each from its floor, 0 and 0.995, and never compare losses
# with different $\varepsilon$.
#
# Footnote: tutorials spread $\varepsilon$ over all $V$ tokens, over the $V - 1$ wrong ones, or over $V - 2$, without
# padding too. Szegedy et al. (2016), whom the paper cites, take $V$, as here. The authors' tensor2tensor takes $V - 1$.
# With the paper's 37,000 tokens the targets differ in the sixth decimal place.
#
# ## A batch, and its padding
#
# In training, several sentences go through the model together, and the shorter ones are filled with `<pad>`, where there
# is nothing to predict. The loss of a batch is the **mean over its $N$ real positions**. So its gradient is that of each
# position divided by $N$, and 0 where there is padding. Here are the sentence and a shorter one:

# %%
from npformer.tasks import TranslationBatch

encode_source = sentence.translator.source.encode
encode_target = sentence.translator.target.encode
batch = TranslationBatch.of(
    [encode_source("I turn off the new radio every day."), encode_source("I turn off the radio.")],
    [encode_target("Ich schalte jeden Tag das neue Radio aus."), encode_target("Ich schalte das Radio aus.")],
)
batch_logits = sentence.model.forward(batch.src, batch.tgt_in)  # (2, 10, 825)
batch_q = smooth_targets(batch.tgt_out, V, 0.1)  # (2, 10, 825)
real = batch.tgt_out != 0  # (2, 10), False where there is padding
N = real.sum()  # 17

# %% [markdown]
# **Write it:** the gradient with respect to all logits. `real[..., None]` has the shape (2, 10, 1).

# %%
blank = exercise("label_smoothing").on(logits=batch_logits, q=batch_q, real=real)
dlogits = ...  # (2, 10, 825)
dlogits = blank.check(dlogits=dlogits)

# %% tags=["hide-input"]
shown = ["Ich", "schalte", "jeden", "Tag", "das", "die", "neue", "Radio", "aus", ".", "<eos>", "<pad>"]
columns = [tokens.index(token) for token in shown]
grids = {"the sentence": dlogits[0][:, columns], "the shorter one": dlogits[1][:, columns]}
rows = {name: [tokens[i] for i in row] for name, row in zip(grids, batch.tgt_out, strict=True)}
show_arrays(**grids, rows=rows, columns=shown, decimals=3)

# %% [markdown]
# Each row is a position with its right token, each column one of the 825 logits. Where the gradient is negative, purple,
# the logit rises, and where it is brown, it falls. Some right tokens are brown, such as *das* with $p = 0.93$: where the
# translator gives more than 0.9001, smoothing pushes it down again. The darkest is $(0.80 - 0.90) / 17 = -0.0059$. The
# last three rows are padding, and 0.
#
# This array is the `dy` of the last layer, which the code calls generator: $z = x E^\top$ of notebook 08. From here on
# backward is what you know from notebooks 09 to 13.
#
# ## Two questions
#
# **1.** Why not the square $(1 - p_{right})^2 / 2$ as a loss? It is 0 for a perfect model, too.
#
# <details><summary>Answer</summary>
#
# Its derivative with respect to the right score is $-(1 - p)\,p\,(1 - p)$, with $p = p_{right}$: softmax's own
# derivative $p (1 - p)$ is still there. Where the model is badly wrong, $p$ is almost 0, and so is the gradient. It
# would learn least where it has most to learn. The logarithm has $1/p$ in its derivative, which removes this factor.
#
# </details>
#
# **2.** The loss of a translator on held-out sentences rises for an hour, while it gets more words right. How can that
# be? (Held out: it was not trained on them.)
#
# <details><summary>Answer</summary>
#
# A word is right if its $p$ is the largest, by however little. The loss looks at $p$ itself. A model that grows more
# confident gains little where it is right, and pays much where it is wrong. $p_{right}$ from 0.1 to 0.001 costs 4.6 nats
# more, which is what 44 words gain that go from 0.9 to 0.999. A one-hot target invites this, a smoothed one less.
#
# </details>

# %% [markdown]
# **You can now**
#
# - compute a loss in nats from any scores, and say what 0.128, 0.69 and 6.72 nats mean;
# - write its gradient, $p - q$, for one position and for a batch with padding;
# - say why a model trained with $\varepsilon = 0.1$ says 0.9 where it is sure, and that its loss has a floor.
#
# Next: [notebook 15](15_adam_and_warm_up.ipynb): now every number of the model has a gradient. How far should each move?
# Detour: [14b](14b_where_the_loss_starts.ipynb), why an untrained model may start at twice $\ln V$.
#
# The exercise label_smoothing also asks for the loss of a batch. tied_generator asks for the layer that makes the logits.
