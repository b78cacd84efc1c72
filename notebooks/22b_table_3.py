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
# # 22b Reading table 3
#
# **The idea:** a table of experiments says as much as its error bars allow. Here is the paper's table 3 in miniature,
# with three seeds per row, and what can be concluded from three.
#
# Paper: section 6.2, table 3. About 25 minutes to read and run, 35 with every change and question. What you need
# before: [notebook 04](04_many_heads.ipynb) and [notebook 14](14_the_loss.ipynb), for what heads, dropout and label
# smoothing are. Nothing is trained: the results are those in `docs/explanation/results.md`, of 63 runs that took half
# an hour. `npformer ablate` makes the table again.

# %%
# %matplotlib inline
import numpy as np

from helpers.pictures import side_by_side

rng = np.random.default_rng(0)

# %% [markdown]
# ## The table
#
# The base model is small (3+3 layers, $d_{model} = 64$, 8 heads), and it learns 1,000 pairs of the phrasebook: so few
# that it is far from perfect and differences show. Each other row changes one thing: A the number of heads, B $d_k$, C
# sizes, D dropout and label smoothing, E positions. F, initial weights, is not in the paper. For each row there are the
# mean and the standard deviation of three runs with seeds 0, 1 and 2. The folded cell reads them from lines such as
# this one, where the paper's perplexity and BLEU are last:
#
#     | A | h 1, d_k 64, d_v 64 | 399 | 3 | 1.488 ± 0.051 | 79.6 ± 1.5 | 5.29, 24.9 |

# %% tags=["hide-input"]
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

from helpers import pictures


class Row(NamedTuple):
    """A row of the table: what was changed, our scores, and the paper's, or None."""

    letter: str
    change: str
    perplexity: float
    perplexity_deviation: float
    bleu: float
    bleu_deviation: float
    paper_bleu: float | None


def read_table():
    """Return the rows of table 3 in docs/explanation/results.md."""
    page = (Path(pictures.__file__).parents[3] / "docs" / "explanation" / "results.md").read_text(encoding="utf-8")
    rows = []
    for line in page[page.index("## Table 3") :].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 7 and "±" in cells[4]:
            perplexity, bleu, paper = (re.findall(r"[\d.]+", cell) for cell in cells[4:])
            rows.append(Row(*cells[:2], *map(float, perplexity + bleu), float(paper[1]) if paper else None))
    return rows


# %%
base, *rows = read_table()
base = base._replace(change="base")
print(f"rows: {len(rows)} and the base")
for row in [base, *rows[:5], rows[13]]:  # change this to [base, *rows[6:14]] and run it again
    paper = "" if row.paper_bleu is None else f"paper {row.paper_bleu}"
    print(f"{row.letter:5} {row.change:28} BLEU {row.bleu:5.1f} ± {row.bleu_deviation:.1f}   {paper}")

# %% tags=["hide-input"]
assert len(rows) == 20 and base.letter == "base" and rows[13].change == "dropout 0.0"

# %% [markdown]
# ## Is one row different from base?
#
# Row A with one head has a higher BLEU than base. Each mean of $n = 3$ runs is known up to $s / \sqrt{n}$; the
# difference of two means up to
#
# $$\mathrm{se} = \sqrt{\frac{s_1^2 + s_2^2}{n}}, \qquad t = \frac{\bar{x}_1 - \bar{x}_2}{\mathrm{se}}$$
#
# How large must $t$ be? With many runs, 2 would do. With three it must be larger, because $s$ itself is a guess. Let
# the computer find out: draw both rows from the *same* distribution, many times, and see how large $t$ gets by chance.


# %%
def t_values(n_seeds, rng, trials=100_000, shift=0.0):
    """Return t of two rows that differ by `shift` standard deviations, many times."""
    first, second = rng.normal(size=(2, trials, n_seeds))
    first += shift
    se = np.sqrt((first.var(1, ddof=1) + second.var(1, ddof=1)) / n_seeds)
    return (first.mean(1) - second.mean(1)) / se


for n_seeds in (2, 3, 5, 10, 100):  # change these and run it again
    limit = np.quantile(abs(t_values(n_seeds, rng)), 0.95)
    print(f"{n_seeds:3d} seeds: in 95% of all cases chance alone stays below t = {limit:.2f}")
LIMIT = np.quantile(abs(t_values(3, rng)), 0.95)


# %%
def difference(row):
    """Return a row's BLEU less that of base, and the standard error of this difference."""
    return row.bleu - base.bleu, np.sqrt((row.bleu_deviation**2 + base.bleu_deviation**2) / 3)


