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
# # 19 Decoding
#
# **The idea.** A trained model gives a probability to every sentence. Decoding is the search for a good one, and the
# word that looks best now can lead away from it.
#
# Paper: section 6.1, and the opening of section 3 for why tokens come one at a time. Before this: notebook 16, one
# training step. About 25 minutes to read and run, 40 with every change and question.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from npformer.text import BOS, EOS, Vocabulary

# %% [markdown]
# ## A model with an opinion that you can check
#
# "Guten Tag" has many good translations. Suppose that 100 people translate it, and 100 people translate "danke". The
# counts below say how many choose which words. A small Transformer is trained on these 200 pairs until it gives each
# sentence the share that it has in the data. Labels are not smoothed here, so that the shares come out as they are.

# %%
PEOPLE = {
    "guten tag": {"good day": 16, "good morning": 12, "good evening": 12, "hello there": 20, "hello friend": 13}
    | {"how do you do": 27},
    "danke": {"thanks": 34, "thank you very much": 31, "thank you so much": 15, "many thanks": 20},
}
lines = [(german, english) for german, said in PEOPLE.items() for english, n in said.items() for _ in range(n)]
vocabulary = Vocabulary.build(line for pair in lines for line in pair)
V = len(vocabulary)
config = npf.TransformerConfig.tiny(
    src_vocab_size=V, tgt_vocab_size=V, d_model=32, d_ff=64, n_encoder_layers=1, n_decoder_layers=1, dropout=0.0
)
model = npf.Transformer(config, rng=0)
rate = npf.training.WarmupSchedule.with_peak(0.005, config.d_model, 30)
adam = npf.training.Adam(model.parameters(), learning_rate=rate)
batches = npf.tasks.Batches([tuple(map(vocabulary.encode, pair)) for pair in lines], batch_tokens=2000)
trainer = npf.training.Trainer(npf.tasks.Objective(model, label_smoothing=0.0), adam, batches)
losses = [record.loss for record in trainer.updates(200)]  # change this to 20, run it and the next cell: a check fails
model.eval()
print(f"{len(lines)} pairs, {V} tokens, {len(losses)} updates; loss from {losses[0]:.2f} to {losses[-1]:.3f} nats")

# %% [markdown]
# ## Every sentence, and its probability
#
# The decoder is asked for one token after the other. The probability of a whole sentence $Y = (y_1, \dots, y_n)$, with
# $y_n$ = `<eos>`, is a product:
#
# $$P(Y \mid X) = \prod_{t=1}^{n} P(y_t \mid y_1, \dots, y_{t-1}, X)$$
#
# No factor is above 1. A sentence is therefore never more probable than its beginning. This makes a complete search
# possible: follow every beginning with $P \ge 0.001$, drop the others, and no sentence of $0.001$ or more is missed.


# %%
from npformer.layers import Softmax


def source(german):
    return np.array([[*vocabulary.encode(german), EOS]])  # (1, S)


def next_probabilities(german, prefix):
    logits = model.forward(source(german), np.array([[BOS, *prefix]]))  # (1, T, V)
    return Softmax().eval().forward(logits[0, -1])  # (V,)


def all_sentences(german, at_least=0.001):
    found, beginnings = {}, [((), 1.0)]
    while beginnings:
        prefix, p = beginnings.pop()
        for token, q in enumerate(next_probabilities(german, prefix)):
            if p * q >= at_least and token == EOS:
                english = vocabulary.decode(prefix)  # without <pad> and the like, so two prefixes can read the same
                found[english] = found.get(english, 0.0) + float(p * q)
            elif p * q >= at_least:
                beginnings.append(((*prefix, token), p * q))
    return dict(sorted(found.items(), key=lambda item: -item[1]))


greetings = all_sentences("guten tag")  # change this to all_sentences("guten tag", 0.0003): what else can it say?
for english, p in greetings.items():
    print(f"{p:.4f}  {english}")
assert all(abs(greetings[english] - n / 100) < 0.02 for english, n in PEOPLE["guten tag"].items())
assert next(iter(greetings)) == "how do you do"

