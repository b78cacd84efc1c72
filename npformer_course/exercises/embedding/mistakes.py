"""What people write in place of the solution of embedding, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "no_root",
        "y is the rows as they stand in the table",
        Edit("return table[ids] * d_model**0.5", "return table[ids]"),
        ask="What does section 3.4 multiply the embeddings by?",
    ),
    Mistake(
        "d_model_itself",
        "y is the rows times d_model",
        Edit("d_model**0.5", "d_model"),
        ask=(
            "With d_model = 512 and numbers of size 1 / sqrt(512) in the table, of which size "
            "should those of y be?"
        ),
    ),
    Mistake(
        "root_of_V",
        "y is the rows times the root of the number of words",
        Edit("d_model = table.shape[1]", "d_model = table.shape[0]"),
        ask="Which of the two axes of the table is d_model?",
    ),
    Mistake(
        "root_of_T",
        "y is the rows times the root of the number of positions",
        Edit("d_model = table.shape[1]", "d_model = ids.shape[1]"),
        ask="Put one more padding at the end of every sentence. Should the other words change?",
    ),
    Mistake(
        "padding_looked_up_as_zero",
        "y is 0 where the id is padding",
        Edit("return table[ids] *", "return (ids != 0)[..., None] * table[ids] *"),
        ask="What did we agree on for padding?",
    ),
    Mistake(
        "divided",
        "y is the rows, divided by the root of d_model",
        Edit("return table[ids] * d_model**0.5", "return table[ids] / d_model**0.5"),
        ask="The numbers in the table are small. Is the root there to make them larger or smaller?",
    ),
    Mistake(
        "one_row_early",
        "every id has the row above its own, and id 0 has the last one",
        Edit("return table[ids]", "return table[ids - 1]"),
        ask="A vocabulary has V = 3 words. Which ids are there, and which row belongs to each?",
    ),
]
