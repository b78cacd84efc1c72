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
# # 32d Project: a head that does X
#
# *Part IV, Understand it. Before: [32](32_induction_heads.ipynb). Next: [32e](32e_checkpoint_4.ipynb).
# [Notation](../docs/reference/notation.md).*
#
# "Head 3 finds the noun." Sentences like this are written about every model, and many of them rest on a picture. The
# translator of this course has 24 heads. Here you say what one of them does, and find out whether it is true.
#
# **After this you can** turn a claim about a head into numbers; test it by looking, ablating and patching; write a
# report that says what each check shows, and what it does not.
#
# About 35 minutes with its writing; the project at the end is yours, and takes an evening.

# %%
# %matplotlib inline
import numpy as np

from helpers import head_project, schematics
from helpers.compare import compare
from helpers.expected import Expected
from helpers.head_project import Example, Head
from helpers.pictures import show_arrays
from npformer_course import Bet

schematics.three_checks()

# %% [markdown]
# ## A claim, and its measure
#
# "I turn off the new radio every day" ends in German with *aus*, and "I turn on ..." with *ein*. Everything before this
# last word is the same. So somewhere the translator has to bring "off" to the place where *aus* is written, and the
# only thing that moves anything from one position to another is a head.
#
# **The claim:** one head carries the word "off" or "on".
#
# A claim needs **examples**, in pairs that differ in nothing but the word that decides, and a **measure**, one number
# that would change. Here are sentences of the phrasebook that the translator has not seen. Each has a partner, the
# German that is written so far, the token that is right now and the one that would be right for the partner.

# %%
examples = head_project.on_and_off()
examples[3]._asdict()  # one of ten

# %% [markdown]
# The measure is the logit of the right token minus that of the wrong one. It is $\ln$ of the ratio of their
# probabilities: at 0 the translator has no idea which of both, at 7 it is sure at a thousand to one. (Why not the
# probability itself? At 0.999 it hardly moves any more, whatever you do to a head.)
#
# **Write it:** the measure of this example, from the logits of all tokens and the two ids.

# %% tags=["hide-input"]
expected = Expected(sure=head_project.measure(examples[3]))

# %%
logits, right, wrong = head_project.logits_and_ids(examples[3])  # (V,), and two ids
sure = ...
sure = expected.check(sure=sure)

# %%
before = np.mean([head_project.measure(example) for example in examples])
other = np.mean([head_project.measure(example, source=example.other) for example in examples])
compare(float(before), 7.3, "measure of the examples", tolerance=0.03)
compare(float(other), -7.4, "with the source of the partner", tolerance=0.03)

# %% [markdown]
# So there is a way of 14.7 to go from "off" to "on", and what we look for is a head on which it depends.
#
# ## Look
#
# Two heads attract attention, one in the encoder and one in the decoder. The first looks from "turn" at the small word
# that belongs to it; the second looks at it from the place where the last word is written:

# %%
in_encoder = Head("encoder", 1, 1)
in_decoder = Head("cross", 1, 2)
weights_in_encoder = head_project.look(in_encoder, examples)
weights_in_decoder = head_project.look(in_decoder, examples)

# %% tags=["hide-input"]
head_project.show_maps([in_encoder, in_decoder])

# %% [markdown]
# In the mean of ten sentences both look at "off" or "on" with half of their weight, more than four times as much as by
# chance; in ours, in the picture, with more. The map on the left has a story: the verb finds its other half, and from
# then on the position of "turn" knows which of both it is. The map on the right has one too. A picture cannot decide
# between them.
#
# ## Ablate, and patch
#
# To **ablate** a head is to put something in place of its result that knows nothing of the sentence: its mean result
# in 40 sentences, as in notebook 32.

# %%
without_in_encoder = head_project.ablate(in_encoder, examples)
without_in_decoder = head_project.ablate(in_decoder, examples)

# %% [markdown]
# Without the encoder's head hardly anything changes: what it finds is not needed here, or comes another way too.
# Without the other one the translator does not know whether it is *aus* or *ein*. But does the head *carry* "off"? It
# could as well say "here comes the second half of a verb", and another one which of them. **Patch** it: let the
# translator read "off", and give this head the result that it has in the sentence with "on". All others stay as they
# are.

# %% tags=["hide-input"]
after = np.mean([head_project.with_result_of_other(in_decoder, example) for example in examples])
expected = Expected(share=head_project.share_of_way(before, after, other))
expected.say("0 should mean that nothing has moved, and 1 that it is where the partner is", share=after / other)

# %% [markdown]
# **Write it:** how far does the measure go, from `before` to `other`, if it is `after` now? 0 is not at all, 1 all the
# way.

# %%
share = ...  # from before, after and other
share = expected.check(share=share)

# %%
compare(float(share), 0.97, "share of the way", tolerance=0.03)

# %% [markdown]
# Of the difference between two sentences, 97 % comes through one head of 24, by sixteen numbers of 64. Are there
# others? This loop tries them all.

# %%
shares = []
for head in head_project.ALL_HEADS:
    moved = np.mean([head_project.with_result_of_other(head, example) for example in examples])
    shares.append(head_project.share_of_way(before, moved, other))
table = head_project.table_of(shares)  # (6, 4)
head_project.show_table(table, "share of the way, each head patched alone")

# %% [markdown]
# There is no second one. So the claim holds? "Half of its weight" was a mean over ten sentences. Where does the head
# look if the sentence has "on"?

