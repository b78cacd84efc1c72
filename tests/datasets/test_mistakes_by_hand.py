"""Mistakes in German: examples written by hand, each with the rule that is broken, and what is right after all."""

import pytest
from phrasebook_clauses import EVENING, MONDAY, MONDAYS, SEVEN, TODAY, adjective, phrase, says

from npformer.datasets.synthetic.german_errors.kinds import GermanSentence
from npformer.datasets.synthetic.phrasebook.grammar import Clause
from npformer.datasets.synthetic.phrasebook.meaning import Meaning
from npformer.datasets.synthetic.phrasebook.phrases import PRONOUNS
from npformer.datasets.synthetic.phrasebook.verbs import BE, RAIN

IT_RAINS = Clause(PRONOUNS["it"], RAIN)
TIRED = Clause(PRONOUNS["he"], BE, predicate=adjective("tired"))


def stated(*arguments, **parts):
    return Meaning(says(*arguments, **parts))


def fronted(front, *arguments, **parts):
    return Meaning(says(*arguments, **parts), "fronted", front)


def asked(front, *arguments, **parts):
    return Meaning(says(*arguments, **parts), "question", front)


def joined(main, conjunction, other):
    return Meaning(main, conjunction=conjunction, other=other)


KNOW = says("I", "know")
# kind: the meaning, what it should be, what is planted, and why that is wrong
WRONG = {
    "gender": [
        (stated("the man", "sleep"), "Der Mann schläft.", "Das Mann schläft.", "Mann is m"),
        (stated("the woman", "sleep"), "Die Frau schläft.", "Das Frau schläft.", "Frau is f"),
        (stated("the child", "sleep"), "Das Kind schläft.", "Der Kind schläft.", "Kind is n"),
        (stated("this child", "sleep"), "Dieses Kind schläft.", "Diese Kind schläft.", "diese: f or plural, Kinder"),
        (stated("an old man", "sleep"), "Ein alter Mann schläft.", "Eine alter Mann schläft.", "ein before m"),
        (stated("my sister", "sleep"), "Meine Schwester schläft.", "Mein Schwester schläft.", "meine before f"),
        (stated("he", "see", object="the dog"), "Er sieht den Hund.", "Er sieht das Hund.", "Hund is m"),
        (stated("he", "see", object="the cat"), "Er sieht die Katze.", "Er sieht den Katze.", "Katze is f"),
        (stated("he", "see", object="the horse"), "Er sieht das Pferd.", "Er sieht den Pferd.", "Pferd is n"),
        (stated("he", "see", object="a bird"), "Er sieht einen Vogel.", "Er sieht eine Vogel.", "Vogel is m"),
        (stated("he", "see", object="a cat", negative=True), "Er sieht keine Katze.", "Er sieht kein Katze.", "f"),
        (stated("he", "help", recipient="the woman"), "Er hilft der Frau.", "Er hilft dem Frau.", "dem: m and n"),
        (stated("he", "help", recipient="the child"), "Er hilft dem Kind.", "Er hilft der Kind.", "der: dative f"),
        (
            stated("he", "play", company="my sister"),
            "Er spielt mit meiner Schwester.",
            "Er spielt mit meinem Schwester.",
            "f",
        ),
        (stated("he", "sleep", place="the kitchen"), "Er schläft in der Küche.", "Er schläft im Küche.", "im: m and n"),
        (stated("he", "sleep", place="the house"), "Er schläft im Haus.", "Er schläft in der Haus.", "in der: f"),
        (
            fronted("place", "he", "work", place="the big city"),
            "In der großen Stadt arbeitet er.",
            "Im großen Stadt arbeitet er.",
            "f",
        ),
        (
            joined(KNOW, "that", says("the cat", "sleep")),
            "Ich weiß, dass die Katze schläft.",
            "Ich weiß, dass das Katze schläft.",
            "f",
        ),
    ],
    "adjective": [
        (stated("the old man", "sleep"), "Der alte Mann schläft.", "Der alter Mann schläft.", "der shows it: weak -e"),
        (stated("an old man", "sleep"), "Ein alter Mann schläft.", "Ein alte Mann schläft.", "ein does not: -er"),
        (
            stated("a small child", "sleep"),
            "Ein kleines Kind schläft.",
            "Ein kleine Kind schläft.",
            "ein does not: -es",
        ),
        (
            stated("my clever cat", "sleep"),
            "Meine kluge Katze schläft.",
            "Meine klugen Katze schläft.",
            "-en is plural",
        ),
        (
            stated("my clever cats", "sleep"),
            "Meine klugen Katzen schlafen.",
            "Meine kluge Katzen schlafen.",
            "plural -en",
        ),
        (
            stated("he", "see", object="a small dog"),
            "Er sieht einen kleinen Hund.",
            "Er sieht einen kleine Hund.",
            "accusative m",
        ),
        (
            stated("he", "have", object="a red shirt"),
            "Er hat ein rotes Hemd.",
            "Er hat ein roten Hemd.",
            "n -es after ein",
        ),
        (
            stated("I", "drink", object="cold milk"),
            "Ich trinke kalte Milch.",
            "Ich trinke kalten Milch.",
            "f -e without article",
        ),
        (stated("I", "drink", object="cold water"), "Ich trinke kaltes Wasser.", "Ich trinke kalten Wasser.", "n -es"),
        (stated("I", "drink", object="hot tea"), "Ich trinke heißen Tee.", "Ich trinke heißes Tee.", "m -en"),
        (
            stated("I", "buy", object=phrase("fresh eggs", 4)),
            "Ich kaufe vier frische Eier.",
            "Ich kaufe vier frischen Eier.",
            "strong -e",
        ),
        (
            stated("he", "help", recipient="the old man"),
            "Er hilft dem alten Mann.",
            "Er hilft dem alte Mann.",
            "dative -en",
        ),
        (
            stated("he", "help", recipient="these old men"),
            "Er hilft diesen alten Männern.",
            "Er hilft diesen alte Männern.",
            "dative -en",
        ),
        (
            stated("he", "play", place="the big garden"),
            "Er spielt im großen Garten.",
            "Er spielt im große Garten.",
            "dative -en",
        ),
    ],
    "verb_second": [
        (
            fronted("time", "the man", "sleep", time=TODAY),
            "Heute schläft der Mann.",
            "Heute der Mann schläft.",
            "verb third",
        ),
        (
            fronted("place", "he", "sleep", place="the forest"),
            "Im Wald schläft er.",
            "Im Wald er schläft.",
            "verb third",
        ),
        (
            fronted("time", "I", "visit", object="my father", time=MONDAYS),
            "Montags besuche ich meinen Vater.",
            "Montags ich besuche meinen Vater.",
            "verb third",
        ),
        (
            stated("the man", "see", object="the dog"),
            "Der Mann sieht den Hund.",
            "Der Mann den Hund sieht.",
            "verb last",
        ),
        (
            stated("he", "see", object="the dog", modal="can"),
            "Er kann den Hund sehen.",
            "Er den Hund kann sehen.",
            "verb third",
        ),
        (stated("she", "be", predicate=adjective("tired")), "Sie ist müde.", "Sie müde ist.", "verb last"),
        (stated("she", "sleep", negative=True), "Sie schläft nicht.", "Sie nicht schläft.", "verb last"),
        (stated("she", "help", recipient="the woman"), "Sie hilft der Frau.", "Sie der Frau hilft.", "verb last"),
        (
            stated("the man", "help", recipient="the child"),
            "Der Mann hilft dem Kind.",
            "Der Mann dem Kind hilft.",
            "verb last",
        ),
        (
            stated("he", "drink", object="tea", time=EVENING),
            "Er trinkt jeden Abend Tee.",
            "Er jeden Abend Tee trinkt.",
            "verb last",
        ),
        (
            joined(says("he", "open", object="the door"), "because", IT_RAINS),
            "Er macht die Tür auf, weil es regnet.",
            "Er die Tür macht auf, weil es regnet.",
            "verb third",
        ),
    ],
    "verb_last": [
        (
            joined(KNOW, "that", says("he", "see", object="the dog")),
            "Ich weiß, dass er den Hund sieht.",
            "Ich weiß, dass er sieht den Hund.",
            "dass",
        ),
        (
            joined(KNOW, "that", says("he", "sleep", modal="want")),
            "Ich weiß, dass er schlafen will.",
            "Ich weiß, dass er will schlafen.",
            "dass",
        ),
        (
            joined(KNOW, "that", says("he", "get up", time=SEVEN)),
            "Ich weiß, dass er um sieben aufsteht.",
            "Ich weiß, dass er steht um sieben auf.",
            "dass",
        ),
        (
            joined(KNOW, "that", says("he", "sleep", negative=True)),
            "Ich weiß, dass er nicht schläft.",
            "Ich weiß, dass er schläft nicht.",
            "dass",
        ),
        (
            joined(KNOW, "that", says("he", "help", recipient="the man")),
            "Ich weiß, dass er dem Mann hilft.",
            "Ich weiß, dass er hilft dem Mann.",
            "dass",
        ),
        (
            joined(says("he", "sleep"), "because", TIRED),
            "Er schläft, weil er müde ist.",
            "Er schläft, weil er ist müde.",
            "weil",
        ),
    ],
    "prefix": [
        (
            stated("he", "get up", time=SEVEN),
            "Er steht um sieben auf.",
            "Er aufsteht um sieben.",
            "auf ends the clause",
        ),
        (
            stated("they", "get up", negative=True),
            "Sie stehen nicht auf.",
            "Sie aufstehen nicht.",
            "auf ends the clause",
        ),
        (
            fronted("time", "he", "come back", time=MONDAYS),
            "Montags kommt er zurück.",
            "Montags zurückkommt er.",
            "zurück",
        ),
        (
            asked("when", "he", "turn on", object="the lamp"),
            "Wann schaltet er die Lampe ein?",
            "Wann einschaltet er die Lampe?",
            "ein",
        ),
        (stated("she", "invite", object="the man"), "Sie lädt den Mann ein.", "Sie einlädt den Mann.", "ein"),
        (
            joined(says("he", "come back"), "because", TIRED),
            "Er kommt zurück, weil er müde ist.",
            "Er zurückkommt, weil er müde ist.",
            "zurück",
        ),
    ],
    "case": [
        (stated("he", "play", company="the man"), "Er spielt mit dem Mann.", "Er spielt mit den Mann.", "mit: dative"),
        (
            stated("he", "play", company="my old neighbours"),
            "Er spielt mit meinen alten Nachbarn.",
            "Er spielt mit meine alten Nachbarn.",
            "mit: dative",
        ),
        (
            stated("he", "work", company="the nice woman"),
            "Er arbeitet mit der netten Frau.",
            "Er arbeitet mit die nette Frau.",
            "mit: dative",
        ),
        (
            stated("he", "work", company="the men"),
            "Er arbeitet mit den Männern.",
            "Er arbeitet mit die Männer.",
            "mit: dative",
        ),
        (
            stated("he", "sleep", place="the garden"),
            "Er schläft im Garten.",
            "Er schläft in den Garten.",
            "in, where: dative",
        ),
        (
            stated("he", "eat", object="the egg", place="the house"),
            "Er isst das Ei im Haus.",
            "Er isst das Ei in das Haus.",
            "in, where: dative",
        ),
        (
            asked("", "he", "work", place="the old city"),
            "Arbeitet er in der alten Stadt?",
            "Arbeitet er in die alte Stadt?",
            "in, where",
        ),
        (
            joined(KNOW, "that", says("he", "work", place="the office")),
            "Ich weiß, dass er im Büro arbeitet.",
            "Ich weiß, dass er in das Büro arbeitet.",
            "in, where",
        ),
    ],
}

