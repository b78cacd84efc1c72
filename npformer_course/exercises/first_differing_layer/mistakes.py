"""What people write in place of the solution of first_differing_layer, and what to say of it."""

from npformer_course.definition import Edit, Mistake

SHAPES = "        if theirs[n].shape != ours[n].shape:\n            return n\n"
DIFFERENCE = "difference = np.abs(theirs[n] - ours[n]).max()"
SCALE = "scale = np.abs(theirs[n]).max()"
TEST = "if difference > tolerance * scale:\n            return n"
NONE = "return len(theirs)"
LOOP = "    for n in range(len(theirs)):"

MISTAKES = [
    Mistake(
        "absolute_tolerance",
        "{part} is what comes out when differences are compared with the tolerance itself, whatever "
        "the size of a layer's numbers",
        Edit(SCALE, "scale = 1.0"),
        ask="A layer's numbers reach 300. Is a difference of 0.01 more than rounding?",
    ),
    Mistake(
        "scale_of_the_whole_model",
        "{part} is what comes out when the scale is that of the layer with the largest numbers",
        Edit(SCALE, "scale = max(np.abs(array).max() for array in theirs)"),
        ask="May a layer whose numbers are all below 0.02 be off by 1?",
    ),
    Mistake(
        "entry_by_entry",
        "{part} is what comes out when each difference is compared with its own entry",
        Edit(DIFFERENCE, "difference = np.abs(theirs[n] - ours[n])"),
        Edit(SCALE, "scale = np.abs(theirs[n])"),
        Edit(TEST, "if (difference > tolerance * scale).any():\n            return n"),
        ask="An entry is nearly 0. By how much may two programs differ there, and by yours?",
    ),
    Mistake(
        "mean_difference",
        "{part} is what comes out when the mean difference is taken, or a norm, and not the largest "
        "difference",
        Edit(DIFFERENCE, "difference = np.abs(theirs[n] - ours[n]).mean()"),
        ask="One entry of a thousand is wrong. Does a mean notice, or a norm?",
    ),
    Mistake(
        "scale_of_ours",
        "{part} is what comes out when the scale is that of ours, and not of theirs",
        Edit(SCALE, "scale = np.abs(ours[n]).max()"),
        ask="Ours may have any numbers, also very large ones. Whose numbers are the right ones?",
    ),
    Mistake(
        "sign_kept_in_the_scale",
        "{part} is what comes out when the scale is the largest number of theirs, with its sign",
        Edit(SCALE, "scale = theirs[n].max()"),
        ask="All numbers of a layer are negative. What is your scale then?",
    ),
    Mistake(
        "standard_deviation",
        "{part} is what comes out when the scale is the standard deviation of theirs",
        Edit(SCALE, "scale = theirs[n].std()"),
        ask="All numbers of a layer are about equal. What is their standard deviation?",
    ),
    Mistake(
        "sign_kept",
        "{part} is what comes out when the sign of the difference is kept: where ours is larger, "
        "nothing differs",
        Edit(DIFFERENCE, "difference = (theirs[n] - ours[n]).max()"),
        ask="Ours is larger everywhere. What is the largest of the differences then?",
    ),
    Mistake(
        "sign_of_ours_kept",
        "{part} is what comes out when the sign of the difference is kept: where ours is smaller, "
        "nothing differs",
        Edit(DIFFERENCE, "difference = (ours[n] - theirs[n]).max()"),
        ask="Ours is smaller everywhere. What is the largest of the differences then?",
    ),
    Mistake(
        "any_difference",
        "{part} is the first layer that differs at all, in its last digits too",
        Edit(TEST, "if difference > 0:\n            return n"),
        ask="Which argument have you not used?",
    ),
    Mistake(
        "last_that_differs",
        "{part} is the last layer that differs",
        Edit(LOOP, "    for n in reversed(range(len(theirs))):"),
        ask="Layers after the one with the wrong setting differ too. At which end do you begin?",
    ),
    Mistake(
        "largest_difference",
        "{part} is the layer with the largest difference, relative to its scale (another shape is "
        "the largest of all)",
        Edit(
            LOOP,
            "    found = [\n"
            "        np.abs(a - b).max() / max(np.abs(a).max(), 1e-30) if a.shape == b.shape else np.inf\n"
            "        for a, b in zip(theirs, ours)\n"
            "    ]\n"
            "    if max(found) > tolerance:\n"
            "        return int(np.argmax(found))\n"
            "    return len(theirs)\n"
            f"{LOOP}",
        ),
        ask="Differences can grow from layer to layer. Is the largest where they begin?",
    ),
    Mistake(
        "how_many_differ",
        "{part} is how many layers differ, and not which is the first",
        Edit(LOOP, f"    count = 0\n{LOOP}"),
        Edit(SHAPES, SHAPES.replace("return n", "count += 1\n            continue")),
        Edit(TEST, TEST.replace("return n", "count += 1")),
        Edit(NONE, "return count"),
        ask="Two layers of six differ. Can you tell from your result where it began?",
    ),
    Mistake(
        "counted_from_1",
        "{part} is counted from 1 where a layer differs",
        Edit(SHAPES, SHAPES.replace("return n", "return n + 1")),
        Edit(TEST, TEST.replace("return n", "return n + 1")),
        ask="Which index does the bottom layer have in the list?",
    ),
    Mistake(
        "last_that_agrees",
        "{part} is the last layer before the one that differs",
        Edit(SHAPES, SHAPES.replace("return n", "return n - 1")),
        Edit(TEST, TEST.replace("return n", "return n - 1")),
        ask="Which layer has the wrong setting: the last that agrees, or the one after it?",
    ),
    Mistake(
        "last_layer_if_none_differs",
        "{part} is the last layer where none differs",
        Edit(NONE, "return len(theirs) - 1"),
        ask="How can somebody who reads your result tell that all layers agree?",
    ),
    Mistake(
        "minus_1_if_none_differs",
        "{part} is -1 where none differs",
        Edit(NONE, "return -1"),
        ask="Which number does the text ask for if no layer differs, and what is list[-1]?",
    ),
    Mistake(
        "other_shapes_skipped",
        "{part} is what comes out when layers of different shapes are skipped",
        Edit(SHAPES, SHAPES.replace("return n", "continue")),
        ask="Four heads here and eight there: are the two layers equal?",
    ),
]