for row in (rows[0], rows[2], rows[8]):
    by, se = difference(row)
    print(f"{row.change:22} {by:+.1f} BLEU, se {se:.1f}, t = {by / se:+.1f}: interval {by:+.1f} ± {LIMIT * se:.1f}")

# %% [markdown]
# One head is better, as far as three seeds can tell. Of four heads and of four layers one cannot say whether they are
# better or worse: 0 is inside the interval. All rows, with 95% intervals:

# %% tags=["hide-input"]
from npformer.visualization.plots import new_figure
from npformer.visualization.plots.colors import GREY, ORANGE, ink, main_color


def plot_differences(ax, rows, limit):
    """Draw the difference of each row from base as a dot with its interval, gray where it contains 0."""
    for i, row in enumerate(rows):
        by, se = difference(row)
        color = main_color() if abs(by) > limit * se else GREY
        ax.errorbar(by, i, xerr=limit * se, color=color, fmt="o", capsize=3, markersize=5)
    ax.axvline(0, color=ink(), linewidth=1)
    ax.set_yticks(range(len(rows)), [f"{row.letter}  {row.change}" for row in rows])
    ax.invert_yaxis()
    ax.set(xlabel="BLEU less that of base")
    return ax


figure, ax = new_figure(width=8, height=6)
plot_differences(ax, rows, LIMIT)
clear = [row for row in rows if abs(difference(row)[0]) > LIMIT * difference(row)[1]]
assert rows[0] in clear and rows[2] not in clear and rows[8] not in clear
figure

# %%
for row in (min(rows, key=difference), max(rows, key=difference)):
    print(f"{row.change}: {difference(row)[0]:+.1f} BLEU")
print(f"different from base: {len(clear)} of {len(rows)} rows")
print(textwrap.fill("not clear: " + "; ".join(row.change for row in rows if row not in clear), 86))

# %% [markdown]
# The largest effect by far is `init per_head`. $W^Q$, $W^K$ and $W^V$ are there drawn head by head, each part as a
# matrix (64, 8) of its own. By Glorot's rule it then has the variance $2/(64 + 8)$. The other rows start with half of
# Glorot's $2/(64 + 64)$ in these three, so this is 3.6 times as much, and this model, with LayerNorm after each box,
# learns badly from there.
#
# ## The standard deviation is a guess, too
#
# Look at the lengths of the bars: the longest is six times the shortest, and the standard deviations, from 0.4 to 5.0,
# differ by a factor of twelve. Do some models really depend less on their seed? Draw three numbers with a standard
# deviation of 1.5, many times, and compute $s$ from each three:

# %%
TRUE = 1.5  # change this and run it again
drawn = rng.normal(0, TRUE, (100_000, 3)).std(1, ddof=1)
observed = np.array([row.bleu_deviation for row in [base, *rows]])
print(
    f"true {TRUE}, from three draws: 5% are below {np.quantile(drawn, 0.05):.2f}, 5% above {np.quantile(drawn, 0.95):.2f}"
)
print(side_by_side(1, in_the_table=np.sort(observed)[:11], larger_ones=np.sort(observed)[11:]))

# %% tags=["hide-input"]
figure, ax = new_figure(width=7, height=3)
ax.hist(drawn, bins=np.arange(0, 5.6, 0.25), density=True, color=GREY, alpha=0.6, label=f"draws of three, true {TRUE}")
ax.plot(
    observed, np.full(len(observed), 0.02), "|", color=ORANGE, markersize=16, markeredgewidth=2, label="in the table"
)
ax.set(xlabel="standard deviation of BLEU from three seeds", ylabel="density")
ax.legend()
assert np.quantile(drawn, 0.05) < 0.25 * TRUE and np.quantile(drawn, 0.95) > 1.6 * TRUE
figure

# %% [markdown]
# Most of the table is what a *single* true value near 1.5 would give. The rows with $s = 0.4$ are probably not more
# stable; they were lucky. This matters: a lucky row has a short bar and looks clear. A better guess is one $s$ for all
# rows, from the mean of their variances, with two rows left out that go badly wrong (without dropout the model
# overfits, and `init per_head`). It rests on many more runs, so chance alone seldom goes beyond $t = 2$. But there are
# 20 rows, and 5% of 20 is one: *some* row will look different by chance. If you look at all rows, ask for more, 0.05 /
# 20 for each (Bonferroni).

