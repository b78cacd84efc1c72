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
# # 28b Text classification with the encoder
#
# *A detour from [28](28_lstm_with_attention.ipynb): nothing later needs it.
# [Notation](../docs/reference/notation.md).*
#
# Not every question about a sentence wants a sentence as its answer. Is this mail spam? Is this German correct? One
# word is enough, and half of the Transformer.
#
# **After this you can** say what counting words cannot find; tell precision from recall; make one vector of a sentence,
# and send its gradient back.
#
# Paper: section 3.1, the encoder. Code: `npformer/models/classifier.py`, `npformer/layers/extra/pooling.py`. About 30
# minutes with its writing.

# %%
# %matplotlib inline
import numpy as np

from helpers import classifying, schematics
from helpers.compare import compare
from helpers.pictures import confusion_size, plot_confusion, show_arrays
from npformer.layers import padding_mask
from npformer.tasks import evaluate
from npformer.visualization.plots import new_figure
from npformer_course import Bet, exercise

schematics.mean_of_words()

# %% [markdown]
# ## Spotting mistakes
#
# Half of 9,500 German sentences are correct. In each of the others a grammar has planted one mistake, of six kinds. You
# need no German. Here is a sentence of each kind, what is wrong, and a mistake like it in English:
#
# | class | a sentence of it | should be | like |
# |---|---|---|---|
# | adjective | Isst mein klugen Freund freitags Käse? | kluge**r** Freund: the ending agrees with the noun | many clever friend |
# | case | Mein netter Freund spielt mit deine Mutter. | mit deine**r**: *mit* wants another form | he plays with she |
# | gender | Warum will mein Vater diese Hemd suchen? | diese**s** Hemd: shirts are neuter | the queen and his crown |
# | prefix | Diese Frau aufmacht deine Türen. | **macht** ... **auf**: the verb is parted | she upopens the doors |
# | verb_last | Ich esse einen Apfel, weil ich bin hungrig. | hungrig **bin**: after *weil* the verb is last | I wonder where is she |
# | verb_second | Diese Kinder nicht sind hungrig. | **sind** nicht: the verb comes second | the children not are hungry |
#
# The seventh class is `right`. A model reads 8,000 sentences with their classes, and gets 1,000 others as a test.

# %%
sentences = classifying.Sentences()
names = sentences.labels.names
V = len(sentences.words)  # 465 tokens
C = len(names)  # 7 classes

# %% [markdown]
# ## A bag of words cannot tell
#
# The plainest classifier forgets the order and counts. Naive Bayes adds up how well each word fits a class $c$:
#
# $$\log P(c \mid \text{text}) = \log P(c) + \sum_{w} n_w \log P(w \mid c) + \text{const}$$
#
# $n_w$ is how often word $w$ is in the text, and $P(w \mid c)$ its share among the words of the class, with 1 added to
# each count. Where single words give a class away, as in news, it is hard to beat. Here?

# %%
bet = Bet("Which of these verdicts of a bag of words is right most often?", ["prefix", "case", "verb_second"])
bet.place(...)

# %%
one_hot = np.eye(C)[sentences.classes(sentences.train)]  # (N, C)
seen = one_hot.T @ sentences.counts([text for _, text in sentences.train]) + 1  # (C, V)
log_prior = np.log(one_hot.mean(0))  # (C,)
log_share = np.log(seen / seen.sum(1, keepdims=True))  # (C, V)

scores = log_prior + sentences.counts([text for _, text in sentences.test]) @ log_share.T  # (N, C)
bag = sentences.confusion(scores.argmax(1))  # (C, C)
bag_accuracy = np.trace(bag) / bag.sum()
compare(bag_accuracy, 0.555, "accuracy of naive Bayes")

# %% tags=["hide-input"]
figure, ax = new_figure(**confusion_size(bag, names))
plot_confusion(ax, bag, names, title="a bag of words")
figure

# %% [markdown]
# Its accuracy is 55.5 %, and "right" for every sentence would have 50 %. A row of the picture is a class, a column a
# verdict. **Write** for each class its *precision*: of the sentences that are called so, the share that are of it.

# %%
expected = classifying.expected_lines(bag)
precision = ...  # (7,), from bag

# %%
precision = expected.check(precision=precision)
bet.settle(max(bet.options, key=lambda name: precision[names.index(name)]))

# %% tags=["hide-input"]
show_arrays(precision=precision[None], rows=[""], columns=names)

# %% [markdown]
# A verb in the wrong place leaves the bag as it was, so no counting of words can find it, however clever. The words
# tell at most which mistake a sentence *could* have: after "weil" a verb may be in the wrong place. Whether it is, the
# bag does not know. Of 164 sentences that it calls "verb_last", half have no mistake.
#
# *Recall* is another share: of the sentences of a class, those that are found. "case" has as much of it as "prefix", 76
# of 83. But the bag calls 123 sentences "case", and a third of them have no mistake at all: it sees that there is a
# preposition, and not what follows it. Only "prefix" has words of its own. "aufsteht" is written as one, and in a main
# clause it must be "steht ... auf".
#
# ## One vector for a sentence
#
# The encoder turns ids $(B, S)$ into vectors $x$ of shape $(B, S, D)$. A class needs one vector $y$ per sentence, and
# then $\text{logits} = yW + b$ as always. The plainest is the mean. But the sentences of a batch are filled up with
# `<pad>`, and the encoder returns a vector there too:
#
# $$y = \frac{1}{n} \sum_{s\ \mathrm{real}} x_s$$
#
# where $n$ is the number of real positions. (Others take the largest number of each feature, or only the vector of the
# first token, as BERT does.)
#
# **Write it, and its backward:** `dy` is the gradient of the sentence's one vector. How much of it does each position
# get, and how much does padding? The mask is True where a token is real.


