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
# # 17 Train it
#
# *Part II, Learn it. Before: [16](16_one_training_step.ipynb). Next: [18](18_debugging_a_training.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# In notebook 08 your functions translated a sentence, with 286,272 parameters that somebody else had found. Now you have
# what finds them: a backward for every layer, a loss, Adam, and the step that joins them. Today all parameters begin as
# random numbers.
#
# **After this you can** train a model made of your own parts; read a loss by what a model with this loss knows; tell
# whether a model has learned a rule or memorized its examples.
#
# Paper: figure 1 and section 5. About 35 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import own_training
from helpers.compare import compare
from helpers.expected import Expected
from helpers.floors import frequent_to_write
from helpers.schematics import learning_curve
from npformer_course import Bet

learning_curve()

# %% [markdown]
# ## Your parts, in the model
#
# Each function that you have written and that was right is kept in the folder `my-transformer`. The next line puts them
# all into npformer's layers: until the end of this notebook forward, backward, loss, Adam and warm-up are yours where
# you have written them, and npformer's where you have not.

# %%
own_training.use_own_parts()

# %% [markdown]
# Write more of them in their notebooks, run this one again, and the list of yours grows. The model must learn the same.
#
# ## A language that you can check
#
# To see at once whether a translation is right, begin with a language that has a rule: a sentence is a row of four to
# ten digits, and its translation is the same row read from the right. The model gets 10,000 pairs. 500 others are **held
# out**: it never sees them while it learns.

# %%
reverse = own_training.new_run(
    "reverse",
    d_model=32,
    d_ff=64,
    n_heads=4,
    n_encoder_layers=1,
    n_decoder_layers=1,
    batch_tokens=256,
    learning_rate=0.01,
    warmup_steps=100,
    epochs=3,
)
sources = [pair.source for pair in reverse.held_out]
targets = [pair.target for pair in reverse.held_out]
sources[:3], targets[:3], reverse.predictor().translate(sources[0], beam=1)

# %% [markdown]
# The last string is the model's answer to the first row, and it is empty. With random parameters the model repeats
# `<bos>`, the token that it has just read, and special tokens belong to no sentence.
#
# What will its loss be? A model that knows nothing gives each of the $V = 14$ tokens (ten digits and four special ones)
# the same probability, and pays $\ln 14 = 2.64$ nats. A model that is sure of everything pays the floor of notebook 14,
# 0.547. There is something between: a model that knows *how often* each token comes, and nothing of the sentence. It
# gives the same $p$ at every position. Which one? Its loss is the mean of $-\sum_v q_v \ln p_v$ over all positions, that
# is, the cross-entropy of the mean target, and it is lowest where $p$ is this mean target:
#
# $$\bar q_v = (1 - \varepsilon)\, f_v + \frac{\varepsilon}{V}, \qquad f_v = \text{share of the tokens that are } v$$
#
# **Write it:** its loss, from `counts` (14,), which says how often each token has to be predicted.

# %% tags=["hide-input"]
expected = frequent_to_write(own_training.token_counts(reverse))

# %%
counts = own_training.token_counts(reverse)  # (14,)
eps = 0.1
V = 14
frequent = ...  # one number; a line before it may help
frequent = expected.check(frequent=frequent)

# %% [markdown]
# Now train. Each update is the step of notebook 16, on another 256 tokens. Three epochs, that is, three times through
# all pairs, take some seconds.

# %%
losses = []
for update in reverse.updates():
    losses.append(update.loss)

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import ORANGE, ink, main_color
from npformer.visualization.plots.curves import running_mean


def draw_losses(losses, levels, n_mean):
    """Draw a loss, smoothed over some updates, with levels by their names."""
    figure, ax = new_figure(width=7, height=3.4)
    ax.plot(running_mean(losses, n_mean), color=main_color(), linewidth=2)
    for name, level in levels.items():
        ax.axhline(level, color=ink(), linewidth=1, linestyle="--")
        below = name in ("knows how often each token comes", "floor")
        place = {"xy": (0.995, level), "xycoords": ax.get_yaxis_transform(), "ha": "right"}
        ax.annotate(name, **place, va="top" if below else "bottom", fontsize=9)
    ax.set(xlabel="update", ylabel="loss per token (nats)", ylim=(0, None), xlim=(0, len(losses)))
    return figure, ax


floor = own_training.floor_of(reverse)
levels = {"knows nothing": np.log(V), "knows how often each token comes": frequent, "floor": floor}
figure, ax = draw_losses(losses, levels, 5)
figure