# %%
ordinary = np.array([row.bleu_deviation for row in [base, *rows] if row.change not in ("dropout 0.0", "init per_head")])
s = np.sqrt((ordinary**2).mean())
se = s * np.sqrt(2 / 3)
n_free = 2 * len(ordinary)  # degrees of freedom
beyond, limits = {}, {}
for name, share in (("one row", 0.05), ("any row", 0.05 / len(rows))):
    chance = rng.standard_normal(400_000) / np.sqrt(rng.chisquare(n_free, 400_000) / n_free)
    t = np.quantile(abs(chance), 1 - share)
    limits[name] = t * se
    beyond[name] = [row for row in rows if abs(row.bleu - base.bleu) > limits[name]]
    print(f"{name}: s = {s:.2f}, t above {t:.2f}: differences above {limits[name]:.1f} BLEU, {len(beyond[name])} rows")
between = [f"{row.change} {row.bleu - base.bleu:+.1f}" for row in beyond["one row"] if row not in beyond["any row"]]
print(textwrap.fill("between the two limits: " + "; ".join(between), 86))

# %% tags=["hide-input"]
assert 1.4 < s < 1.9 and 2.4 < limits["one row"] < 3 and 4 < limits["any row"] < 5
assert rows[0] in beyond["one row"] and rows[0] not in beyond["any row"] and rows[8] not in beyond["one row"]

# %% [markdown]
# The row with one head is between the two limits. Had you asked, before the experiment, whether one head is better, the
# answer would be yes; as the most surprising of 20 rows it is a reason for more seeds.
#
# One more thing all 20 comparisons have in common: the *same* three runs of base. If these were unlucky, all rows look
# better together. Draw 20 rows that are in truth equal to base, and count how many are beyond the limit for one row:

# %%
mean_of_three, five = s / np.sqrt(3), {}
for name, n_bases in (("one base for all rows", 1), ("a base for each row", 20)):
    drawn_rows, drawn_bases = (rng.normal(0, mean_of_three, (50_000, n)) for n in (20, n_bases))
    looks_different = (abs(drawn_rows - drawn_bases) > limits["one row"]).sum(1)  # change to "any row" and run it again
    none, five[n_bases] = np.mean(looks_different == 0), np.mean(looks_different >= 5)
    print(
        f"{name}: {looks_different.mean():.2f} rows on average, none in {none:.0%}, five or more in {five[n_bases]:.1%}"
    )

# %% tags=["hide-input"]
assert five[1] > 10 * five[20]

# %% [markdown]
# The average is the same. But with one base the errors come in groups: mostly none, and sometimes five at once. So give
# base more seeds than any row. (For all rows at once the limit is safe either way.)
#
# ## Against the paper
#
# The paper's rows are one run each, on 4.5 million pairs, without error bars. Do both tables agree? For each row that
# both have, the paper's difference from its base and ours:

# %% tags=["hide-input"]
clear = beyond["one row"]
both = [row for row in rows if row.paper_bleu is not None]
ours = np.array([row.bleu - base.bleu for row in both])
theirs = np.array([row.paper_bleu - base.paper_bleu for row in both])
figure, ax = new_figure(width=8, height=4.6)
for row, x, y in zip(both, theirs, ours, strict=True):
    apart = row in clear and (x * y < 0 or abs(x) < 0.15)
    ax.errorbar(x, y, yerr=limits["one row"], color=ORANGE if apart else main_color(), fmt="o", markersize=5, alpha=0.9)
    side = {"xytext": (-6, -10), "ha": "right"} if row.letter == "E" else {"xytext": (6, 4)}
    note = {**side, "textcoords": "offset points", "fontsize": 8}
    if apart or abs(x) > 0.7 or abs(y) > 5:
        ax.annotate(row.change.split(",")[0], (x, y), **note)
ax.axhline(0, color=ink(), linewidth=1)
ax.axvline(0, color=ink(), linewidth=1)
ax.set(xlabel="the paper's BLEU less that of its base", ylabel="our BLEU less that of our base")
figure

# %%
ranks = [(x[:, None] > x).sum(1) + (x[:, None] == x).sum(1) / 2 for x in (ours, theirs)]  # equal values share a rank
print(f"{len(both)} rows in both tables, correlation of their ranks {np.corrcoef(ranks)[0, 1]:.2f}")
same = [row for row, x, y in zip(both, ours, theirs, strict=True) if x * y > 0 and row in clear]
other = [row for row, x, y in zip(both, ours, theirs, strict=True) if x * y < 0 and row in clear]
print(f"clearly different from base, with the paper's sign: {len(same)}, with the other sign: {len(other)}")
for row in other:  # change this to same and run it again
    by, paper = row.bleu - base.bleu, row.paper_bleu - base.paper_bleu
    print(f"  {row.change:22} ours {by:+.1f}, paper {paper:+.1f}")

# %% tags=["hide-input"]
assert (
    len(same) >= 6 and rows[0] in other and len(other) <= 2 and any(row.change == "positions learned" for row in same)
)

