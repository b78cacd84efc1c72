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
# # 01 A translator at work
#
# *Part I, See it. Next: [02](02_attention_by_hand.ipynb). [Notation](../docs/reference/notation.md).*
#
# You want English sentences in German. A dictionary, word by word, turns "I turn off the new radio" into *Ich drehe weg
# der neuer Radio*. What must a machine do that gets it right? Watch one at work first. Then you build it.
#
# **After this you can** translate with a trained Transformer, say why a word must look at other words, and read a map
# of where the model looks.
#
# Paper: figure 1. About 30 minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

import npformer as npf
from helpers.pictures import show_arrays, show_attention
from helpers.schematics import translator_at_work
from npformer_course import Bet, exercise

translator_at_work()

# %% [markdown]
# ## One sentence in, one sentence out
#
# `npf.load` loads a small Transformer that was trained on 20,000 sentences of a phrasebook. Nobody gave it a rule of
# German grammar.

# %%
translator = npf.load("phrasebook")
sentence = "I turn off the new radio every day."
translator.translate(sentence)

# %% [markdown]
# This sentence goes through the whole course. "turn off" has become the second word and the last, "every day" has moved
# forward, and *das neue* has the forms that *Radio* takes.
#
# **Your sentences.** The model knows people (*the doctor, my sister, the old man*), things (*radio, lamp, computer,
# book, letter, window, coffee*), verbs (*read, write, buy, see, open, close, turn on, visit, drink*), *because*, *every
# day*, *on Sundays* and some more. Write three sentences of your own. Can you find one that it gets wrong? (A hint: two
# verbs and two people, joined by *because*.)

# %%
my_sentences = [
    "They turn off these computers because they are tired.",
    "The old teacher gives pears to your nice sister.",
    "When must the man drink the coffee?",
]
translator.translate(my_sentences)

# %% [markdown]
# **A word that it does not know.** "phone" is not in its phrasebook. Every unknown word is read as the same *token*,
# `<unk>`, and the model guesses what fits the rest. Try "robot" and "zebra" too.

# %%
with_phone = "I turn off the new phone every day."
translator.unknown(with_phone), translator.translate(with_phone)

# %% [markdown]
# Does it know that it guesses? For each next word it has a probability for every token. In the simplest way of writing
# it takes the most probable one each time (notebook 19 has a better one), until that is `<eos>`, the end of the
# sentence. How sure was it of each?

# %%
from helpers.at_work import probabilities_of, show_probabilities

words, ids, probabilities = probabilities_of(translator, sentence)
words_2, ids_2, probabilities_2 = probabilities_of(translator, with_phone)
probabilities.shape, ids.shape

# %% [markdown]
# The vocabulary is a list of 825 tokens: words, punctuation, `<eos>`, `<unk>`. The *id* of a token is its place in this
# list. So `ids[0, 1]` is the number of the second token that the model wrote, and `probabilities[0, 1]` has 825 numbers,
# one for each token that could have stood there.
#
# **Write it.** The probabilities are an array (B, T, V), for B sentences, T positions and V = 825 tokens. The ids are
# (B, T). `pick` takes one number at each position (here a probability), the one of the id there:
# `y[b, t] = scores[b, t, ids[b, t]]`. A loop in a loop is a correct answer. There is one without loops: between the
# brackets NumPy takes an array of integers for each axis, if their shapes broadcast to (B, T).


# %%
def pick(scores, ids):
    """Return the score of one id at each position, (B, T).

    scores: (B, T, V). ids: integers (B, T).
    """
    raise NotImplementedError


# %%
pick = exercise("numpy").check(pick)

# %%
picked = [pick(probabilities, ids)[0], pick(probabilities_2, ids_2)[0]]
show_probabilities([sentence, with_phone], [words, words_2], picked)