# %% [markdown]
# The first loss is above $\ln 14$, because a fresh model is sure of wrong things. Within 20 updates it has unlearned that
# and comes to your line. There it stays for some thirty updates: it knows how often each token comes, and has not found
# out that the encoder has anything to say. Then it begins to look. (The bumps are updates that went too far, and were
# repaired. The rate is high, because you are waiting.)
#
# ## A rule, or 10,000 examples?
#
# A low loss could have two reasons. The 500 rows that the model has never seen tell them apart.
#
# **Write it:** the share of the rows that come out exactly right, from two lists of strings.

# %%
translator = reverse.predictor()
outputs = translator.translate(sources, beam=1)

# %% tags=["hide-input"]
expected = Expected(share=own_training.share_right(outputs, targets))

# %%
share = ...  # from outputs and targets
share = expected.check(share=share)

# %%
compare(float(share), 0.98, "share of held-out rows that are right", tolerance=0.03)
compare(np.mean(losses[-20:]) - floor, 0.01, "loss above its floor", tolerance=1)

# %% [markdown]
# Nobody has told the model how to reverse a row. How does it do it? The only way from the source to the target is
# cross-attention. Take the row 3 1 4 1 5 9. Before you look: to write the first digit, which position of the source (0
# to 5) must it look at? And for the others?
#
# **Write it:** the position, 0 to 5, for each of the six digits that it writes.

# %%
places = ...  # six numbers
places = own_training.PLACES.check(places=places)

# %% tags=["hide-input"]
from matplotlib.patches import Rectangle

from helpers.pictures import show_attention
from npformer.visualization import sentence_attention

looked = sentence_attention(translator, "3 1 4 1 5 9")  # change the digits
weights = looked.cross[0].mean(0)  # (T, S), the mean of four heads
figure = show_attention(weights, looked.written, looked.source, title="cross-attention, mean of the heads")
for t, place in enumerate(places):
    frame = Rectangle((place - 0.5, t - 0.5), 1, 1, fill=False, edgecolor=ORANGE, linewidth=2)
    figure.axes[0].add_patch(frame)
figure

# %% [markdown]
# Each row is a digit that it writes, each column one that it reads, and the frames are yours. It has found the *places*:
# there are two ones in the row, and each time it looks at the one that it needs.
#
# So it has a rule. Is it yours? It has seen rows of up to ten digits. Give it 200 rows of twelve.

# %%
bet = Bet("How many of 200 rows of twelve digits come out right?", ["none", "about half", "nearly all"])
bet.place(...)

# %%
rng = np.random.default_rng(0)
longer = [" ".join(row) for row in rng.choice(list("0123456789"), (200, 12))]
outputs_of_longer = translator.translate(longer, beam=1)
n_right = sum(digits == row[::-1] for row, digits in zip(longer, outputs_of_longer, strict=True))
bet.settle(["none", "about half", "nearly all"][round(n_right / 100)])
longer[0], longer[0][::-1], outputs_of_longer[0]

# %% [markdown]
# A row, what should come out, and what did: it leaves digits out, and stops. Of the 200 outputs 193 have ten or eleven
# digits.
#
# It has learned what the examples show, at the lengths that they show. In training no source had a digit at position
# 10, and none had anything at position 11. "Reverse it" is your rule. The model's is a list of places.
#
# ## And now German
#
# The same parts, with the sizes of the translator that ships, and 20,000 pairs of sentences. Ours is not among them.
# The learning rate was found by trying: with a peak of 0.002, 0.005 and 0.01, 400 updates got 77, 110 and 121 of 200
# held-out sentences right. The 400 updates take about 20 seconds, and up to twice that with your functions.

# %%
german = own_training.new_run("phrasebook", learning_rate=0.01, warmup_steps=100, epochs=2)
german_losses = []
samples = {}
for update in german.updates():
    german_losses.append(update.loss)
    if update.step in (50, 100, 200, 300, 400):
        translator = german.predictor()
        [samples[update.step]] = translator.translate(["I turn off the new radio every day."], beam=1)
        print(f"{update.step}  loss {update.loss:.2f} (floor 0.995)  {samples[update.step]}")
    if update.step == 400:
        break

# %% tags=["hide-input"]
from helpers.schematics.learning_curve import losses_of_guesses
from npformer.datasets.shipped import read_pairs