# %% [markdown]
# With a correlation of 0.56 both tables order the rows alike, but far from equally. The large effects agree: narrow
# keys, few layers, a narrow model and no dropout hurt, a wider model helps. The orange dots do not agree: they are
# clear here, and 0.1 or less, or the other way, in the paper. One head, the worst of the paper's row A, is best here.
# Learned positions and 16 heads are no different from base there (0.1 and 0), and 5 points worse here.
#
# What does it mean when a small experiment contradicts the paper? Not that the paper is wrong. The settings differ in
# size, data, language and length of training, and a conclusion holds where it was measured. Causes are quickly found:
# with 1,000 pairs and $d_k = 8$, a head may be too narrow to distinguish the words; learned positions may start too
# small and have too few examples to grow from. Both are guesses. In row A the number of heads changes together with
# $d_k$. The only row with 8 heads and wider keys has a wider model too, $d_{model} = 128$. A cause is known when an
# experiment varies it alone. Nor does agreement show that the *paper's* small differences are real. Its rows differ by
# 0.1 to 0.3 in many places, and nobody published what another seed would do. On Multi30k, two of our seeds are half a
# point apart (`docs/explanation/results.md`).
#
# ## What can be concluded from three seeds?
#
# - That differences above four or five BLEU are real, in this setting, whichever row you look at.
# - Of a difference between about 2.6 and that, that it is probably real if you had asked about this row beforehand.
# - Of smaller ones nothing. *Not clear* does not mean *equal*: it means that three runs cannot tell.
# - Nothing about other sizes or data.
#
# How many seeds would show that four layers are better, if they are? To find a true difference $\delta$ in 80% of all
# trials with a test at 5% takes about $n = 2\,(1.96 + 0.84)^2\, s^2 / \delta^2$ seeds for each of the two rows. The
# 1.96 is the limit of $t$ for many seeds. With few the limit is larger, as you saw, and the formula gives too few
# seeds. So draw as well, and count how often the difference is found. Take the +4.0 of one head with care: it was
# chosen *because* it surprised, and such a difference is probably too large.

# %%
for name, delta in (("four layers", rows[8].bleu - base.bleu), ("one head", rows[0].bleu - base.bleu)):
    n = 2 * (1.96 + 0.84) ** 2 * s**2 / delta**2
    print(f"{name}: difference {delta:+.1f} BLEU, {max(2, int(np.ceil(n)))} seeds per row by the formula")
    for n_seeds in range(2, 11):  # the first n_seeds with 80%
        limit = np.quantile(abs(t_values(n_seeds, rng)), 0.95)
        found = np.mean(abs(t_values(n_seeds, rng, shift=delta / s)) > limit)
        if found > 0.5:
            print(f"   {n_seeds} seeds: |t| is above {limit:.2f} in {found:.0%} of all draws")
        if found > 0.8:
            break

# %% tags=["hide-input"]
assert rows[8].change == "N 4+4"

# %% [markdown]
# **Change this and run it again:** put a difference of 0.2 BLEU in, the size of many in the paper's table, in place of
# `rows[0].bleu - base.bleu`. For one run of the base model the paper gives 12 hours on 8 GPUs. This is why its table
# has no error bars, and why ours is small.
#
# ## Questions
#
# **1.** Label smoothing of 0.2 has a higher BLEU than base and a higher (worse) perplexity. Is that a contradiction?
#
# <details><summary>Answer</summary>
#
# No. Smoothing trains the model to keep probability for all tokens (notebook 14), so that each right token gets less:
# perplexity is worse by construction. BLEU asks only which sentence is best. The paper says so in section 5.4. But +1.1
# BLEU is not clear here.
#
# </details>
#
# **2.** All rows used the seeds 0, 1 and 2. If seed 2 is bad for every model, what does a comparison by seeds gain?
#
# <details><summary>Answer</summary>
#
# Take the differences seed by seed and then their standard deviation: what a seed does to both rows cancels. That is a
# paired test, as in notebooks 30 and 31. It needs the single results. A table of means and standard deviations has
# thrown them away; keep them.
#
# </details>
#
# **3.** You try 20 settings with one seed each, and publish the best. What will happen to its score with a new seed?
#
# <details><summary>Answer</summary>
#
# It will most probably fall. Of 20 equal settings with a standard deviation of 1.5 the best is about 1.9 standard
# deviations, or 2.8 BLEU, above the mean, by chance alone. Choose on one set with several seeds, and report on another.
#
# </details>
#
# ---
#
# Next: [notebook 28b](28b_text_classification.ipynb), where the encoder alone classifies texts.
#
# Write it yourself: exercises heads and label_smoothing. `npformer ablate --rows A --seeds 5` measures a row with
# five seeds.
