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
# # 24c Couplets of the Tang
#
# *A detour from [24](24_generating_text.ipynb): nothing later needs it.
# [Notation](../docs/reference/notation.md).*
#
# A model answers lines of Chinese verse, and some of its answers are good. Does it know the rules, or does it only
# sound as if it did? To find out, hide from it what it looks at, one thing at a time, and see which rule breaks.
#
# **After this you can** check the rules of verse by a program, and say what such a check does not see; tell by an
# experiment what a model needs; say what a control is for.
#
# Paper: figure 1, and figures 3 to 5 for where attention looks. You need no Chinese. About 30 minutes with its
# writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import schematics, tang
from helpers.compare import compare
from helpers.pictures import show_arrays
from npformer_course import Bet

schematics.hidden_links()

# %% [markdown]
# ## Five answers, four rules
#
# In the verse of the Tang (7th to 10th century) many lines come in pairs. Somebody says a line, and the answer has to
# be parallel to it, place by place: a color answers a color, a motion a motion. `npformer train couplets`
# learns this from 41,434 couplets of the *Complete Tang Poems*, with two layers in each stack and 128 features. Here
# are five well-known lines that it was not trained on: the line, the **model's answer**, and the poet's. Read two or
# three, place by place. How would you judge the model?
#
# 1. **國破山河在** the state is broken, hills and rivers remain<br>
#    **鄉遙水水流** home is far away, water and water flows<br>
#    Du Fu: 城春草木深 spring is in the city, grass and trees grow deep
# 2. **江碧鳥逾白** the river is jade, the birds are the whiter<br>
#    **山明人未黃** the hills are bright, man is not yet yellow<br>
#    Du Fu: 山青花欲燃 the hills are green, the flowers about to burn
# 3. **野曠天低樹** the plain is wide, the sky bends to the trees<br>
#    **江平月上樓** the river is level, the moon climbs the tower<br>
#    Meng Haoran: 江清月近人 the river is clear, the moon comes near to man
# 4. **兩箇黃鸝鳴翠柳** two yellow orioles sing in the green willow<br>
#    **一枝青草濕青苔** one sprig of green grass wets the green moss<br>
#    Du Fu: 一行白鷺上青天 a row of white egrets rises to the blue sky
# 5. **窗含西嶺千秋雪** the window holds the western range's snow of a thousand autumns<br>
#    **窗隔南山萬里春** the window shuts out the southern hills' spring of ten thousand miles<br>
#    Du Fu: 門泊東吳萬里船 at the gate moor boats of Eastern Wu, from ten thousand miles
#
# An answer is parallel if it keeps these rules (there are others, of tones, which are left out here):
#
# 1. It has as many characters as the first line.
# 2. Each of them is of the same kind as the one that it answers.
# 3. None of them is the one that it answers.
# 4. Where the first line repeats a character, the answer repeats one, at the same places; otherwise it repeats none.
#
# A program can check all but the second. (For that it would need the kinds of some 5,000 characters.) The fourth is the
# least known, and poets keep it: where a first line repeats a character, five of six answers do so at just these
# places. Of the other answers only one in two hundred repeats a character.
#
# **Write it:** for each line with its answer, whether the answer keeps rule 4. There are seven: the five above, and a
# line of an older poem, 青青河畔草 (green, green, the grass by the river), once with the poet's answer, 鬱鬱園中柳
# (lush, lush, the willow in the garden), and once with its characters in another order. (`line.index(a)` is the first
# place of the character `a`.)

# %%
pairs = tang.lines_and_answers()  # (line, answer), two strings of the same length each
kept = ...  # seven times True or False
kept = tang.rule_4().check(kept=kept)

# %% tags=["hide-input"]
lengths, changed, same = tang.checks_of_five()
show_arrays(
    **{"filled: the rule is kept": np.array([lengths, changed, kept[:5]]), "characters of the poet": np.array([same])},
    rows={"filled: the rule is kept": ["rule 1", "rule 3", "rule 4"]},
    columns=[str(number) for number in range(1, 6)],
)

# %% [markdown]
# A column is a couplet. One answer breaks the third rule: 窗, window, is where the first line has it. Two break the
# fourth: "water and water", and "green" twice in number 4. The small grid counts the characters that the poet has at
# the same place: two at most. A score of what is in common with the poet would tell little about the rules.
#
# What does the table not see? Number 3 is faultless: a plain by a river, wide by level, the sky by the moon, bends by
# climbs, trees by a tower. But in number 4 a sprig of grass wets the moss: each place fits its partner, and the whole
# line means little. Compare number 1. The state is broken, and Du Fu answers that spring comes all the same. The model
# answers the places, with water.
#
# ## An invented language
#
# How does a model keep such rules? For the fourth an answer must agree with *itself*. To see what a model needs,
# everything about its language must be known. So here is one that is invented, with 37 characters of seven kinds, and
# with two patterns of lines. In the second pattern the third character is the first one again. Each place of an
# answer draws one of the characters that the rules allow.

# %%
train, test = tang.invented()
translator, losses = tang.trained(train)
tang.show_lines(train[:4])

# %% [markdown]
# The model has one layer in each stack, four heads, and learned positions. (Of three highest rates, 0.0035, 0.007 and
# 0.014, the first two learned equally well, and the third a little less.) Its loss comes close to the floor, which is
# what the draws cost, and of couplets that it has not learned from this share of its answers keeps rule 1, 2, 3 and 4:

