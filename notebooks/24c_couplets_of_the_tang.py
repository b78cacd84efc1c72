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
# experiment what a model needs; read a control that fails.
#
# Paper: figure 1, and figures 3 to 5 for where attention looks. You need no Chinese. About 45 minutes with its
# writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import tang
from helpers.compare import compare
from npformer_course import Bet

# %% [markdown]
# ## Ten answers
#
# In the verse of the Tang (7th to 10th century) the middle lines come in pairs. Somebody says a line, and the answer
# has to be parallel to it, place by place: a color answers a color, a motion a motion. `npformer train couplets`
# learns this from 41,434 couplets of the *Complete Tang Poems*, with 4,768 characters. Its model has two layers in
# each stack and 128 features, and reads the couplets nine times.
#
# Here are ten well-known lines that it was not trained on: the line, the **model's answer** with a beam of 4, and the
# poet's. Read two or three, place by place. How would you judge the model?
#
# 1. **國破山河在** the state is broken, hills and rivers remain<br>
#    **鄉遙水水流** home is far away, water and water flows<br>
#    Du Fu: 城春草木深 spring is in the city, grass and trees grow deep
# 2. **白日依山盡** the white sun leans on the hills and is gone<br>
#    **青山隔水流** the green hills, across the water, flow<br>
#    Wang Zhihuan: 黃河入海流 the Yellow River enters the sea and flows
# 3. **千山鳥飛絕** a thousand hills, the flight of birds is ended<br>
#    **萬里水流流** ten thousand miles, the water flows and flows<br>
#    Liu Zongyuan: 萬徑人蹤滅 ten thousand paths, the tracks of men are gone
# 4. **江碧鳥逾白** the river is jade, the birds are the whiter<br>
#    **山明人未黃** the hills are bright, man is not yet yellow<br>
#    Du Fu: 山青花欲燃 the hills are green, the flowers about to burn
# 5. **野曠天低樹** the plain is wide, the sky bends to the trees<br>
#    **江平月上樓** the river is level, the moon climbs the tower<br>
#    Meng Haoran: 江清月近人 the river is clear, the moon comes near to man
# 6. **風急天高猿嘯哀** the wind swift, the sky high, the gibbons' cry is sad<br>
#    **月明江闊鴈行過** the moon bright, the river wide, the geese in their row pass by<br>
#    Du Fu: 渚清沙白鳥飛迴 the islet clear, the sand white, the birds fly back
# 7. **兩箇黃鸝鳴翠柳** two yellow orioles sing in the green willow<br>
#    **一枝青草濕青苔** one sprig of green grass wets the green moss<br>
#    Du Fu: 一行白鷺上青天 a row of white egrets rises to the blue sky
# 8. **窗含西嶺千秋雪** the window holds the western range's snow of a thousand autumns<br>
#    **窗隔南山萬里春** the window shuts out the southern hills' spring of ten thousand miles<br>
#    Du Fu: 門泊東吳萬里船 at the gate moor boats of Eastern Wu, from ten thousand miles
# 9. **山光悅鳥性** the light of the hills delights the birds<br>
#    **水色養龍心** the color of the water feeds the heart of the dragon<br>
#    Chang Jian: 潭影空人心 reflections in the pool empty the heart of man
# 10. **漢文有道恩猶薄** Emperor Wen had the Way, yet his favor was thin<br>
#    **楚澤無情意不通** the marsh of Chu has no feeling, no thought gets through<br>
#    Liu Changqing: 湘水無情弔豈知 the water of Xiang has no feeling, what knows it of mourning?

# %% [markdown]
# ## Four rules
#
# An answer is parallel if it keeps these rules:
#
# 1. It has as many characters as the first line.
# 2. Each of them is of the same kind as the one that it answers.
# 3. None of them is the one that it answers.
# 4. Where the first line repeats a character, the answer repeats one, at the same places; otherwise it repeats none.
#
# A program can check all but the second. (For the second it would need the kinds of 4,768 characters.) The fourth is
# the least known, and poets keep it: of the 41,434 first lines 1,043 repeat a character, and 873 of their answers do
# so at just these places. Of the other answers only one in two hundred repeats a character.
#
# **Write it:** for each line with its answer, whether the answer repeats a character where the line does, and nowhere
# else. There are twelve: the ten above, and a line of an older poem, 青青河畔草 (green, green, the grass by the river),
# once with the poet's answer, 鬱鬱園中柳 (lush, lush, the willow in the garden), and once with its characters in another
# order. (`line.index(a)` is the first place of the character `a`.)