# %%
options = ["nearly all", "half", "hardly any"]
bet = Bet("How much of its weight does this head give to 'on', in sentences that have it?", options)
bet.place(...)

# %%
looks = head_project.weights_of_both(in_decoder, examples)  # (10, 2): of "off" or "on", and of the verb
of_on = looks[[example.looks_at == "on" for example in examples], 0].mean()
bet.settle(options[int(of_on < 0.75) + int(of_on < 0.25)])

# %% tags=["hide-input"]
rows = [f"{example.looks_at}, writes {example.right}" for example in examples]
show_arrays(weights=looks, rows=rows, columns=["off or on", "the verb"])

# %% [markdown]
# No sentence has half. Where "off" is, the head looks at "off". Where "on" is, it does not look at "on" at all, but at
# "turn". The claim was wrong as it stood, and the mean has hidden it. What is true: *one head brings which of the two
# last words is due; for* aus *it reads "off", for* ein *it reads the verb.* Does the verb's position know of "on", or
# is *ein* what the verb says where there is no "off"? That is the next claim, and nobody has tested it yet.
#
# ## Yours
#
# Choose an X. Some that others have asked:
#
# - writes *der*, *die* or *das* as the noun needs it ("The dog sleeps." and "The cat sleeps.");
# - puts the verb into the plural ("Can the boy sleep?" and "Can the boys sleep?");
# - writes *meinem* after "help" and *meinen* after "visit" ("I must help my friend." and "I must visit my friend.");
# - ends an adjective as the noun needs it ("We buy fresh bread." and "We buy fresh milk.");
# - copies a number ("I buy two books." and "I buy nine books.");
# - or head 2 of the last cross-attention again: how does it know of "on"? What else does it do?
#
# Both sentences of an example need the same number of tokens. The words have to be in the vocabulary, and the sentence
# should be of a kind that the translator gets right: look at `measure` first. Four examples are a beginning, ten are
# better. Here the weekday is written, as an example of a claim that does not hold so well:

# %%
HEAD = Head("cross", 1, 3)  # yours: "encoder", "decoder" or "cross", layer 0 or 1, head 0 to 3
X = [  # source, partner, German so far, right token, wrong token, looks at; for the encoder also: looks from
    Example("I read on Monday.", "I read on Friday.", "Ich lese am", "Montag", "Freitag", "Monday"),
    Example("She works on Friday.", "She works on Monday.", "Sie arbeitet am", "Freitag", "Montag", "Friday"),
    Example("He sleeps on Monday.", "He sleeps on Friday.", "Er schläft am", "Montag", "Freitag", "Monday"),
    Example("We read on Friday.", "We read on Monday.", "Wir lesen am", "Freitag", "Montag", "Friday"),
]
measured = [(head_project.measure(example), head_project.measure(example, source=example.other)) for example in X]
np.round(measured, 1)  # each row above 0, and then below: otherwise the translator gets a sentence wrong

# %%
weight = head_project.look(HEAD, X)
change = head_project.ablate(HEAD, X)
moved = head_project.patch(HEAD, X)

# %% tags=["hide-input"]
shares_of_x = [head_project.share_of(head, X) for head in head_project.ALL_HEADS]
head_project.show_table(head_project.table_of(shares_of_x), "your X: share of the way, each head patched alone")

# %% [markdown]
# The head looks at the weekday with 0.99 of its weight, and nobody would doubt a map like that. But it carries less
# than a third: the four heads of the last cross-attention share the weekday among them.
#
# **The report.** One page, for somebody who has not seen this notebook. Copy this, fill it in, and hand it in with the
# notebook:
#
# | | |
# |---|---|
# | **Claim** | Head ... of ... in layer ... does ... |
# | **It would be wrong if** | ... (say it before you measure) |
# | **Examples** | how many; how they were made; two of them in full |
# | **Measure** | ...; its mean for the examples ... and for their partners ... |
# | **Looking** | weight ..., by chance ... This shows ... and not ... |
# | **Ablating** | from ... to ... This shows ... and not ... |
# | **Patching** | ... of the way. This shows ... and not ... |
# | **The other 23 heads** | the table; the second best has ... |
# | **Where it fails** | a sentence for which the claim is false, and what the head does there |
# | **What it does besides** | a second X for the same head |
# | **In two sentences** | ... |
#
# A claim that turns out false is as good a report as one that holds, if the page shows how you know.
#
# ## Two questions
#
# **1.** You ablate a head, and nothing changes. You patch it, and the measure goes half of the way. How is that possible?
#
# <details><summary>Answer</summary>
#
# The mean says nothing, so other heads that carry the same word decide. The patch says something, and it is wrong: now
# two sources contradict each other, and the measure ends between them. A head can be one of several that do the same.
#
# </details>
#
# **2.** Why a partner with a single other word, and not any other sentence?
#
# <details><summary>Answer</summary>
#
# The head's result from any other sentence differs in everything that it carries, so whatever moves could be due to the
# subject, to the length or to the place of the verb. With one other word there is one reason.
#
# </details>

# %% [markdown]
# **You can now**
#
# - make examples and a measure for a claim about a head;
# - look, ablate and patch, and say what each of them shows;
# - write a report in which a reader can see how you could have been wrong.
#
# Next: [ten questions](32e_checkpoint_4.ipynb) on part IV, and the course is done.