# %% [markdown]
# ## Greedy decoding takes the wrong road
#
# Greedy decoding takes the most probable next token, every time:
# $y_t = \arg\max_v P(v \mid y_1, \dots, y_{t-1}, X)$. Guess from the counts in `PEOPLE`, before you look at the tree:
# what will it say, and is that the most probable sentence?

# %%
from npformer.decoding import greedy_decode

phrase = "guten tag"  # change this to "danke" and run this cell and the next two again
[ids] = greedy_decode(model, source(phrase))
greedy = vocabulary.decode(ids)
sentences = all_sentences(phrase)
best = next(iter(sentences))

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREEN, GREY, ORANGE, main_color


def draw_tree(ax, german, paths):
    leaves = iter(range(100))

    def draw(prefix, p):  # returns the height at which the node stands
        following = [(t, q) for t, q in enumerate(next_probabilities(german, prefix)) if p * q >= 0.01]
        heights = []
        for token, q in sorted(following, key=lambda pair: -pair[1]):
            ends = token == EOS
            height = float(next(leaves)) if ends else draw((*prefix, token), p * q)
            heights.append((height, token, q, ends))
        own = np.mean([height for height, *_ in heights])
        for height, token, q, ends in heights:
            words = vocabulary.decode((*prefix, token) if not ends else prefix).split()
            colors = [c for sentence, c in paths.items() if sentence.split()[: len(words)] == words]
            color = colors[0] if colors and (not ends or words in map(str.split, paths)) else GREY
            ax.plot([len(prefix), len(prefix) + 1], [own, height], color=color, linewidth=1 + 9 * p * q, zorder=1)
            plain = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            middle = {"ha": "center", "va": "center", "color": "black", "fontsize": 8, "bbox": plain}
            ax.text(len(prefix) + 0.55, 0.45 * own + 0.55 * height, f"{q:.2f}", **middle)
            name = f"P = {p * q:.2f}" if ends else vocabulary.tokens[token]
            box = {"boxstyle": "round", "facecolor": "white", "edgecolor": color}
            ax.text(len(prefix) + 1, height, name, ha="center", va="center", bbox=box, color="black")
        return own

    top = draw((), 1.0)
    ax.text(0, top, german, ha="center", va="center", color="black", bbox={"boxstyle": "round", "facecolor": "0.9"})
    ax.set(xlim=(-0.4, 5.4), ylim=(next(leaves) - 0.5, -0.6))
    ax.set_axis_off()


figure, ax = new_figure(width=9, height=4.4)
draw_tree(ax, phrase, {greedy: ORANGE, best: main_color()})
ax.set_title("Orange: what greedy decoding says. Blue: the most probable sentence")
figure

# %%
first = next_probabilities(phrase, ())
first_words = ", ".join(f"{vocabulary.tokens[token]} {first[token]:.2f}" for token in np.argsort(-first)[:3])
print(f"first word:  {first_words}")
print(f"greedy:      {greedy!r}, P = {sentences[greedy]:.2f}")
print(f"best:        {best!r}, P = {sentences[best]:.2f}")
assert sentences[greedy] < sentences[best] and (phrase == "danke" or greedy == "good day")

# %% [markdown]
# "good" is the most probable first word, and "how" the least probable of three. But "good" must then share its probability
# among three endings, while "how do you do" loses nothing on its way. Greedy decoding cannot know: it never looks at
# what comes after a word, and never goes back.

# %% [markdown]
# ## Beam search keeps several roads open
#
# Beam search carries the $K$ best beginnings along side by side (they are called *hypotheses*). At each step it lengthens
# every one of them by every token and sorts all of these by probability. Those among the best $K$ that end are finished;
# the best $K$ that do not end stay open. It stops when no open beginning is more probable than the best finished sentence.