names = ("knows nothing", "knows which words are frequent", "knows which word follows which", "floor")
guesses = losses_of_guesses([pair.target for pair in read_pairs("phrasebook")[:4000]], 825)
figure, ax = draw_losses(german_losses, dict(zip(names, guesses, strict=True)), 10)
for step, sample in samples.items():
    loss = np.mean(german_losses[step - 10 : step])
    ax.plot(step - 1, loss, "o", color=ORANGE)
    words = sample.split()
    text = sample if len(words) < 10 else " ".join(words[:5]) + " ..."
    if step < 400:
        ax.annotate(text, (step + 3, loss + 0.15), fontsize=8)
    else:
        ax.annotate(text, (step - 4, loss - 0.12), ha="right", va="top", fontsize=8)
ax.set_xlim(0, 450)
figure

# %% [markdown]
# This is the picture at the top, measured. Below the second line the model writes the words that are frequent: *Ich Ich
# Ich, dass dass dass*. Near the third it writes German: *Ich muss deine Lampe ausschalten*, I have to turn off your lamp.
# The grammar is right, with *muss* and the verb at the end, and it is hardly about our sentence: these are the sentences
# of a model that knows which word follows which. Only then does it read. At 200 something is not turned on, at 300 it is
# the radio, every day, and at last it is new.
#
# First the language, then the meaning. With your functions you may get other words, and so may another machine: floats
# are rounded in another order, and hundreds of updates magnify the difference. Other random parameters once wrote, at
# 250, *Ich füttere jeden Tag das neue Tür aus*: I feed the new door every day.

# %%
pairs = german.held_out[:100]
outputs = translator.translate([pair.source for pair in pairs], beam=1)
share_of_german = own_training.share_right(outputs, [pair.target for pair in pairs])
compare(share_of_german, 0.6, "share of 100 held-out sentences that are right", tolerance=0.25)
translator.translate(["The dog sleeps.", "She reads a book."], beam=1)  # change them

# %% [markdown]
# **The capstone.** This was the first eighth of a training. The whole one is a command in a terminal, in the folder that
# keeps your functions:
#
# ```console
# $ cd my-transformer
# $ npformer course train                # digits, in a minute or two
# $ npformer course train phrasebook     # German: 8 epochs, 3,152 updates, about four minutes
# ```
#
# It checks your functions, says which parts are yours and which npformer's, and prints the loss with its floor. The
# second command keeps a checkpoint every 100 updates: after Ctrl-C the same command continues. At the end it translates
# the sentence. ([Run your own Transformer](../docs/how_to/your_transformer.md) has the list of parts.) When it prints
# *Ich schalte jeden Tag das neue Radio aus*, leave the terminal open for a while. Nobody gave this translator its
# parameters: functions that you wrote found them, by gradients that you derived.
#
# ## Three questions
#
# **1.** What would a first loss of 20 tell you, with the vocabulary of 825 tokens?
#
# <details><summary>Answer</summary>
#
# Knowing nothing costs $\ln 825 = 6.7$. A fresh model that pays 20 gives the right token $e^{-20}$ on average: it is
# very sure of wrong things, so its logits start far too large. Compare the first loss of every new model with $\ln V$.
#
# </details>
#
# **2.** After one epoch of German, the loss of the last updates is 1.39, and that of the held-out sentences 0.40. Is the
# model better at sentences that it has never seen?
#
# <details><summary>Answer</summary>
#
# The two are different losses. In training labels are smoothed, and the floor is 0.995. The held-out loss is without
# smoothing, and a model that gives exactly the smoothed probabilities pays $-\ln 0.9001 = 0.105$. So they are 0.40 and
# 0.29 above what they aim at, and even that compares two scales. To know, compute both with the same labels.
#
# </details>
#
# **3.** In the language "sort" the translation of a row is the same digits in order. What does the map of
# cross-attention look like for a model that has learned it? Decide, then replace `"reverse"` by `"sort"` and run the
# cells up to the map.
#
# <details><summary>Answer</summary>
#
# No fixed line: the smallest digit may be anywhere, so each row has its own map, and a written digit looks at the
# positions where such digits are. Where a digit comes twice the model has to count, and that is what it gets wrong
# longest.
#
# </details>

# %% [markdown]
# **You can now**
#
# - train a model that runs your own functions, from random parameters;
# - say what a model with a given loss knows, and how far it is from its floor;
# - show with held-out examples, and with longer ones, which rule a model has learned.
#
# Next: [notebook 18](18_debugging_a_training.ipynb), what to do when the curve looks fine and the model is not. Detour:
# [17b](17b_what_each_part_is_for.ipynb) takes one part out at a time. Exercise: encoder_training, an encoder and its
# training loop from the first line to the last; `npformer course start my-course` writes it.
