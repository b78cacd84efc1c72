"""Each class gives its share, no text is on both sides, and every class can still be learned."""

from collections import Counter
from hashlib import sha256

import pytest

from npformer import InputError
from npformer.datasets import LabeledText
from npformer.datasets.stratified_split import fixed_hold_out, hold_out, random_hold_out


def made(**sizes):
    return [
        LabeledText(label, f"{label} {i}") for label, size in sizes.items() for i in range(size)
    ]


def digest(text):
    return sha256(text.encode()).digest()


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ({"a": 60, "b": 40}, {"a": 3, "b": 2}),
        ({"a": 4000, "b": 1000}, {"a": 200, "b": 50}),
        ({"a": 15_000, "b": 5000}, {"a": 750, "b": 250}),
    ],
)
def test_fixed_hold_out_takes_lowest_digests_per_class(sizes, expected):
    texts = made(**sizes)
    train, held_out = fixed_hold_out(texts)
    assert Counter(label for label, _ in held_out) == expected
    for label in sizes:
        highest = max(digest(text) for of, text in held_out if of == label)
        assert all(digest(text) > highest for of, text in train if of == label)
    assert sorted(train + held_out) == sorted(texts)
    order = {text: place for place, text in enumerate(texts)}
    assert all(part == sorted(part, key=order.get) for part in (train, held_out))


def test_copies_of_a_text_are_in_the_same_part():
    texts = made(a=50, b=50) * 2 + [LabeledText("b", f"a {i}") for i in range(50)]
    for train, held_out in (fixed_hold_out(texts), random_hold_out(texts, seed=4, share=0.3)):
        assert not {text for _, text in train} & {text for _, text in held_out}
        assert len(train) + len(held_out) == len(texts)


def test_copies_count_in_the_share_that_is_held_out():
    """The texts that come first have more copies than are to be held out."""
    texts = made(a=1250, b=1250) + made(a=6, b=6) * 208
    _, held_out = hold_out(texts, 100, rank=lambda text: int(text.split()[1]))
    assert Counter(label for label, _ in held_out) == {"a": 50, "b": 50}


def test_every_class_keeps_a_training_text():
    train, held_out = hold_out(made(a=2, b=2, c=1), 5, rank=str)
    assert [text for _, text in held_out] == ["a 0", "b 0"]
    assert {label for label, _ in train} == {"a", "b", "c"}


@pytest.mark.parametrize("texts", [[], made(a=1), made(a=1, b=1), made(a=1) * 5 + made(b=1)])
def test_hold_out_without_a_class_of_two_texts_is_rejected(texts):
    with pytest.raises(
        InputError,
        match=f"^of {len(texts)} texts none can be held out: expected two different texts of a "
        r"class, one of them under its label alone \(a label comes before its text\)$",
    ):
        random_hold_out(texts, seed=0)


def test_where_every_share_is_below_one_half_a_text_of_the_largest_class_is_held_out():
    texts = made(a=3, b=4, c=4)  # the first of two that are equally large
    train, held_out = hold_out(texts, 1, rank=str)
    assert held_out == [LabeledText("b", "b 0")]
    assert train == [text for text in texts if text not in held_out]


@pytest.mark.parametrize("first", ["a", "b"])
def test_order_of_a_set_changes_nothing(first):
    """The hash of a string differs between processes, and with it the order of a set."""

    class Label(str):
        def __hash__(self):
            return 0 if self == first else 1

    texts = [
        LabeledText(Label(label), text) for label, text in [("a", "0"), ("b", "0"), *made(a=4, b=4)]
    ]
    _, held_out = hold_out(texts, 1, rank=str)
    assert held_out == [LabeledText("a", "a 0")]


def test_number_of_texts_that_are_held_out_at_random():
    sizes = [
        len(random_hold_out(made(a=30, b=30), seed=0, **how)[1])
        for how in ({}, {"share": 0.5}, {"share": 0.5, "most": 4})
    ]
    # 2 % of 60 are 1.2
    assert sizes == [1, 30, 4]
    assert len(random_hold_out(made(a=2500, b=2500), seed=0)[1]) == 100


def test_text_with_two_labels_is_trained_on():
    texts = [LabeledText("a", "0"), LabeledText("b", "0"), *made(a=3, b=3)]
    train, held_out = hold_out(texts, 4, rank=str)
    assert [text for _, text in held_out] == ["a 0", "a 1", "b 0", "b 1"]
    assert train[:2] == texts[:2]
