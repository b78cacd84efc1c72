"""What people write in place of the solution of cosine_neighbors, and what to say of it."""

from npformer_course.definition import Edit, Mistake

LENGTHS = "lengths = np.sqrt((table**2).sum(-1, keepdims=True))"
UNIT = "unit = table / lengths"
RESULT = "return unit @ unit[row]"
ORDER = "order = np.argsort(-cosines(table, row))"
RIGHT_ORDER = "order = np.argsort(-(table @ table[row]) / np.sqrt((table**2).sum(-1)))"
OTHERS = "others = order[order != row]"
FIRST = "return others[:n]"

MISTAKES = [
    Mistake(
        "dot_products",
        "{part} come out when dot products are taken, without any length",
        Edit(RESULT, "return table @ table[row]"),
        ask="Make one row ten times as long. Does its cosine change, and does your number?",
    ),
    Mistake(
        "one_length_missing",
        "cosines are what comes out when only the one row has the length 1",
        Edit(RESULT, "return table @ unit[row]"),
        Edit(ORDER, RIGHT_ORDER),
        ask="How many lengths are in the formula's denominator?",
    ),
    Mistake(
        "own_length_missing",
        "{part} is what comes out when all rows have the length 1, but not the one that is compared",
        Edit(RESULT, "return unit @ table[row]"),
        ask="What should the cosine of a row with itself be, and what is yours?",
    ),
    Mistake(
        "lengths_of_columns",
        "{part} is what comes out when each column is divided by its length",
        Edit(LENGTHS, "lengths = np.sqrt((table**2).sum(0, keepdims=True))"),
        ask="Over which axis does the formula sum?",
    ),
    Mistake(
        "root_forgotten",
        "{part} is what comes out without the root in the lengths",
        Edit(LENGTHS, "lengths = (table**2).sum(-1, keepdims=True)"),
        ask="What should the cosine of a row with itself be, and what is yours?",
    ),
    Mistake(
        "sum_of_sizes",
        "cosines are what comes out when a length is the sum of the absolute values",
        Edit(LENGTHS, "lengths = np.abs(table).sum(-1, keepdims=True)"),
        Edit(ORDER, RIGHT_ORDER),
        ask="How long is the vector (3, 4), and how long by your line?",
    ),
    Mistake(
        "means_subtracted",
        "{part} is a correlation: the mean of each row is subtracted first",
        Edit(UNIT, "unit = table - table.mean(-1, keepdims=True)"),
        Edit(
            RESULT,
            "unit = unit / np.sqrt((unit**2).sum(-1, keepdims=True))\n    return unit @ unit[row]",
        ),
        ask="Does the formula have a mean?",
    ),
    Mistake(
        "something_added_to_lengths",
        "{part}: these numbers come out when the length of a row is never less than some small "
        "number, or has it added",
        Edit(LENGTHS, f"{LENGTHS} + 1e-9"),
        ask="Divide a row by a very large number. Does its cosine change, and does your number?",
    ),
    Mistake(
        "distance",
        "{part} is 1 less the cosine: a distance",
        Edit(RESULT, "return 1 - unit @ unit[row]"),
        Edit(ORDER, "order = np.argsort(cosines(table, row))"),
        ask="Which number should two equal directions have, and which do yours?",
    ),
    Mistake(
        "all_pairs",
        "{part} has the cosines of all rows with all rows",
        Edit(RESULT, "return unit @ unit.T"),
        Edit(ORDER, "order = np.argsort(-cosines(table, row)[row])"),
        ask="How many numbers are asked for?",
    ),
    Mistake(
        "itself_included",
        "{part} begin with the row itself",
        Edit(OTHERS, "others = order"),
        ask="What is the cosine of a row with itself, and is the row its own neighbor?",
    ),
    Mistake(
        "farthest_first",
        "{part} begin with the row whose cosine is smallest",
        Edit(ORDER, "order = np.argsort(cosines(table, row))"),
        ask="In which order does argsort sort?",
    ),
    Mistake(
        "nearest_last",
        "{part} are the right rows in reverse order: the nearest is last",
        Edit(FIRST, "return others[:n][::-1]"),
        ask="Which neighbor should be first?",
    ),
    Mistake(
        "one_skipped",
        "{part} begin with the second nearest row: the nearest is missing",
        Edit(FIRST, "return others[1 : n + 1]"),
        ask="Have you left out the row itself, or one more?",
    ),
    Mistake(
        "by_size_of_cosine",
        "{part} are ordered by the absolute value: an opposite direction counts as near",
        Edit(ORDER, "order = np.argsort(-np.abs(cosines(table, row)))"),
        ask="A row points exactly the other way. Is it near?",
    ),
    Mistake(
        "by_distance",
        "{part} are ordered by the distance between the rows' end points",
        Edit(ORDER, "order = np.argsort(((table - table[row]) ** 2).sum(-1))"),
        ask="A row has the same direction and is ten times as long. Is it near by yours?",
    ),
]