# %%
compare(np.mean(losses[-20:]) - tang.floor_of(train), 0.03, "loss above its floor, in nats per token", tolerance=0.5)
answers = translator.translate([pair.source for pair in test], beam=1)
np.mean([tang.keeps_rules(pair.source, answer) for pair, answer in zip(test, answers, strict=True)], axis=0)

# %% [markdown]
# Where does it look? Below, a row is a character that it writes, a column one that it can look at. Places are counted
# from 0, and characters have their English names. Each cell has the **largest weight of the four heads**: a dark cell
# says that some head looks there. (So a row may add up to more than 1.)

# %%
from npformer.visualization import sentence_attention

line = next(pair.source for pair in test if tang.repeats(pair.source))  # try "if not"
tang.show_maps(sentence_attention(translator, line))

# %% [markdown]
# At places 1, 3 and 4 some head looks at the character that has to be answered, and nobody told it to. Place 0 has its
# character twice in the first line, and looks at both. Place 2, where the first character comes again, is the
# exception: no head looks at its partner more than at the other places. In its own line three cells of this row are
# dark: 1.0 at `<bos>`, 1.0 at place 0, and 0.9 at place 1. Which of them does it have to see?
#
# ## Hide what it looks at
#
# A map shows where a model looks, not what it needs (notebook 26). So hide one thing at a time and leave everything
# else as it was. A hidden place gets no weight, and the other places share it. What is hidden is a mask of the shape
# of a map, True where a row must not look at a column.
#
# **Write two:** `answered`, for the map on the left, hides from each place the character that it answers. `own_first`,
# for the map on the right, hides from place 2, and from no other, what was written at place 0.

# %%
answered = ...  # (6, 6), boolean
own_first = ...  # (6, 6), boolean

# %%
expected = tang.expected_masks()
answered = expected.check(answered=answered)
own_first = expected.check(own_first=own_first)

# %% [markdown]
# Then two controls. One is yours: pick a dark cell. It is now place 1, the 0.9 of the map. The other is `<bos>`, the
# token before the line, which is the same in all lines and says nothing about any of them.

# %%
yours = tang.own_line(2, "1")  # row and column, as in the map; or tang.first_line(2, "<eos>")
bet = Bet("Place 2 must not see <bos>. Which number will it write?", ["the right", "another", "none"])
bet.place(...)

# %%
found = {
    "nothing": tang.after_hiding(translator, test),
    "what it answers": tang.after_hiding(translator, test, first_line=answered),
    "its own first": tang.after_hiding(translator, test, own_line=own_first),
    "your choice": tang.after_hiding(translator, test, **yours),
    "its <bos>": tang.after_hiding(translator, test, **tang.own_line(2, "<bos>")),
}
_, right_number, any_number = found["its <bos>"]
chances = {"the right": right_number, "another": any_number - right_number, "none": 1 - any_number}
bet.settle(max(chances, key=chances.get))

# %% tags=["hide-input"]
names = ("a character as in the first line", "place 2: its own first", "place 2: a number")
tang.show_probabilities(found, names, tang.chances(test))

# %% [markdown]
# Three probabilities in percent, a row for what is hidden. The dashed line is for somebody who draws any character of
# the right kind (on the right that would be 100).
#
# - **left:** a place gets the very character that it answers, which rule 3 forbids;
# - **middle:** in a line that repeats, place 2 gets the answer's own first character, as rule 4 demands;
# - **right:** there it gets a number at all, which is its kind.
#
# Without the character that it answers, a place still gets its kind from the pattern, but cannot avoid the character
# itself, and writes it three quarters as often as chance would: rule 3 breaks, and rule 4 does not. Without its own
# first character place 2 still writes a number, and guesses which: rule 4 breaks, and rule 3 does not. So
# cross-attention keeps the third rule, and the decoder's self-attention the fourth.
#
# Without place 1 nearly all is as before, although the map has 0.9 there. The model does not have to *look* there: the
# character written last is the input of the step, and the residual sum carries it past the attention. It does need the
# character. With a color at place 1 of its input, the model writes its own first character with a probability of 0.00.
#
# Without `<bos>`, which says nothing, the rule breaks too, and in another way: mostly the model writes no number at
# all, and where it writes one, it is the right one. In the mean over these lines one head gives `<bos>` 0.67 of its
# weight. Hidden, this weight goes to other places, and the rest of the model has never seen such a result. So a broken
# rule does not show that what was hidden was *needed* for it. Look at how it broke: by a wrong guess of the right kind,
# or by nonsense.
#
# ## Two questions
#
# **1.** Some lines *double* a character, as in "green, green, the grass by the river". Does the decoder need its
# self-attention to double one in the answer?
#
# <details><summary>Answer</summary>
#
# No. The character to double is the one written last, as place 1 was: the residual sum carries it. Only what was
# written earlier has to be looked up.
#
# </details>
#
# **2.** Number 2, word for word: river, jade, birds, ever more, white; hills, bright, man, not yet, yellow. Which
# rules does it keep? What is wrong with it?
#
# <details><summary>Answer</summary>
#
# All of them: a river by hills, a color by brightness, birds by man, two adverbs, white by yellow. And a man who is
# not yet yellow is nonsense. That the whole line says something is in no rule.
#
# </details>

# %% [markdown]
# **You can now**
#
# - check which rules an answer keeps, and say which ones no check saw;
# - find out what part of a model keeps a rule, by hiding what it looks at;
# - tell a rule that broke because something needed was missing from a model that was upset.
#
# A model that you trained answers with `npformer translate runs/couplets 白日依山盡`; `npformer attend` draws where it
# looks. Back to the path: [notebook 25](25_kv_cache.ipynb), the KV cache.
