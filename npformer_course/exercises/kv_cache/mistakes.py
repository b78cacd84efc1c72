"""What people write in place of the solution of kv_cache, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "always_position_0",
        "every part of a sentence gets the rows of the table from 0 on",
        Edit("sinusoids(start + n_new, d_model)[start:]", "sinusoids(n_new, d_model)"),
        ask=(
            "What would 'the cat sees the cat' look like if every word believed that it stands "
            "first?"
        ),
    ),
    Mistake(
        "position_off_by_one",
        "every position gets the row of the position behind it",
        Edit(
            "sinusoids(start + n_new, d_model)[start:]",
            "sinusoids(start + n_new + 1, d_model)[start + 1 :]",
        ),
        ask=(
            "With L positions in the cache, what is the number of the next one, if the first has "
            "number 0?"
        ),
    ),
    Mistake(
        "table_ends_too_early",
        "{part}: these numbers come out when the table ends after max(start, N) rows, and its last "
        "N are added",
        Edit(
            "sinusoids(start + n_new, d_model)[start:]",
            "sinusoids(max(start, n_new), d_model)[-n_new:]",
        ),
        ask=(
            "With start = 4 and N = 2, which two rows do the new positions get, and which numbers "
            "have they in their sentence?"
        ),
    ),
    Mistake(
        "mask_without_the_old",
        "{part}: these numbers come out when the mask is the triangle of the new positions alone, "
        "laid over the first keys",
        Edit("<= n_old + np.arange(n_new)[:, None]", "<= np.arange(n_new)[:, None]"),
        ask=(
            "New position 0 is at place L of its sentence. Which columns of (N, L + N) may it "
            "look at?"
        ),
    ),
    Mistake(
        "blind_to_itself",
        "{part}: these numbers come out when no new position looks at its own key",
        Edit("<= n_old + np.arange(n_new)[:, None]", "< n_old + np.arange(n_new)[:, None]"),
        ask="In the square causal mask, is the diagonal True or False?",
    ),
    Mistake(
        "new_ones_see_the_future",
        "{part}: these numbers come out when each new position looks at all the others, those "
        "behind it too",
        Edit(
            "<= n_old + np.arange(n_new)[:, None]",
            "< n_old + n_new + 0 * np.arange(n_new)[:, None]",
        ),
        ask="Of three words of a prompt, may the first one look at the third?",
    ),
    Mistake(
        "newest_in_front",
        "the new keys and values stand in front of the old ones",
        Edit("np.concatenate([keys, k], 2)", "np.concatenate([k, keys], 2)"),
        Edit("np.concatenate([values, v], 2)", "np.concatenate([v, values], 2)"),
        ask=(
            "Which column of the mask belongs to which position, and is that the order in which "
            "your cache grows?"
        ),
    ),
    Mistake(
        "old_ones_not_seen",
        "{part}: these numbers come out when new positions look at the new ones alone, as if the "
        "cache were empty",
        Edit(
            "return np.arange(n_old + n_new) <=",
            "return np.where(np.arange(n_old + n_new) < n_old, np.inf, np.arange(n_old + n_new)) "
            "<=",
        ),
        ask=(
            "How many keys does the third step find in the cache, and which of them does its "
            "mask show?"
        ),
    ),
    Mistake(
        "memory_grows",
        "the keys and values of the written tokens get among those of the memory",
        Edit(
            "newest = newest + y\n",
            "newest = newest + y\n"
            "        memory_keys = np.concatenate([memory_keys, keys[:, :, -1:]], 2)\n"
            "        memory_values = np.concatenate([memory_values, values[:, :, -1:]], 2)\n"
            "        mask = np.concatenate([mask, np.ones((B, 1), bool)], 1)\n",
        ),
        ask="Does the source sentence get longer while its translation is written?",
    ),
    Mistake(
        "padding_seen",
        "cross-attention looks at the padding of the memory",
        Edit("attend(q, keys, values, mask[:, None, None, :])", "attend(q, keys, values, True)"),
        ask="Which of your arguments tells where the memory is padding?",
    ),
    Mistake(
        "residual_lost",
        "cross-attention is given what self-attention returned, without what went in next to it",
        Edit("newest = newest + y\n", "newest = y\n"),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "second_residual_lost",
        "each step gives what cross-attention returned, without what went in next to it",
        Edit("steps.append(newest + cross_attention_step(", "steps.append(cross_attention_step("),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "table_forgotten",
        "y of all steps does not depend on where a token is: no position has got the table",
        Edit("newest = add_positions(x[:, t : t + 1], t)", "newest = x[:, t : t + 1]"),
        ask="Two sentences have the same words in another order. What tells your steps?",
    ),
    Mistake(
        "output_forgotten",
        "{part}: these numbers come out when the merged heads of an attention are its result",
        Edit(
            "merge_heads(attend(q, keys, values, may_look)) @ W[3]",
            "merge_heads(attend(q, keys, values, may_look))",
        ),
        Edit(
            "merge_heads(attend(q, keys, values, mask[:, None, None, :])) @ U[3]",
            "merge_heads(attend(q, keys, values, mask[:, None, None, :]))",
        ),
        ask=(
            "Four matrices are stacked in the array. Which three have you used, and where does "
            "the fourth come in?"
        ),
    ),
    Mistake(
        "values_by_the_key_matrix",
        "the values of the memory are made by the matrix of its keys",
        Edit("values = memory @ U[2]", "values = memory @ U[1]"),
        ask=(
            "Which of the four matrices makes what is averaged, and which what is compared with "
            "the query?"
        ),
    ),
    Mistake(
        "newest_in_front_throughout",
        "the new keys and values stand in front of the old ones, and the mask fits that order",
        Edit("np.concatenate([keys, k], 2)", "np.concatenate([k, keys], 2)"),
        Edit("np.concatenate([values, v], 2)", "np.concatenate([v, values], 2)"),
        Edit(
            "may_look = new_positions_mask(x.shape[1], n_old)",
            "may_look = np.hstack([np.tri(x.shape[1], dtype=bool), np.ones((x.shape[1], n_old), "
            "bool)])",
        ),
        ask="In which order does the text want the positions of a cache?",
    ),
    Mistake(
        "first_result_lost",
        "{part} lacks what self-attention gave: after cross-attention it is missing from the sum",
        Edit("newest = newest + y", "before, newest = newest, newest + y"),
        Edit("steps.append(newest + cross", "steps.append(before + cross"),
        ask="To what do you add the result of cross-attention?",
    ),
    Mistake(
        "residuals_lost",
        "each step gives what the two attentions returned one after the other, without what went "
        "into either",
        Edit("newest = newest + y\n", "newest = y\n"),
        Edit("steps.append(newest + cross_attention_step(", "steps.append(cross_attention_step("),
        ask="What does 'Add' stand for in the Add & Norm of figure 1?",
    ),
    Mistake(
        "cross_attention_past_the_residual",
        "cross-attention is given what went into self-attention, without what it returned",
        Edit("cross_attention_step(newest, U", "cross_attention_step(newest - y, U"),
        ask=(
            "In layer_at_once, what does x hold when the queries of cross-attention are made of it?"
        ),
    ),
    Mistake(
        "mask_upside_down",
        "{part}: these numbers come out when the mask is True where a position may not look",
        Edit("<= n_old + np.arange(n_new)[:, None]", "> n_old + np.arange(n_new)[:, None]"),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "one_ahead",
        "{part}: these numbers come out when each new position looks at the one behind it too",
        Edit("<= n_old + np.arange(n_new)[:, None]", "<= n_old + 1 + np.arange(n_new)[:, None]"),
        ask="In the square causal mask, what is the first entry to the right of the diagonal?",
    ),
    Mistake(
        "columns_exchanged",
        "{part}: these numbers come out when the mask has the new positions in its first columns, "
        "and the old ones behind",
        Edit(
            "return np.arange(n_old + n_new) <=",
            "return np.roll(np.arange(n_old + n_new), n_new) <=",
        ),
        ask="Which position of the sentence does column 0 of the mask stand for?",
    ),
    Mistake(
        "row_of_start",
        "every new position gets the row of the first of them",
        Edit(
            "sinusoids(start + n_new, d_model)[start:]", "sinusoids(start + n_new, d_model)[start]"
        ),
        ask="How many rows of the table do N positions want?",
    ),
    Mistake(
        "keys_in_both_caches",
        "the cache of the values is continued with the new keys",
        Edit("values = np.concatenate([values, v], 2)", "values = np.concatenate([values, k], 2)"),
        ask="Which array goes into which cache?",
    ),
    Mistake(
        "matrices_exchanged",
        "self-attention makes its keys by W[2] and its values by W[1]",
        Edit(" k = split_heads(x @ W[1]", " k = split_heads(x @ W[2]"),
        Edit(" v = split_heads(x @ W[2]", " v = split_heads(x @ W[1]"),
        ask=(
            "Which of the four matrices makes what is averaged, and which what is compared with "
            "the query?"
        ),
    ),
    Mistake(
        "new_ones_returned_alone",
        "{part}: these numbers come out when the new keys and values are returned without those of"
        " the cache",
        Edit(
            "attend(q, keys, values, may_look)) @ W[3], keys, values",
            "attend(q, keys, values, may_look)) @ W[3], k, v",
        ),
        ask="What does the next step find in the cache: by the docstring, and after your step?",
    ),
    Mistake(
        "keys_by_the_query_matrix",
        "the keys of the memory are made by the matrix of the queries",
        Edit("keys = memory @ U[1]", "keys = memory @ U[0]"),
        ask="Four matrices are stacked, in the order Q, K, V, O. Which index has each?",
    ),
    Mistake(
        "heads_not_split",
        "{part} has all heads side by side, without an axis of heads",
        Edit(
            "return split_heads(keys, n_heads), split_heads(values, n_heads)", "return keys, values"
        ),
        ask="Which shape does the docstring name, and which function that is given makes it?",
    ),
    Mistake(
        "memory_reshaped",
        "{part}: these numbers come out when a reshape alone makes the axis of heads",
        Edit(
            "return split_heads(keys, n_heads), split_heads(values, n_heads)",
            "return tuple(x.reshape(len(x), n_heads, x.shape[1], -1) for x in (keys, values))",
        ),
        ask=(
            "In (B, S, H * K), what is next to the first head of position 0, and where does it "
            "stand in yours?"
        ),
    ),
    Mistake(
        "padding_seen_alone",
        "{part}: these numbers come out when cross-attention looks at the padding of the memory, "
        "and at nothing else",
        Edit(
            "attend(q, keys, values, mask[:, None, None, :])",
            "attend(q, keys, values, ~mask[:, None, None, :])",
        ),
        ask="What does True stand for in the mask of this exercise?",
    ),
    Mistake(
        "query_not_projected",
        "{part}: these numbers come out when the queries of cross-attention are the heads of x "
        "itself",
        Edit("split_heads(x @ U[0], keys.shape[1])", "split_heads(x, keys.shape[1])"),
        ask=(
            "Four matrices are stacked in the array. Which have you used, in project_memory and "
            "here?"
        ),
    ),
    Mistake(
        "residual_without_the_table",
        "{part}: these numbers come out when the residual of self-attention does not have the "
        "table added",
        Edit("newest = newest + y\n", "newest = x[:, t : t + 1] + y\n"),
        ask="In layer_at_once, what does x hold when the result of self-attention is added to it?",
    ),
    Mistake(
        "memory_in_the_cache",
        "{part}: these numbers come out when the cache of self-attention begins with the keys and "
        "values of the memory",
        Edit("keys = np.zeros((B, H, 0, K))", "keys = memory_keys"),
        Edit("values = np.zeros((B, H, 0, K))", "values = memory_values"),
        ask="Which positions has self-attention seen before the first step?",
    ),
    Mistake(
        "last_step_alone",
        "{part} is that of the last step alone",
        Edit("return np.concatenate(steps, 1)", "return steps[-1]"),
        ask="What becomes of the result of the first step when the second one is made?",
    ),
    Mistake(
        "heads_reshaped",
        "{part}: these numbers come out when the heads are put side by side by a reshape alone",
        Edit(
            "merge_heads(attend(q, keys, values, may_look)) @",
            "attend(q, keys, values, may_look).reshape(x.shape) @",
        ),
        Edit(
            "merge_heads(attend(q, keys, values, mask[:, None, None, :])) @",
            "attend(q, keys, values, mask[:, None, None, :]).reshape(x.shape) @",
        ),
        ask="In (B, H, T, K), what is next to the first head of position 0, and what should be?",
    ),
    Mistake(
        "a_position_of_zeros",
        "{part}: these numbers come out when the cache begins with a position whose key and value "
        "are 0",
        Edit("keys = np.zeros((B, H, 0, K))", "keys = np.zeros((B, H, 1, K))"),
        Edit("values = np.zeros((B, H, 0, K))", "values = np.zeros((B, H, 1, K))"),
        ask=(
            "How many positions are in the cache before the first step? What is the softmax of a "
            "score of 0?"
        ),
    ),
]
