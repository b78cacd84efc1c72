"""What people write in place of the solution of positions, and what to say of it."""

from npformer_course.definition import Edit, Mistake

MISTAKES = [
    Mistake(
        "exponent_of_the_pair",
        "the exponent counts pairs: it goes from 0 nearly to 1/2, and so slow clocks are too "
        "fast, in a wide model up to a hundred times",
        Edit("(even / d_model)", "(even / 2 / d_model)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "doubled_twice",
        "the exponent goes from 0 nearly to 2",
        Edit("(even / d_model)", "(2 * even / d_model)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "a_clock_for_each_feature",
        "every feature has an exponent of its own, so that a cosine does not belong to the sine "
        "on its left",
        Edit(
            "waves[:, 1::2] = np.cos(angle)",
            "waves[:, 1::2] = np.cos(position / 10000 ** ((even + 1) / d_model))",
        ),
        ask=(
            "Square features 0 and 1 of a row, then 2 and 3, and add each two up. What should "
            "come out, for hands of length 1?"
        ),
    ),
    Mistake(
        "exponent_of_the_feature",
        "every feature has an exponent of its own, and it goes from 0 nearly to 2",
        Edit(
            "waves[:, 0::2] = np.sin(angle)",
            "waves[:, 0::2] = np.sin(position / 10000 ** (2 * even / d_model))",
        ),
        Edit(
            "waves[:, 1::2] = np.cos(angle)",
            "waves[:, 1::2] = np.cos(position / 10000 ** (2 * (even + 1) / d_model))",
        ),
        ask=(
            "With d_model = 6, which numbers does i take in the formula, and which in your lines? "
            "How many features share one i?"
        ),
    ),
    Mistake(
        "halves_side_by_side",
        "all sines come first, then all cosines",
        Edit("waves[:, 0::2] = np.sin(angle)", "waves[:, : len(even)] = np.sin(angle)"),
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, len(even) :] = np.cos(angle)"),
        ask="Which feature is PE(pos, 2i + 1) for i = 0?",
    ),
    Mistake(
        "halves_with_both_ends",
        "all sines come first, then all cosines, and the exponents are spread evenly from 0 to 1, "
        "with both ends",
        Edit("(even / d_model)", "np.linspace(0, 1, d_model // 2)"),
        Edit("waves[:, 0::2] = np.sin(angle)", "waves[:, : len(even)] = np.sin(angle)"),
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, len(even) :] = np.cos(angle)"),
        ask=(
            "Which feature is PE(pos, 2i + 1) for i = 0? And with d_model = 6, which three "
            "exponents does the text name?"
        ),
    ),
    Mistake(
        "positions_from_1",
        "the first row is that of position 1",
        Edit("np.arange(n_positions)[:, None]", "np.arange(1, n_positions + 1)[:, None]"),
        ask="What do all sines and all cosines of position 0 have to be?",
    ),
    Mistake(
        "sine_and_cosine_swapped",
        "cosines stand at the even features, sines at the odd ones",
        Edit("np.sin(angle)", "np.cos(angle)"),
        Edit("waves[:, 1::2] = np.cos(angle)", "waves[:, 1::2] = np.sin(angle)"),
        ask="What should feature 0 of position 0 be?",
    ),
    Mistake(
        "multiplied",
        "the position is multiplied by the power of 10000",
        Edit("angle = position / 10000 **", "angle = position * 10000.0 **"),
        ask="Should later features turn faster or more slowly than the first?",
    ),
    Mistake(
        "base_1000",
        "the slowest clocks are too fast: the base is 1000",
        Edit("angle = position / 10000", "angle = position / 1000"),
        ask="Count the noughts. Which number is raised to which power?",
    ),
    Mistake(
        "start_ignored",
        "the rows are added from position 0 on, wherever the sentence starts",
        Edit("table[start : start + T]", "table[:T]"),
        ask="A word comes in alone, as the sixth of its sentence. Which row does it want?",
    ),
    Mistake(
        "start_off_by_one",
        "every position gets the row of the next one",
        Edit("table[start : start + T]", "table[start + 1 : start + T + 1]"),
        ask="With start = 0, which row does the first word get?",
    ),
    Mistake(
        "the_last_rows",
        "the last rows of the table are added, wherever the sentence starts",
        Edit("table[start : start + T]", "table[len(table) - T :]"),
        ask=(
            "The table may hold more rows than are wanted. On which side of the wanted ones do "
            "they stand?"
        ),
    ),
    Mistake(
        "root_here",
        "x is multiplied by the root of d_model before the positions are added",
        Edit("return x + ", "return x * np.sqrt(x.shape[-1]) + "),
        ask="Where did the root of section 3.4 belong, and has x been there already?",
    ),
    Mistake(
        "a_row_for_each_sentence",
        "{part} is what comes out when all positions of a sentence get the same row of the table",
        Edit(
            "x + table[start : start + T]",
            "x + table[(start + np.arange(len(x))) % len(table)][:, None]",
        ),
        ask="Which axis of x counts the positions, and along which one does your table lie?",
    ),
    Mistake(
        "row_of_start",
        "every position of a sentence gets the row of its first",
        Edit("table[start : start + T]", "table[start]"),
        ask="How many rows of the table does a sentence of five words want?",
    ),
    Mistake(
        "up_to_1",
        "the exponents are spread evenly from 0 to 1, with both ends",
        Edit("(even / d_model)", "np.linspace(0, 1, d_model // 2)"),
        ask="With d_model = 6, which three exponents does the text name? Print yours.",
    ),
    Mistake(
        "one_clock",
        "all clocks turn like the first, by one radian a position",
        Edit("(even / d_model)", "(even // d_model)"),
        ask="What is 4 // 6, and what is 4 / 6? Print your exponents.",
    ),
    Mistake(
        "own_table",
        "the rows of the sinusoids are added, whatever the table that came in holds",
        Edit("x + table[start : start + T]", "x + sinusoids(start + T, x.shape[-1])[start:]"),
        ask="Which of the three arguments have you not used, apart from its shape?",
    ),
    Mistake(
        "positions_not_added",
        "y is the rows of the table, without x",
        Edit("return x + table[start : start + T]", "return 0 * x + table[start : start + T]"),
        ask="y has two summands. Where does the word itself enter yours?",
    ),
]