# %%
def beam_by_hand(german, beam):
    """Return the sentence that beam search finds, and its probability."""
    beginnings, finished = [((), 1.0)], [("", 0.0)]
    while beginnings[0][1] > finished[0][1]:
        longer = []
        for prefix, p in beginnings:
            for token, q in enumerate(next_probabilities(german, prefix)):
                longer.append(((*prefix, token), p * float(q)))
        longer.sort(key=lambda pair: -pair[1])
        finished += [(vocabulary.decode(ids[:-1]), p) for ids, p in longer[:beam] if ids[-1] == EOS]
        finished.sort(key=lambda pair: -pair[1])
        beginnings = [(ids, p) for ids, p in longer if ids[-1] != EOS][:beam]
    return finished[0]


for beam in (1, 2, 3, 4):  # change this to (5, 20) and run it again
    english, p = beam_by_hand("guten tag", beam)
    print(f"beam {beam}:  P = {p:.2f}  {english}")

# %% [markdown]
# `beam_search` of npformer does the same for a batch of sentences at once, on logarithms, and with the length penalty that
# comes next; `alpha=0` turns it off. The paper has $K = 4$.

# %%
from npformer.decoding import beam_search


def searched(german, beam, alpha):
    [[best]] = beam_search(model, source(german), beam=beam, alpha=alpha)
    return vocabulary.decode(best.ids), float(np.exp(best.log_probability))


for german in PEOPLE:
    for beam in (1, 2, 3, 4):
        (english, p), (by_library, q) = beam_by_hand(german, beam), searched(german, beam, alpha=0)
        print(f"{german:9} beam {beam}:  by hand {english!r}, by the library {by_library!r}")
        assert english == by_library and np.isclose(p, q, rtol=1e-4)

# %% tags=["hide-input"]
assert searched("guten tag", 1, 0)[0] == "good day"
assert searched("guten tag", 2, 0)[0] == "hello there"
assert searched("guten tag", 3, 0)[0] == searched("guten tag", 4, 0)[0] == "how do you do"

# %% [markdown]
# Tutorials often say that beam search finds the most probable sentence. These cells settle it: with two beams it
# does not. "how" was third after the first step and fell out. A beam is a wider guess, not a proof. It is enough here
# from three on.

# %% [markdown]
# ## Without a length penalty, short sentences win
#
# Every further token multiplies by a number of at most 1, so $\log P$ can only sink. A search for the highest
# $\log P$ leans towards sentences that stop early. "danke" shows it:

# %%
thanks = all_sentences("danke")
for english, p in thanks.items():
    print(f"log P = {np.log(p):.2f}  |Y| = {len(english.split()) + 1}  {english}")
assert next(iter(thanks)) == "thanks"

# %% [markdown]
# The paper takes the score of Wu et al. 2016 (equation 14), with $\alpha = 0.6$:
#
# $$s(Y) = \frac{\log P(Y \mid X)}{lp(Y)}, \qquad lp(Y) = \left(\frac{5 + |Y|}{6}\right)^{\alpha}$$
#
# $|Y|$ counts the tokens that were generated, `<eos>` too. $\log P$ is below 0: to divide it by more lifts it. Many
# toolkits divide by $|Y|^\alpha$ instead. It is the same idea, but the same $\alpha$ does not mean the same there:
# look at what each makes of two tokens and of five.

# %%
wu, plain = ((10 / 6) / (7 / 6)) ** 0.6, (5 / 2) ** 0.6
print(f"lp of 5 tokens over lp of 2, alpha 0.6: Wu et al. {wu:.2f}, plain |Y|^alpha {plain:.2f}")

alphas = np.linspace(0, 1, 41)  # change the 1 to 5 and run this cell and the next again
winners = [searched("danke", 4, alpha)[0] for alpha in alphas]
for winner in dict.fromkeys(winners):  # each once, in the order in which they win
    print(f"from alpha {alphas[winners.index(winner)]:.2f}: {winner[:60]}")

# %% tags=["hide-input"]
figure, ax = new_figure(width=9, height=3.8)
for (english, p), color in zip(thanks.items(), (ORANGE, main_color(), GREEN, GREY), strict=True):
    n = len(english.split()) + 1
    scores = np.log(p) / ((5 + n) / 6) ** alphas
    won = np.array([winner == english for winner in winners])
    ax.plot(alphas, scores, color=color, linewidth=2, label=f"{english} (|Y| = {n})")
    ax.plot(alphas[won], scores[won], "o", color=color, markersize=5)
