"""The planted mistakes: each is of its kind, and every planted sentence is wrong."""

import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from generators import mistakes
from generators.mistakes import corpus
from generators.mistakes.sentence_with_mistake import KINDS, GermanSentence
from generators.phrasebook.sentence_sampler import SentenceSampler

from npformer.datasets import mistakes as shipped

ARTICLE = r"(d(er|ie|as|en|em)|dies(er|e|es|en|em)|(k?ein|[md]ein)(e|er|en|em)?|im|in)"
COMPOUND = r"(auf|ein|zurück|fern|zu|aus|an|mit)"


@pytest.fixture(scope="module")
def sentences_with_errors():
    """Meanings with what they are in German and each way to spoil them."""
    sampler, drawn = SentenceSampler(Random(9)), []
    for _ in range(3000):
        sentence = GermanSentence(sampler.sample_meaning())
        drawn.append((sentence.right(), {kind: sentence.wrong(kind) for kind in KINDS}))
    return drawn


def words_of(text):
    return re.findall(r"\w+|[^\w\s]", text.lower())


def test_each_correct_sentence_is_used_once(monkeypatch):
    kept, draw_pairs = {}, corpus.draw_pairs
    monkeypatch.setattr(
        corpus,
        "draw_pairs",
        lambda *given: kept.update(draw_pairs(*given)) or {k: [*v] for k, v in kept.items()},
    )
    parts = mistakes.split(600, 60, 60, seed=2)
    pairs = [pair for pool in kept.values() for pair in pool]
    assert len({good for good, _ in pairs}) == len({bad for _, bad in pairs}) == len(pairs) == 720
    used = {text: good for good, bad in pairs for text in (good, bad)}
    assert len({used[text] for part in parts for _, text in part}) == 720


@pytest.mark.long
def test_no_planted_sentence_is_correct(sentences_with_errors, drawn):
    right = {text for text, _ in sentences_with_errors} | {pair.target for pair in drawn}
    planted = [text for _, ways in sentences_with_errors for kind in KINDS for text in ways[kind]]
    assert len(planted) > 10_000 and not right & set(planted)


def test_no_sentence_has_two_labels(sentences_with_errors):
    kinds = {}
    for _, ways in sentences_with_errors:
        for kind in KINDS:
            for text in ways[kind]:
                assert kinds.setdefault(text, kind) == kind, text


def change(right, wrong):
    """The words that are taken out and those that are put in."""
    before, after = Counter(words_of(right)), Counter(words_of(wrong))
    return list((before - after).elements()), list((after - before).elements())


@pytest.mark.parametrize("kind", ["gender", "adjective"])
def test_ending_errors_change_one_word(sentences_with_errors, kind):
    for right, ways in sentences_with_errors:
        for wrong in ways[kind]:
            out, put = change(right, wrong)
            if kind == "gender" and {"im", "in"} & {*out, *put}:  # im for in der, and back
                assert sorted([sorted(out), sorted(put)]) == [["der", "in"], ["im"]], wrong
            else:
                assert len(out) == len(put) == 1 and len(words_of(right)) == len(words_of(wrong)), (
                    wrong
                )
                assert bool(re.fullmatch(ARTICLE, put[0])) == (kind == "gender"), wrong
                differs = [
                    pair
                    for pair in zip(words_of(right), words_of(wrong), strict=True)
                    if pair[0] != pair[1]
                ]
                assert len(differs) == 1 and differs[0][0][:1] == differs[0][1][:1], wrong


@pytest.mark.parametrize("kind", ["verb_second", "verb_last"])
def test_order_errors_move_one_word(sentences_with_errors, kind):
    moved = 0
    for right, ways in sentences_with_errors:
        for wrong in ways[kind]:
            out, put = change(right, wrong)
            before, after = words_of(right), words_of(wrong)
            if out:  # aufsteht becomes steht ... auf, where the verb is not last
                assert (
                    kind == "verb_last"
                    and re.fullmatch(COMPOUND + r"\w+", out[0])
                    and len(put) == 2
                ), wrong
                assert out[0] == put[1] + put[0] or out[0] == put[0] + put[1], wrong
                continue
            moves = [
                i
                for i in range(len(before))
                if without(before, i) in [without(after, j) for j in range(len(after))]
            ]
            assert before != after and moves, wrong
            moved += 1
    assert moved > 300


def without(words, i):
    return words[:i] + words[i + 1 :]


def test_prefix_error_leaves_prefix_on_verb(sentences_with_errors):
    planted = 0
    for right, ways in sentences_with_errors:
        for wrong in ways["prefix"]:
            out, (joined,) = change(right, wrong)
            before, after = words_of(right), words_of(wrong)
            i = after.index(joined)  # where the finite verb was
            cut = joined.removesuffix(before[i])
            ends = [j for j in range(i + 1, len(before)) if before[j] == cut]
            assert re.fullmatch(COMPOUND, cut) and sorted(out) == sorted([cut, before[i]]), wrong
            assert after[:i] == before[:i] and after[i + 1 :] in [
                without(before, j)[i + 1 :] for j in ends
            ], wrong
            planted += 1
    assert planted > 300


def test_case_error_follows_one_preposition(sentences_with_errors):
    planted = 0
    for right, ways in sentences_with_errors:
        for wrong in ways["case"]:
            words = words_of(wrong)
            after = [
                b for a, b in pairwise(words) if a in ("mit", "in") and re.fullmatch(ARTICLE, b)
            ]
            assert (
                sum(bool(re.fullmatch(r"den|die|das|\w+(e|en|es)|[md]ein", word)) for word in after)
                >= 1
            ), wrong
            assert len(words) - len(words_of(right)) in (0, 1)
            planted += 1
    assert planted > 100


def test_kinds_are_those_of_the_data_set():
    assert tuple(KINDS) == shipped.KINDS and mistakes.RIGHT == shipped.RIGHT


def test_same_seed_gives_same_texts():
    assert mistakes.split(60, 20, 20, seed=4) == mistakes.split(60, 20, 20, seed=4)
    assert mistakes.split(60, 20, 20, seed=4) != mistakes.split(60, 20, 20, seed=5)