# %%
pairs = tang.lines_and_answers()  # (line, answer), two strings of the same length each
kept = ...  # twelve times True or False
kept = tang.rule_4().check(kept=kept)

# %% tags=["hide-input"]
from helpers.pictures import show_arrays

lengths = []
changed = []
same = []
for line, answer, poet in tang.well_known():
    lengths.append(len(line) == len(answer))
    changed.append(all(a != b for a, b in zip(line, answer, strict=True)))
    same.append(sum(a == b for a, b in zip(answer, poet, strict=True)))
rules = np.array([lengths, changed, kept[:10]], dtype=float)
show_arrays(
    **{"1 where a rule is kept": rules, "characters of the poet": np.array(same)[None]},
    rows={"1 where a rule is kept": ["rule 1", "rule 3", "rule 4"]},
    columns=[str(number) for number in range(1, 11)],
)

# %% [markdown]
# A column is a couplet. One answer of ten breaks the third rule: 窗, window, is where the first line has it. Three
# break the fourth: "water and water", "flows and flows", and "green" twice in number 7. All are as long as they
# should be.
#
# What does the table not see? Number 5 is faultless: a plain by a river, wide by level, the sky by the moon, bends by
# climbs, trees by a tower. So is number 9, and most of the others are parallel too, which is rule 2. Even a rule that
# nobody mentioned was found: all ten answers end in a character of the level tone (過 can be read so), as the rhyming
# line should. The last row sees nothing of this: number 5 has two characters of the poet's, number 6, hardly worse,
# none of seven. ([Notebook 24b](24b_couplets.ipynb) is about such scores.)
#
# And it is no poet. Hills flow, a sprig of grass wets the moss: each place fits its partner, and the whole line means
# little. Compare number 1. The state is broken, and Du Fu answers that spring comes all the same. The model answers
# the places, with water.
#
# On 1,010 couplets of other poems 99.9 % of the answers keep the first rule and 91.6 % the third, which in the data
# is never broken. 9.1 % of the characters are those of the poet, and the perplexity is 132 per character.
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
# The model has one layer in each stack, four heads, and learned positions. Of three highest rates, 0.0035, 0.007 and
# 0.014, the first two learned equally well, and the third a little less. The floor is what the draws cost, which
# nobody can foresee.

# %%
compare(np.mean(losses[-20:]) - tang.floor_of(train), 0.03, "loss above its floor, in nats per token", tolerance=0.5)
answers = translator.translate([pair.source for pair in test], beam=1)
np.mean([tang.keeps_rules(pair.source, answer) for pair, answer in zip(test, answers, strict=True)], axis=0)

# %% [markdown]
# The shares of the answers that keep rules 1, 2, 3 and 4, on couplets that it has not learned from.
#
# ## Where it looks
#
# The $i$-th character answers the $i$-th, so you know where to look, which you do not in a translation. Below, a row
# is a character that it writes, a column one that it can look at. Each cell has the **largest weight of the four
# heads**. The weights of one head sum to 1 in each row, but these do not: a dark cell says that some head looks
# there. Heads that find nothing put their weight somewhere, such as `<bos>` or `<eos>`. (Without a Chinese font only
# the English words are drawn.)

# %%
from npformer.visualization import sentence_attention

line = next(pair.source for pair in test if tang.repeats(pair.source))  # try "if not"
tang.show_maps(sentence_attention(translator, line))

# %% [markdown]
# At most places some head looks at the character that has to be answered, and nobody told it to. The third place is
# the exception. No head looks at its partner more than at the other places. But one puts all its weight on what the
# model has written at its own first place.
#
# ## Hide what it looks at
#
# A map shows where a model looks, not what it needs (notebook 26). So hide one thing at a time and leave everything
# else as it was. A hidden place gets no weight, and the other places share it.