# %% [markdown]
# With "phone" it gives its best guess, *Computer*, a probability of only 0.11. It doubts the article too, because *das*
# depends on a noun that it could not read. And it is wrong: *den neuen Computer* would be right. It chose *das* before it
# chose the noun, and cannot take a word back. (The surest bars stop near 0.9, because training asked for 0.9 and not for 1: notebook 14.)
#
# ## Why a word must look at others
#
# Read *The dog chased the cat because **it** was hungry* and *... because **it** was slow*. Who is "it"? You looked
# back, and at a different word each time. (The phrasebook has neither "chased" nor "slow", so this model cannot translate
# these two.) That is not a rare case:

# %%
nouns = ["radio", "lamp", "computer"]  # add a noun, or change "turn off" to "turn on"
translator.translate([f"I turn off the new {noun} every day." for noun in nouns])

# %% [markdown]
# "the new" is the same three times. The German is *das neue*, *die neue*, *den neuen*, and only the noun says which.
# In German generally, *turn* alone would not be *schalten*: a key that is turned is *gedreht*. (The phrasebook has only
# *turn off* and *turn on*, so this model never has to choose.)
#
# Now look at what the model starts from. A sentence becomes ids, and a table has a row of 64 numbers for each id:

# %%
pair = ["I turn off the new radio every day.", "I turn off the new lamp every day."]
ids = np.array([translator.encode(line) for line in pair])  # (2, 10)

# %% tags=["hide-input"]
from helpers.at_work import most_looked_at, place_of, show_distances, table_rows
from helpers.expected import Expected

table = translator.model.encoder.input_embedding.embedding.table.data  # (825, 64)
expected_rows = Expected(vectors=table_rows(translator, ids))
words = ["I", *translator.source.split(pair[0])[1:], "<eos>"]
words_2 = [*words[:5], "lamp", *words[6:]]
show_arrays(ids=ids, rows=["with radio", "with lamp"], columns=words)

# %% [markdown]
# **Write it.** `table` is (825, 64), and `table[i]` is its row i. What gives the rows of all 20 ids at once, as one
# array?

# %%
vectors = ...  # (2, 10, 64), the row of each id
vectors = expected_rows.check(vectors=vectors)

# %% tags=["hide-input"]
changed = [(words.index("radio"), feature) for feature in range(7)]
show_arrays(
    radio=vectors[0, :, :7],
    lamp=vectors[1, :, :7],
    rows={"radio": words, "lamp": words_2},
    marked={"radio": changed, "lamp": changed},
)

# %% [markdown]
# Here are the first 7 of the 64 numbers of each word. Only one row differs. "the" has the same numbers next to "radio"
# and next to "lamp", and from these nobody can tell *das* from *die*.
#
# Then the encoder changes the rows. How far apart are the two vectors of "the" when it has finished? And those of the
# other words, without the noun itself?

# %%
after, _ = translator.model.encode(ids)  # (2, 10, 64)
apart_before = np.linalg.norm(vectors[0] - vectors[1], axis=-1)  # (10,)
apart_after = np.linalg.norm(after[0] - after[1], axis=-1)
show_distances(words, apart_before, apart_after, without="radio")

# %% [markdown]
# Now every word knows something of the noun, and most of all "the" and "new", whose German forms depend on it. Something
# has fetched it from "radio" and from "lamp". That is **attention**; in the next notebook you compute it by hand.
#
# ## Where does it look?
#
# The German words need something from the English ones too. When the model writes a word, it looks at the English words
# with *weights*: numbers from 0 to 1, with the sum 1. A row of `weights` belongs to a word that it writes, a column to a
# word that it reads. It looks with four *heads* at once, in each of two layers; these are the weights of the last layer,
# a mean of its heads. Notebook 04 takes them apart.

# %%
bet = Bet("When it writes 'schalte', which English word does it look at most?", ["turn", "off", "I"])
bet.place(...)

# %%
from npformer.visualization import sentence_attention

looked = sentence_attention(translator, sentence)
written = looked.written  # T words
read = looked.source  # S words
weights = looked.cross[-1].mean(0)  # (T, S), the last layer of the decoder, a mean of its heads