ax.set(xlabel="alpha", ylabel="score", xlim=(0, alphas[-1]), title="Dots: the sentence that beam search returns")
ax.grid(alpha=0.3)
ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
turn = float(alphas[winners.index("thank you very much")])
lengths = [len(winner.split()) + 1 for winner in winners]
assert winners[0] == "thanks" and searched("danke", 4, 0.6)[0] == "thank you very much"
assert lengths == sorted(lengths)  # the more penalty, the longer
assert wu < plain and 0 < turn < 0.6
figure

# %% [markdown]
# So what do you want, the most probable sentence or the better translation? These are two questions. The model answers the
# first, and the penalty is a correction by hand: 0.6 was chosen on held-out data (section 6.1).
#
# In real models the two disagree more, the better one searches. Koehn and Knowles (2017) measured that wide beams make
# BLEU *worse*. Stahlberg and Byrne (2019) found the most probable translation of every sentence of a test set: for more
# than half of them it was the empty one. So a narrow beam is not only cheaper: what it misses is often worse.
#
# A third way does not search at all. It draws each token at random, the more probable the more often, from
# $\mathrm{softmax}(z / \tau)$: the logits $z$ are divided by a *temperature* $\tau$ first, and below 1 the likely tokens gain.
# [Notebook 24](24_generating_text.ipynb) writes texts so.

# %% [markdown]
# ## Three questions
#
# **1.** A search has finished a sentence with $\log P = -1.2$, and $\alpha = 0$. The best open beginning has
# $\log P = -1.5$. Must it continue?
#
# <details><summary>Answer</summary>
#
# No. An open beginning can only sink further, and no penalty lifts it. With $\alpha > 0$ one has to be more careful:
# the beginning could gain by growing. `beam_search` therefore divides its $\log P$ by the penalty of the longest
# sentence allowed, and stops when even that would not win.
#
# </details>
#
# **2.** What does a very large $\alpha$ do, say 5, with "danke"? Guess, then try `searched("danke", 4, 5.0)`.
#
# <details><summary>Answer</summary>
#
# The search runs to the length limit, 52 tokens here: "thank you very much you very much you very much ..." Its
# probability is next to nothing, but the penalty of 52 tokens, $(57/6)^5$, divides it away. Too much penalty is as bad
# as none, and a model that can always add a likely word meets this sooner.
#
# </details>
#
# **3.** A model has 37,000 tokens and writes a sentence of 20. How many prefixes must it read with greedy decoding, with beam
# search of $K = 4$, and to look at every sentence of 20 tokens? And why could `all_sentences` finish?
#
# <details><summary>Answer</summary>
#
# Greedy decoding reads 20, one per token, and beam search four times as many, less three: the first step has one beginning alone. All
# sentences have $1 + V + V^2 + \dots + V^{19}$ prefixes, about $10^{87}$.
#
# `all_sentences` drops what is below 0.001. The beginnings of one length have probabilities that sum to 1 at most, so no more
# than 1,000 of them can have 0.001 or more. A sentence of 20 tokens of a real model is far below 0.001, and nothing would be found.
#
# </details>

# %%
english, p = searched("danke", 4, 5.0)
assert len(english.split()) in (51, 52) and p < 1e-20 and english.startswith("thank you very much you")
prefixes = {"greedy": 20, "beam": 1 + 4 * 19, "all": sum(37_000**t for t in range(20))}
assert prefixes["beam"] == 4 * prefixes["greedy"] - 3 and round(np.log10(float(prefixes["all"]))) == 87

# %% [markdown]
# Each of these prefixes was read from its first token again, although it differs from one that was read before in its last token
# alone.
#
# Next: [notebook 25](25_kv_cache.ipynb), the cache that makes this unnecessary.
#
# Write it yourself: exercises greedy, beam. `npformer course start my-course` begins the course.
