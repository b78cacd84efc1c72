"""How the answers to grouped_queries are checked."""

from npformer_course.definition import Call, Exercise, Prediction

from .exercise import grouped_attention_slowly


def inputs(draw, B, T, S, G, R, d_k, d_v):
    """Draw queries of R heads in each of G groups, and other ones with a single group."""
    return {
        "q": draw.normal(B, G * R, T, d_k),
        "k": draw.normal(B, G, S, d_k),
        "v": draw.normal(B, G, S, d_v),
        "k_single": draw.normal(B, 1, S, d_k),
        "v_single": draw.normal(B, 1, S, d_v),
    }


def groups(student, q, k, v):
    return student.grouped_attention(q, k, v)


def single_group(student, q, k_single, v_single):
    return student.grouped_attention(q, k_single, v_single)


def single_group_slowly(q, k_single, v_single):
    """The loops again, with one head of keys."""
    return grouped_attention_slowly(q, k_single, v_single)


EXERCISE = Exercise(
    minutes=15,
    difficulty=2,
    importance=3,
    needs=("attention", "heads"),
    inputs=inputs,
    sizes={"G": (2, 4), "R": (2, 4)},
    calls=[
        Call(groups, {"y": 3, "weights": 2}),
        Call(single_group, {"y of a single group": 1, "weights of a single group": 1}),
    ],
    slow={"groups": grouped_attention_slowly, "single_group": single_group_slowly},
    prediction=Prediction(
        "A model has H = 8 heads, and now only G = 2 heads of keys and values. What is a quarter "
        "of what it was?",
        {
            "a": "the numbers in the cache, and not the number of scores",
            "b": "the number of scores, and not the numbers in the cache",
            "c": "both",
        },
        answer="a",
        because=(
            "The cache holds keys and values of 2 heads instead of 8. But each of the 8 heads of "
            "queries still looks at every key of its group: there are as many scores and weights "
            "as before, and they may all differ."
        ),
    ),
    hints=[
        "Write the shapes below each other: q (B, H, T, d_k), k (B, G, S, d_k). One axis does not "
        "fit. What would have to stand in k at each of the H places for attention to work?",
        "For H = 4 and G = 2 the four places need key heads 0, 0, 1, 1, in this order. NumPy has "
        "two functions that make an array longer by copies: one gives 0, 1, 0, 1. Try both on "
        "np.array([0, 1]).",
        "np.repeat copies each entry next to itself, along the axis that you name, as often as "
        "heads share. Do it for keys and values, and call attention. (The other way: q as "
        "(B, G, R, T, d_k), k and v with an axis of length 1 behind G, attention, and then back "
        "to H heads.)",
    ],
)