# %%
from npformer.utils.wrap_methods import wrap_methods

src, tgt = tang.inputs(translator, test)  # (B, 6) each, the answers after <bos>
layer = translator.model.decoder.layers[0]
to_first_line = layer.cross_attention.sublayer.attention.softmax
to_own_line = layer.self_attention.sublayer.attention.softmax


def with_hidden(softmax, hidden):
    """Return the probabilities (B, 6, V) with weights hidden, where hidden (T, S) is True."""

    def masked(plain, scores, mask=None):
        return plain(scores, ~hidden if mask is None else mask & ~hidden)

    with wrap_methods([(softmax, "forward", masked)]):
        logits = translator.model.forward(src, tgt)
    exponentials = np.exp(logits - logits.max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


def only(row, column):
    """Return what is hidden, (T, S): one place from one place."""
    hidden = np.zeros((6, 6), dtype=bool)
    hidden[row, column] = True
    return hidden


# %% [markdown]
# Hide four things: from each place the character that it answers; from the third place what it has written first;
# and, as controls, what it has written second, and `<bos>`, the token before the line. `<bos>` is the same in all
# lines and says nothing about any of them.

# %%
bet = Bet("The third place must not see <bos>. Which number will it write?", ["the right", "another", "none"])
bet.place(...)

# %%
p_of = {
    "nothing": with_hidden(to_own_line, np.zeros((6, 6), dtype=bool)),
    "what it answers": with_hidden(to_first_line, np.eye(6, dtype=bool)),
    "its own first": with_hidden(to_own_line, only(2, 1)),
    "its own second": with_hidden(to_own_line, only(2, 2)),
    "its <bos>": with_hidden(to_own_line, only(2, 0)),
}
bet.settle("none")

# %% tags=["hide-input"]
found = {hidden: tang.three_probabilities(translator, p, src, tgt) for hidden, p in p_of.items()}
names = ("a character as in the first line", "third place: its own first", "third place: a number")
tang.show_probabilities(found, names, tang.chances(test))

# %% [markdown]
# Three probabilities in percent. The dashed line is for somebody who draws any character of the right kind.
#
# - **left:** a place gets the very character that it answers, which rule 3 forbids;
# - **middle:** in a line that repeats, the third place gets the answer's own first character, as rule 4 demands;
# - **right:** there it gets a number at all, which is its kind.
#
# Without the character that it answers, a place still gets its kind from the pattern, but cannot avoid the character
# itself, and writes it three quarters as often as chance would: rule 3 breaks, and rule 4 does not. Without its own
# first character the third place still writes a number, and guesses which: rule 4 breaks, and rule 3 does not. So
# cross-attention keeps the third rule, and the decoder's self-attention the fourth.
#
# The other two are controls. Without its second character nearly all is as before, so it matters *what* is hidden.
# But without `<bos>`, which says nothing, the rule breaks too, and in another way: most answers are no numbers at
# all, and where one is, it is the right one. One head gave `<bos>` 0.83 of its weight, which now goes where it never
# went, and the rest of the model has never seen the result. So a broken rule does not show that what was hidden was
# *needed* for it. Look at how it broke: by a wrong guess of the right kind, or by nonsense.
#
# ## Three questions
#
# **1.** Copying the first line gives none of the poet's characters here. On modern couplets, such as those that hang
# at a door, it gives 5.8 %. What may these lines have that those above lack?
#
# <details><summary>Answer</summary>
#
# Punctuation. Longer lines have commas, and parallel lines have them at the same places.
#
# </details>
#
# **2.** Some lines *double* a character, as in "green, green, the grass by the river". Does the decoder need its
# self-attention to double one in the answer?
#
# <details><summary>Answer</summary>
#
# No. The character that was written last is the input of the step, and the residual sum carries it past the
# attention. Only what was written earlier has to be looked up.
#
# </details>
#
# **3.** Number 4, word for word: river, jade, birds, ever more, white; hills, bright, man, not yet, yellow. Which
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