# kind: the meaning, what is not planted, and why that is right, or might be another kind
NOT_PLANTED = {
    "gender": [
        (stated("the teacher", "sleep"), "Die Lehrer", "plural"),
        (stated("the woman", "sleep"), "Der Frau", "dative and genitive: case"),
        (stated("the girl", "sleep"), "Der Mädchen", "genitive plural"),
        (stated("the boy", "sleep"), "Das Junge", "das Junge is a cub"),
        (stated("he", "have", object="the radio"), "den Radio", "der Radio is said in the south"),
        (stated("he", "have", object="a dog"), "ein Hund", "nominative: case"),
        (stated("he", "drink", object="this water"), "diese Wasser", "plural"),
        (stated("he", "help", recipient="the man"), "der Mann", "nominative: case"),
        (stated("the men", "sleep"), "Der Männer", "a plural has no gender"),
    ],
    "adjective": [
        (stated("this nice teacher", "sleep"), "Dieser netten Lehrer", "genitive plural"),
        (stated("I", "drink", object="hot tea"), "heißer Tee", "nominative: case"),
        (stated("I", "drink", object="hot water"), "heiße Wasser", "plural"),
        (stated("I", "buy", object="fresh cheese"), "frische Käse", "plural"),
        (stated("I", "drink", object="hot milk"), "heißer Milch", "dative and genitive: case"),
        (stated("I", "have", object=phrase("new books", 3)), "neuer Bücher", "genitive plural"),
    ],
    "verb_second": [
        (stated("the man", "help", recipient="the woman"), "Der Mann der Frau hilft.", "genitive: the woman's husband"),
        (
            stated("the man", "give", recipient="the woman", object="a book"),
            "Der Mann der Frau gibt ein Buch.",
            "genitive",
        ),
        (stated("the man", "sleep", place="the garden"), "Der Mann im Garten schläft.", "the man in the garden"),
        (stated("the man", "play", company="the dog"), "Der Mann mit dem Hund spielt.", "the man with the dog"),
        (
            stated("the doctor", "be", predicate=adjective("ill"), time=MONDAY),
            "Der Arzt am Montag ist krank.",
            "Monday's",
        ),
        (asked("where", "he", "work"), "Wo er arbeitet?", "asked again"),
    ],
    "verb_last": [
        (joined(KNOW, "that", says("he", "sleep")), "Ich weiß, dass er schläft.", "the verb is last"),
        (joined(KNOW, "that", says("he", "sleep", place="the garden")), "Ich weiß, dass er schläft im Garten.", "said"),
        (joined(says("he", "sleep"), "because", IT_RAINS), "Er schläft, weil es regnet.", "the verb is last"),
    ],
    "prefix": [
        (stated("he", "get up", time=SEVEN, modal="must"), "aufstehen muss", "an infinitive has its prefix"),
        (joined(KNOW, "that", says("he", "get up")), "Ich weiß, dass er aufsteht.", "the verb is last"),
    ],
    "case": [
        (stated("he", "play", company="the boy"), "mit den Jungen", "dative plural"),
        (stated("he", "see", object="the dog", place="the garden"), "in den Garten", "one may look into the garden"),
        (stated("he", "find", object="the letter", place="the city"), "in die Stadt", "a letter into the city"),
        (stated("he", "write", object="a letter", place="the office"), "in das Büro", "a letter to the office"),
        (stated("he", "play", place="the garden"), "in den Garten", "a ball may be played into the garden"),
    ],
}


def listed(examples):
    return [
        pytest.param(kind, *example, id=f"{kind}: {example[-2]}") for kind in examples for example in examples[kind]
    ]


@pytest.mark.parametrize(("kind", "meaning", "right", "planted", "rule"), listed(WRONG))
def test_a_mistake_is_planted(kind, meaning, right, planted, rule):
    sentence = GermanSentence(meaning)
    assert sentence.right() == right
    assert planted in sentence.wrong(kind) and right not in sentence.wrong(kind), rule


@pytest.mark.parametrize(("kind", "meaning", "text", "reading"), listed(NOT_PLANTED))
def test_what_is_right_after_all_is_not_planted(kind, meaning, text, reading):
    assert not any(text in wrong for wrong in GermanSentence(meaning).wrong(kind)), reading