# %% tags=["hide-input"]
expected_places = Expected(places=most_looked_at(weights))

# %% [markdown]
# **Write it.** For each German word, the index of the English word with the largest weight, in one line. NumPy has a
# function for it, which takes an `axis`.

# %%
places = ...  # integers (T,), from weights (T, S)
places = expected_places.check(places=places)

# %%
bet.settle(read[places[place_of("schalte", written)]])
[f"{german} <- {read[place]}" for german, place in zip(written, places, strict=True)]

# %%
show_attention(weights, written, read, title="rows: what it writes, columns: what it reads")

# %% [markdown]
# Six of the eight words look most at the word that they translate. Nobody told the model which belongs to which. More
# can be learned from the other rows:
#
# - *schalte* looks at "I", and then at "turn". A German verb has an ending for each person: *ich schalte, du schaltest,
#   er schaltet*. "turn" does not say which. Two of the four heads look at "I", one at "turn", and one at both.
# - *schalte* hardly looks at "off", 0.03. "off" is needed for *aus* (with "on" it would be *ein*).
# - *das* looks at "the" and at "radio": it needs both.
# - *aus* looks at "off", at "turn", and most at `<eos>`, which means nothing. But the encoder has put something into
#   its vector, as it did with "the". What, the map does not show: it shows where a model looks, not what it finds
#   there. Notebook 26 asks that.
#
# ## The machine, and what will be yours
#
# This is the same model, drawn as figure 1 of the paper. Each box is a layer, and each arrow has the shape of the array
# that passes. You need not understand any label yet.

# %%
npf.visualization.figure_1(translator.model)

# %% [markdown]
# | box, from the bottom | what it does | notebook |
# |---|---|---|
# | embedding, positional encoding | a row of a table for each token, and its place | [05](05_embedding_and_positions.ipynb) |
# | multi-head attention | lets words look at each other | [02](02_attention_by_hand.ipynb), [03](03_why_divide_by_sqrt_dk.ipynb), [04](04_many_heads.ipynb) |
# | feed forward, add & norm | work on each word by itself | [06](06_one_encoder_layer.ipynb) |
# | masked attention; encoder, decoder | does not look ahead; N layers each | [07](07_encoder_and_decoder.ipynb) |
# | linear, softmax | give each token its probability | [08](08_build_it.ipynb) |
#
# The numbers in these boxes, 286,272 of them, are the model's *parameters*. Training found them. Everything else is
# code, and you will write it.
#
# **At the end of part I** (notebook 08) the code is yours: your own forward pass translates this sentence with these
# parameters. **At the end of part II** (notebook 17) the parameters are yours too: your own layers start from random
# ones, and learn to translate.
#
# ## Two questions
#
# **1.** A dictionary could have an entry for "turn off". Why is a dictionary of pairs of words no solution?
#
# <details><summary>Answer</summary>
#
# Its 253 English words make 64,000 ordered pairs, and nearly half of these never occur together in one of the 20,000
# sentences. Nor need the two be neighbors: "turn the old radio off" has three words in between. Attention has no list
# of pairs. It computes from two vectors how much one word needs the other, also for a pair that never occurred.
#
# </details>
#
# **2.** "robot" and "zebra" are both unknown. How do the probabilities differ that the model gives with *the new robot*
# and with *the new zebra*?
#
# <details><summary>Answer</summary>
#
# Not in one digit. Both sentences are the same array of ids, and all that follows is a function of it. A model cannot
# repair what its vocabulary has thrown away. Notebook 20 cuts unknown words into pieces that it knows.
#
# </details>

# %% [markdown]
# **You can now**
#
# - translate with a trained Transformer, and see how sure it is of each word;
# - say why a word must look at others: its row of the table is the same in every sentence;
# - read a map of attention weights, and say what it does not show.
#
# The exercise `numpy` has two more functions, `center` and `scale`. Next: [notebook 02](02_attention_by_hand.ipynb),
# attention for one word, with a pencil.
