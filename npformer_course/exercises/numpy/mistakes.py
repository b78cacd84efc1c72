"""What people write in place of the solution of numpy, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "sentences_fastest",
        "{part} is what comes out when the rows are counted with the sentences fastest, position "
        "after position",
        Edit(
            "return scores[sentences, positions, ids]",
            "return scores.reshape(-1, scores.shape[-1])[sentences + len(ids) * positions, ids]",
        ),
        ask=(
            "After scores.reshape(B * T, V), what is in the second row: the next position or the "
            "next sentence?"
        ),
    ),
    Mistake(
        "mean_of_everything",
        "one mean of all numbers is subtracted everywhere",
        Edit("x.mean(-1, keepdims=True)", "x.mean()"),
        ask="How many means does the formula have: one, or one for each b and t?",
    ),
    Mistake(
        "mean_over_positions",
        "each feature loses its mean over the positions of the sentence",
        Edit("x.mean(-1, keepdims=True)", "x.mean(1, keepdims=True)"),
        ask=(
            "Over which of the three letters does the sum of the formula run, and which axis is "
            "that?"
        ),
    ),
    Mistake(
        "mean_over_sentences",
        "each number loses its mean over the sentences",
        Edit("x.mean(-1, keepdims=True)", "x.mean(0)"),
        ask=(
            "Over which of the three letters does the sum of the formula run, and which axis is "
            "that?"
        ),
    ),
    Mistake(
        "sum_for_mean",
        "the sum of the features is subtracted, not their mean",
        Edit("x.mean(-1, keepdims=True)", "x.sum(-1, keepdims=True)"),
        ask="Which factor has the sum in the formula?",
    ),
    Mistake(
        "divided_by_positions",
        "the sum of the features of a position is divided by the number of positions",
        Edit("x.mean(-1, keepdims=True)", "x.sum(-1, keepdims=True) / x.shape[1]"),
        ask="How many numbers are added up for one mean, and what is their sum divided by?",
    ),
    Mistake(
        "mean_alone",
        "what comes is the mean at each position, and nothing is subtracted from anything",
        Edit("return x - mean", "return mean"),
        ask="What should the features of one position add up to, after center?",
    ),
    Mistake(
        "weights_added",
        "the weights are added, not multiplied",
        Edit("return factors * x", "return factors + x"),
        ask="What should come out where the weight is 0?",
    ),
    Mistake(
        "one_weight_per_sentence",
        "all positions of a sentence are multiplied by the weight of its first",
        Edit("factors = weights[..., None]", "factors = weights[:, :1, None]"),
        ask="How many different weights does one sentence have?",
    ),
    Mistake(
        "weights_normalized",
        "the weights of each sentence are divided by their sum first",
        Edit(
            "factors = weights[..., None]",
            "factors = (weights / weights.sum(1, keepdims=True))[..., None]",
        ),
        ask=(
            "Double all weights of a sentence. What should happen to the result of scale, and "
            "what happens to yours?"
        ),
    ),
    Mistake(
        "positions_summed",
        "what comes is the sum over the positions of each sentence",
        Edit("return factors * x", "return (factors * x).sum(1)"),
        ask="Is there a sum in the formula of scale?",
    ),
    Mistake(
        "every_id_everywhere",
        "each position has the scores of all ids of the batch, not of its own alone",
        Edit("scores[sentences, positions, ids]", "scores[:, :, ids]"),
        ask="A colon is no array of integers: with which of the ids does it combine each position?",
    ),
    Mistake(
        "ids_of_the_first_sentence",
        "every sentence takes the ids of the first one",
        Edit(
            "positions = np.arange(ids.shape[1])\n",
            "positions = np.arange(ids.shape[1])\n    ids = ids[0]\n",
        ),
        ask="Which ids does the second sentence have, and where do you look at them?",
    ),
    Mistake(
        "first_positions_scores",
        "all ids pick from the scores of the first position of their sentence",
        Edit("scores[sentences, positions", "scores[sentences, 0"),
        ask="Each position has scores of its own. Which of them does your index take?",
    ),
    Mistake(
        "largest_score",
        "what comes is the largest score of each position, whatever its id",
        Edit("scores[sentences, positions, ids]", "scores.max(-1)"),
        ask="Change an id. Does your result change?",
    ),
    Mistake(
        "standardized",
        "the distances from the mean are divided by their spread",
        Edit("return x - mean", "return (x - mean) / x.std(-1, keepdims=True)"),
        ask=(
            "Double all numbers of x. What should happen to the result of center, and what "
            "happens to yours?"
        ),
    ),
    Mistake(
        "scores_in_one_row",
        "the ids are taken for places in the scores of the whole batch, laid out in one row",
        Edit("scores[sentences, positions, ids]", "scores.reshape(-1)[ids]"),
        ask="How many axes do the scores have, and which of them does your index know of?",
    ),
    Mistake(
        "features_summed",
        "what comes is the sum over the features of each position",
        Edit("return factors * x", "return (factors * x).sum(-1)"),
        ask="Is there a sum in the formula of scale?",
    ),
    Mistake(
        "score_before",
        "each position has the score one place before that of its id, and the last one for the "
        "id 0",
        Edit(
            "positions = np.arange(ids.shape[1])\n",
            "positions = np.arange(ids.shape[1])\n    ids = ids - 1\n",
        ),
        ask="Which entry of a row of scores belongs to the id 0?",
    ),
    Mistake(
        "mean_over_sentence",
        "one mean of the whole sentence is subtracted at all of its positions",
        Edit("x.mean(-1, keepdims=True)", "x.mean((1, 2), keepdims=True)"),
        ask="How many means does the formula have for one sentence?",
    ),
    Mistake(
        "mean_over_batch",
        "each feature loses its mean over all positions of all sentences",
        Edit("x.mean(-1, keepdims=True)", "x.mean((0, 1))"),
        ask=(
            "Over which of the three letters does the sum of the formula run, and which axis is "
            "that?"
        ),
    ),
    Mistake(
        "mean_added",
        "the mean is added",
        Edit("return x - mean", "return x + mean"),
        ask="What should the features of one position add up to, after center?",
    ),
    Mistake(
        "index_of_largest",
        "what comes is the id with the largest score, and no score",
        Edit("scores[sentences, positions, ids]", "scores.argmax(-1)"),
        ask="Change an id. Does your result change?",
    ),
    Mistake(
        "whole_numbers",
        "the scores are cut to whole numbers",
        Edit(", ids]\n", ", ids].astype(int)\n"),
        ask="Which type has the array that you fill, and what does it make of 0.7?",
    ),
    Mistake(
        "mean_less_x",
        "every number has the other sign: the features are subtracted from their mean",
        Edit("return x - mean", "return mean - x"),
        ask="A feature lies above the mean of its position. Which sign should its number have?",
    ),
    Mistake(
        "weights_tiled",
        "the weights of a sentence follow one another along the features, and then again: one "
        "position has several of them",
        Edit(
            "factors = weights[..., None]",
            "factors = np.tile(weights, x.shape[-1]).reshape(x.shape)",
        ),
        ask="What does np.tile make of [1, 2], twice, and what does np.repeat?",
    ),
]