# %%
def mean_pool(x, mask):
    """Return the mean y (B, D) of the real positions of x (B, S, D).

    mask (B, S): boolean, True where a position is real, at least once in a row. Neither is changed.
    """
    raise NotImplementedError


def mean_pool_backward(dy, mask):
    """Return dx (B, S, D), the gradient of x.

    dy (B, D): the gradient of y. mask (B, S): the mask of forward. Neither is changed.
    """
    raise NotImplementedError


# %%
mean_pool, mean_pool_backward = exercise("pooling").check(mean_pool, mean_pool_backward)

# %% [markdown]
# On a sentence in a batch with a longer one, with four features that one can read:

# %%
batch = sentences.batch("Sie schläft nicht.", "Heute will der Mann schlafen.")
mask = padding_mask(batch.ids, 0)[:, 0]  # (2, S)
x = np.random.default_rng(4).integers(-6, 10, (*batch.ids.shape, 4)).astype(float)
y = mean_pool(x, mask)
dy = np.array([[5.0, -5, 10, 0], [7, 7, 7, 7]])
dx = mean_pool_backward(dy, mask)

# %% tags=["hide-input"]
tokens = [sentences.words.tokens[id] for id in batch.ids[0]]
show_arrays("x → y dy → dx", x=x[0], y=y[:1], dy=dy[:1], dx=dx[0], rows=tokens)

# %% [markdown]
# Add up the columns of `dx`: what do you get? And look at the rows of `<pad>`.
#
# ## Training
#
# Two layers of 64 features, and between them and the linear layer your two functions. The loss is the cross-entropy of
# one class per sentence, with label smoothing, as for tokens, and the loop is that of notebook 16. (The peak of the
# rate, 0.003, is the best of 0.001, 0.003 and 0.01: [28c](28c_four_encoders_compared.ipynb) has the table.)

# %%
model = classifying.new_classifier(sentences)
model.pooling = classifying.OwnPooling(mean_pool, mean_pool_backward)
classifier, accuracies = classifying.train(sentences, model)
result = evaluate(classifier, sentences.test)
compare(result.accuracy, 0.77, "accuracy on the test set", tolerance=0.03)

# %% tags=["hide-input"]
figure, ax = new_figure(**confusion_size(result.confusion, names))
plot_confusion(ax, result.confusion, names, title="the encoder")
figure

# %% [markdown]
# Verbs in the wrong place can be found now. The encoder finds fewer "verb_last" than the bag did, about 45 of 83, but
# nearly all sentences that it calls so have this mistake. One kind is hardly ever taken for another: mistakes are
# overlooked, or seen where there is none. Hardest are the two for which one has to know which noun an ending belongs
# to, "adjective" and "gender".
#
# An accuracy hides that half of the sentences are of one class. **F1** of a class is the harmonic mean of its precision
# and its recall. Macro F1, the mean over the classes, counts each the same: `result.macro_f1` is about 0.73 here.
#
# ## Three questions
#
# **1.** Take the positions away from this classifier. Can it still find "verb_second"?
#
# <details><summary>Answer</summary>
#
# It can suspect one, and no more. Without positions self-attention does not see order (notebook 05). "Heute der Mann
# will schlafen." and "Heute will der Mann schlafen." get the same vectors in another order, so the same mean and the
# same class, and for one of the two it is wrong. It is then a bag of words, though one in which words may look at each
# other: it knows which words such mistakes are made of, and not whether one was made.
#
# </details>
#
# **2.** A colleague has 96 % on spam, and 96 % of all mail is not spam. What do you ask for?
#
# <details><summary>Answer</summary>
#
# The confusion matrix, or F1 of each class. "Not spam" for every mail has 96 % too. Here "right" for every sentence has
# 50 %, and a macro F1 of 0.095: F1 of "right" is 0.67, and that of the six others 0.
#
# </details>
#
# **3.** You forget the mask in mean pooling, in training and in testing. Which sentences suffer most, and how would you
# find the bug?
#
# <details><summary>Answer</summary>
#
# Short ones in batches with long ones: most of their mean is then the vectors of `<pad>`. And the class of a sentence
# depends on which others are in its batch. So classify one sentence by itself, then in a batch, and compare.
#
# </details>

# %% [markdown]
# **You can now**
#
# - say what a bag of words cannot see;
# - pool the vectors of a sentence without its padding, and send the gradient back;
# - read precision and recall off a confusion matrix.
#
# Back to [28](28_lstm_with_attention.ipynb), or on to [28c](28c_four_encoders_compared.ipynb): would an LSTM read these
# sentences better?
