"""What people write in place of the solution of scores, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SCORES = "return products.sum(-1)"
MEAN = "return shares.sum(0)"
KEY_NORMS = "np.sqrt((k * k).sum(-1))"

MISTAKES = [
    Mistake(
        "products_not_added",
        "each key has the products of its features, and they are not added up",
        Edit(SCORES, "return products"),
        ask="How many scores does one key have in the formula, and how many numbers in yours?",
    ),
    Mistake(
        "summed_over_keys",
        "the products of all keys are added up: one number for each feature",
        Edit(SCORES, "return products.sum(0)"),
        ask="Over which letter does the sum of the formula run, and which axis is that?",
    ),
    Mistake(
        "one_score",
        "all products of all keys are added up to one number",
        Edit(SCORES, "return products.sum()"),
        ask="How many words can be looked at, and how many scores do they have in your result?",
    ),
    Mistake(
        "mean_of_products",
        "each score is divided by D, the number of features",
        Edit(SCORES, "return products.mean(-1)"),
        ask="What does the formula do with the products, and what does it divide their sum by?",
    ),
    Mistake(
        "divided_by_the_root",
        "each score is divided by the root of D",
        Edit(SCORES, "return products.sum(-1) / np.sqrt(len(q))"),
        ask="Is there a root in the formula of this exercise?",
    ),
    Mistake(
        "softmax_taken",
        "scores has weights: none is below 0, and their sum is 1",
        Edit(SCORES, "powers = np.exp(products.sum(-1))\n    return powers / powers.sum()"),
        ask="Which score has the word 'I' in the table, and could your result have it?",
    ),
    Mistake(
        "divided_by_their_sum",
        "the scores are divided by their sum",
        Edit(SCORES, "return products.sum(-1) / products.sum()"),
        ask="Double the query. What should happen to the scores, and what happens to yours?",
    ),
    Mistake(
        "cosine",
        "each score is divided by the norms of the query and of the key",
        Edit(SCORES, f"return products.sum(-1) / np.sqrt(q @ q) / {KEY_NORMS}"),
        ask="Double all numbers of a key. What should happen to its score, and what happens to "
        "yours?",
    ),
    Mistake(
        "query_not_used",
        "scores does not depend on q",
        Edit("products = q * k", "products = k"),
        ask="Two words look at the same sentence for different things. Where do their scores "
        "differ in your code?",
    ),
    Mistake(
        "query_added",
        "query and key are added, not multiplied",
        Edit("products = q * k", "products = q + k"),
        ask="Let the query be 0 in every feature. What is each score by the formula?",
    ),
    Mistake(
        "distances",
        "scores has the squared distances of the keys from the query",
        Edit("products = q * k", "products = (q - k) ** 2"),
        ask="A key is equal to the query. Is its score to be high or 0?",
    ),
    Mistake(
        "distances_negated",
        "scores has the squared distances of the keys from the query, with a minus sign",
        Edit("products = q * k", "products = -((q - k) ** 2)"),
        ask="Double all numbers of a key. What should happen to its score, and what happens to "
        "yours?",
    ),
    Mistake(
        "keys_reshaped",
        "the keys were reshaped to (D, S): their numbers stay in the order in which they were",
        Edit(SCORES, "return q @ k.reshape(k.shape[::-1])"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
    Mistake(
        "weights_not_used",
        "mean is the plain mean of the values, whatever their weights",
        Edit(MEAN, "return v.mean(0)"),
        ask="One word has the weight 1, all others have 0. What should the result be?",
    ),
    Mistake(
        "values_added_whole",
        "mean is the sum of the values, whatever their weights",
        Edit("weights[:, None] * v", "v"),
        ask="One word has the weight 1, all others have 0. What should the result be?",
    ),
    Mistake(
        "divided_by_the_number_of_words",
        "the weighted sum is divided by S, the number of values",
        Edit(MEAN, "return shares.mean(0)"),
        ask="What do the weights add up to? What is the result if all values are the same?",
    ),
    Mistake(
        "shares_not_added",
        "each value is multiplied by its weight, and they are not added up",
        Edit(MEAN, "return shares"),
        ask="How many results does one query have, and how many rows have you?",
    ),
    Mistake(
        "summed_over_features",
        "the features of each value are added up: one number for each word",
        Edit(MEAN, "return shares.sum(-1)"),
        ask="Over which letter does the sum of the formula run, and which axis is that?",
    ),
    Mistake(
        "one_mean",
        "all features of all values are added up to one number",
        Edit(MEAN, "return shares.sum()"),
        ask="How many features has a value, and how many has your result?",
    ),
    Mistake(
        "largest_weight_alone",
        "mean is the value with the largest weight, and the others have no part in it",
        Edit(MEAN, "return v[weights.argmax()]"),
        ask="Two words have the weights 0.5 and 0.4. What should the second one add?",
    ),
    Mistake(
        "weights_added",
        "the weights are added to the values, not multiplied with them",
        Edit("weights[:, None] * v", "weights[:, None] + v"),
        ask="A word has the weight 0. What should its value add to the result?",
    ),
    Mistake(
        "softmax_of_weights",
        "mean is what comes out when the weights are put through softmax, as if they were scores",
        Edit(
            "shares = weights",
            "weights = np.exp(weights) / np.exp(weights).sum()\n    shares = weights",
        ),
        ask="What does the docstring say of the weights: is there anything left to do to them?",
    ),
    Mistake(
        "values_reshaped",
        "the values were reshaped to (F, S): their numbers stay in the order in which they were",
        Edit(MEAN, "return v.reshape(v.shape[::-1]) @ weights"),
        ask="Take a = [[1, 2, 3], [4, 5, 6]]. What is a.T, and what is a.reshape(3, 2)?",
    ),
]
