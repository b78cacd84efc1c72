"""The phrasebook: hand-written examples, the standard tables of German, and properties of what it draws."""

from collections import Counter
from random import Random

import pytest

from npformer.datasets import phrasebook
from npformer.datasets.phrasebook import german, numbers
from npformer.datasets.phrasebook.corpus import words_of
from npformer.datasets.phrasebook.grammar import Clause, clause, join, sentence
from npformer.datasets.phrasebook.nouns import ADJECTIVES, DARK, LATE, NOUNS, STATES
from npformer.datasets.phrasebook.phrases import PRONOUNS, NounPhrase
from npformer.datasets.phrasebook.speaker import Speaker
from npformer.datasets.phrasebook.verbs import BE, RAIN, VERBS, verb
from npformer.errors import InputError


def adjective(english):
    return next(word for word in (*ADJECTIVES, *STATES, LATE, DARK) if word.english == english)


def phrase(text, number=0):
    """Read "the old man" or "these dogs" as a noun phrase."""
    *before, last = text.split()
    noun = next(noun for noun in NOUNS if last in (noun.english, noun.english_plural))
    words = {"these": "this", "an": "a"}
    determiner = next((words.get(word, word) for word in before if word in "the this these a an my your".split()), "")
    described = [adjective(word) for word in before if any(word == known.english for known in ADJECTIVES)]
    return NounPhrase(noun, determiner, *(described or [None]), last == noun.english_plural, number)


def says(subject, english, **parts):
    """Write a clause down in short."""
    subject = PRONOUNS.get(subject) or phrase(subject)
    parts = {
        key: phrase(part) if key in ("object", "recipient", "company", "place") and isinstance(part, str) else part
        for key, part in parts.items()
    }
    return Clause(subject, verb(english), **parts)


TODAY, MONDAY, SEVEN = ("today", "heute"), ("on Monday", "am Montag"), ("at seven", "um sieben")
EVENING = ("every evening", "jeden Abend")


def statement(*arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "statement"))


def fronted(front, *arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "fronted", front))


def question(front, *arguments, **parts):
    return sentence(clause(says(*arguments, **parts), "question", front), "?")


def joined(main, conjunction, other):
    return sentence(join(clause(main, "statement"), conjunction, clause(other, "subordinate")))


GOLDEN = {
    "accusative": (
        statement("the old woman", "see", object="a small dog"),
        "The old woman sees a small dog. | Die alte Frau sieht einen kleinen Hund. | 0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "der-word and mixed ending": (
        statement("this young doctor", "visit", object="my nice brother"),
        "This young doctor visits my nice brother. | Dieser junge Arzt besucht meinen netten Bruder. | "
        "0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "ein shows no gender, the adjective does": (
        statement("a small child", "have", object="a red shirt"),
        "A small child has a red shirt. | Ein kleines Kind hat ein rotes Hemd. | 0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "strong ending": (
        statement("I", "drink", object="cold water"),
        "I drink cold water. | Ich trinke kaltes Wasser. | 0-0 1-1 2-2 3-3 4-4",
    ),
    "weak noun": (
        statement("he", "see", object="the boy"),
        "He sees the boy. | Er sieht den Jungen. | 0-0 1-1 2-2 3-3 4-4",
    ),
    "dative verb": (
        statement("the girl", "help", recipient="the neighbour"),
        "The girl helps the neighbour. | Das Mädchen hilft dem Nachbarn. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "dative plural": (
        statement("we", "help", recipient="these old men"),
        "We help these old men. | Wir helfen diesen alten Männern. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "two objects": (
        statement("she", "give", object="a book", recipient="the man"),
        "She gives a book to the man. | Sie gibt dem Mann ein Buch. | 0-0 1-1 2-4 3-5 4-2 5-2 6-3 7-6",
    ),
    "company, place and time": (
        statement("the child", "play", company="a friend", place="the big garden", time=TODAY),
        "The child plays with a friend in the big garden today. | "
        "Das Kind spielt heute mit einem Freund im großen Garten. | "
        "0-0 1-1 2-2 3-4 4-5 5-6 6-7 7-7 8-8 9-9 10-3 11-10",
    ),
    "feminine place": (
        statement("he", "eat", object="the egg", place="the kitchen"),
        "He eats the egg in the kitchen. | Er isst das Ei in der Küche. | 0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7",
    ),
    "verb second after a time": (
        fronted("time", "the man", "buy", object="a coat", time=TODAY),
        "Today the man buys a coat. | Heute kauft der Mann einen Mantel. | 0-0 1-2 2-3 3-1 4-4 5-5 6-6",
    ),
    "verb second after a place": (
        fronted("place", "a bird", "sleep", place="the old forest"),
        "In the old forest a bird sleeps. | Im alten Wald schläft ein Vogel. | 0-0 1-0 2-1 3-2 4-4 5-5 6-3 7-6",
    ),
    "separable verb": (
        statement("he", "get up", time=SEVEN),
        "He gets up at seven. | Er steht um sieben auf. | 0-0 1-1 1-4 2-1 2-4 3-2 4-3 5-5",
    ),
    "separable verb with object": (
        fronted("time", "you", "turn off", object="the lamp", time=EVENING),
        "Every evening you turn off the lamp. | Jeden Abend schaltest du die Lampe aus. | "
        "0-0 1-1 2-3 3-2 3-6 4-2 4-6 5-4 6-5 7-7",
    ),
    "rejoined after a modal": (
        statement("the boy", "get up", time=SEVEN, modal="must"),
        "The boy must get up at seven. | Der Junge muss um sieben aufstehen. | 0-0 1-1 2-2 3-5 4-5 5-3 6-4 7-6",
    ),
    "rejoined in a subordinate clause": (
        joined(says("I", "know"), "that", says("the boy", "get up")),
        "I know that the boy gets up. | Ich weiß, dass der Junge aufsteht. | 0-0 1-1 2-3 3-4 4-5 5-6 6-6 7-7",
    ),
    "wants to": (
        statement("my sister", "read", object="the new letter", modal="want"),
        "My sister wants to read the new letter. | Meine Schwester will den neuen Brief lesen. | "
        "0-0 1-1 2-2 3-6 4-6 5-3 6-4 7-5 8-7",
    ),
    "modal last after dass": (
        joined(says("she", "hope"), "that", says("the horse", "come back", modal="can")),
        "She hopes that the horse can come back. | Sie hofft, dass das Pferd zurückkommen kann. | "
        "0-0 1-1 2-3 3-4 4-5 5-7 6-6 7-6 8-8",
    ),
    "weil": (
        joined(says("the woman", "close", object="the window"), "because", Clause(PRONOUNS["it"], RAIN)),
        "The woman closes the window because it rains. | Die Frau macht das Fenster zu, weil es regnet. | "
        "0-0 1-1 2-2 2-5 3-3 4-4 5-7 6-8 7-9 8-10",
    ),
    "weil with be": (
        joined(says("I", "sleep"), "because", Clause(PRONOUNS["I"], BE, predicate=adjective("tired"))),
        "I sleep because I am tired. | Ich schlafe, weil ich müde bin. | 0-0 1-1 2-3 3-4 4-6 5-5 6-7",
    ),
    "nicht": (
        statement("the man", "buy", object="the dog", negative=True),
        "The man does not buy the dog. | Der Mann kauft den Hund nicht. | 0-0 1-1 2-2 3-5 4-2 5-3 6-4 7-6",
    ),
    "nicht before the prefix": (
        statement("they", "get up", negative=True),
        "They do not get up. | Sie stehen nicht auf. | 0-0 1-1 2-2 3-1 3-3 4-1 4-3 5-4",
    ),
    "nicht before the infinitive": (
        statement("the man", "see", object="the cats", modal="want", negative=True),
        "The man does not want to see the cats. | Der Mann will die Katzen nicht sehen. | "
        "0-0 1-1 2-2 3-5 4-2 5-6 6-6 7-3 8-4 9-7",
    ),
    "kein": (
        statement("the man", "buy", object="a dog", negative=True),
        "The man does not buy a dog. | Der Mann kauft keinen Hund. | 0-0 1-1 2-2 3-3 4-2 5-3 6-4 7-5",
    ),
    "kein without an English article": (
        statement("the girl", "drink", object="hot milk", negative=True),
        "The girl does not drink hot milk. | Das Mädchen trinkt keine heiße Milch. | 0-0 1-1 2-2 3-3 4-2 5-4 6-5 7-6",
    ),
    "has no": (
        statement("I", "have", object="a clever cat", negative=True),
        "I have no clever cat. | Ich habe keine kluge Katze. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "cannot with kein": (
        statement("we", "find", object="apples", modal="can", negative=True),
        "We cannot find apples. | Wir können keine Äpfel finden. | 0-0 1-1 1-2 2-4 3-3 4-5",
    ),
    "cannot with nicht": (
        statement("she", "open", object="this door", modal="can", negative=True),
        "She cannot open this door. | Sie kann diese Tür nicht aufmachen. | 0-0 1-1 1-4 2-5 3-2 4-3 5-6",
    ),
    "number": (
        statement("my friends", "buy", object=phrase("fresh eggs", 24)),
        "My friends buy twenty four fresh eggs. | Meine Freunde kaufen vierundzwanzig frische Eier. | "
        "0-0 1-1 2-2 3-3 4-3 5-4 6-5 7-6",
    ),
    "age": (
        statement("your father", "be", predicate=71),
        "Your father is seventy one years old. | Dein Vater ist einundsiebzig Jahre alt. | "
        "0-0 1-1 2-2 3-3 4-3 5-4 6-5 7-6",
    ),
    "adjective without ending": (
        statement("the soup", "be", predicate=adjective("good"), negative=True),
        "The soup is not good. | Die Suppe ist nicht gut. | 0-0 1-1 2-2 3-3 4-4 5-5",
    ),
    "yes-no question": (
        question("", "the woman", "see", object="the dog"),
        "Does the woman see the dog? | Sieht die Frau den Hund? | 0-0 1-1 2-2 3-0 4-3 5-4 6-5",
    ),
    "question with a separable verb": (
        question("", "your mother", "invite", object="the doctor", time=MONDAY),
        "Does your mother invite the doctor on Monday? | Lädt deine Mutter am Montag den Arzt ein? | "
        "0-0 1-1 2-2 3-0 3-7 4-5 5-6 6-3 7-4 8-8",
    ),
    "question with a modal": (
        question("", "I", "call", object="my father", modal="may"),
        "May I call my father? | Darf ich meinen Vater anrufen? | 0-0 1-1 2-4 3-2 4-3 5-5",
    ),
    "wh-question": (question("where", "you", "work"), "Where do you work? | Wo arbeitest du? | 0-0 1-1 2-2 3-1 4-3"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_hand_written_examples(name):
    written, expected = GOLDEN[name]
    assert f"{written.source} | {written.target} | {written.pharaoh}" == expected


# Masculine, feminine, neuter and plural, as school grammars print them.
PHRASES = {
    ("der", "nominative"): "der gute | die gute | das gute | die guten",
    ("der", "accusative"): "den guten | die gute | das gute | die guten",
    ("der", "dative"): "dem guten | der guten | dem guten | den guten",
    ("dies", "nominative"): "dieser gute | diese gute | dieses gute | diese guten",
    ("dies", "accusative"): "diesen guten | diese gute | dieses gute | diese guten",
    ("dies", "dative"): "diesem guten | dieser guten | diesem guten | diesen guten",
    ("kein", "nominative"): "kein guter | keine gute | kein gutes | keine guten",
    ("kein", "accusative"): "keinen guten | keine gute | kein gutes | keine guten",
    ("kein", "dative"): "keinem guten | keiner guten | keinem guten | keinen guten",
    ("", "nominative"): "guter | gute | gutes | gute",
    ("", "accusative"): "guten | gute | gutes | gute",
    ("", "dative"): "gutem | guter | gutem | guten",
}


@pytest.mark.parametrize(("stem", "case"), PHRASES)
def test_adjective_endings(stem, case):
    written = [
        f"{german.determiner(stem, case, gender) if stem else ''} {german.adjective('gut', stem, case, gender)}"
        for gender in german.COLUMNS
    ]
    assert [text.strip() for text in written] == PHRASES[stem, case].split(" | ")


@pytest.mark.parametrize("stem", ["ein", "mein", "dein"])
def test_possessives_and_ein_are_inflected_like_kein(stem):
    for case in german.THE:
        for gender in german.COLUMNS:
            assert "k" + german.determiner("ein", case, gender) == german.determiner("kein", case, gender)
            assert german.determiner(stem, case, gender).removeprefix(stem) == german.determiner(
                "kein", case, gender
            ).removeprefix("kein")
            assert german.adjective("alt", stem, case, gender) == german.adjective("alt", "kein", case, gender)


@pytest.mark.parametrize(
    ("english", "forms"),
    [
        ("see", "sehe siehst sieht sehen"),
        ("read", "lese liest liest lesen"),
        ("eat", "esse isst isst essen"),
        ("work", "arbeite arbeitest arbeitet arbeiten"),
        ("find", "finde findest findet finden"),
        ("invite", "lade lädst lädt laden"),
        ("help", "helfe hilfst hilft helfen"),
        ("give", "gebe gibst gibt geben"),
        ("sleep", "schlafe schläfst schläft schlafen"),
        ("feed", "füttere fütterst füttert füttern"),
        ("put on", "ziehe ziehst zieht ziehen"),
        ("have", "habe hast hat haben"),
        ("be", "bin bist ist sind"),
        ("know", "weiß weißt weiß wissen"),
        ("hope", "hoffe hoffst hofft hoffen"),
        ("say", "sage sagst sagt sagen"),
    ],
)
def test_present_tense(english, forms):
    entry = verb(english)
    written = [german.conjugate(entry.german, person, entry.changed) for person in ("ich", "du", "er", "wir")]
    assert written == forms.split()


def test_numbers():
    spelled = {number: (numbers.english(number), numbers.german(number)) for number in range(2, 100)}
    for number, pair in {
        16: ("sixteen", "sechzehn"),
        17: ("seventeen", "siebzehn"),
        30: ("thirty", "dreißig"),
        21: ("twenty one", "einundzwanzig"),
        66: ("sixty six", "sechsundsechzig"),
        77: ("seventy seven", "siebenundsiebzig"),
        98: ("ninety eight", "achtundneunzig"),
    }.items():
        assert spelled[number] == pair
    assert len({english for english, _ in spelled.values()}) == len({word for _, word in spelled.values()}) == 98


@pytest.fixture(scope="module")
def parts():
    return phrasebook.split()


@pytest.fixture(scope="module")
def drawn(parts):
    return parts[0] + parts[1]


def test_split_has_the_sizes_asked_for_and_no_sentence_twice(parts, drawn):
    assert [len(part) for part in parts] == [20_000, 500]
    assert len({pair.source for pair in drawn}) == len({pair.target for pair in drawn}) == 20_500


def test_words_of_held_out_sentences_are_known(parts):
    train, held_out = parts
    sources = Counter(word for pair in train for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in train for word in words_of(pair.target))
    assert all(sources[word] >= 10 for pair in held_out for word in words_of(pair.source.lower()))
    assert all(targets[word] >= 10 for pair in held_out for word in words_of(pair.target))


def test_vocabulary_is_rich_and_evenly_used(parts):
    sources = Counter(word for pair in parts[0] for word in words_of(pair.source.lower()))
    targets = Counter(word for pair in parts[0] for word in words_of(pair.target.lower()))
    assert len(sources) >= 200 and len(targets) >= 200
    for noun in NOUNS:
        assert sources[noun.english] >= 60, noun
    for word in ADJECTIVES:
        assert sources[word.english] >= 60, word


def test_every_verb_is_used(drawn):
    texts = " ".join(pair.source.lower() for pair in drawn)
    for entry in VERBS:
        assert texts.count(f" {entry.english}") >= 60, entry


FIRST_TWO = [
    ("Does your mother want to bring along soup?", "Will deine Mutter Suppe mitbringen?"),
    ("You put on a shirt because it rains.", "Du ziehst ein Hemd an, weil es regnet."),
]


def test_same_seed_same_pairs():
    assert phrasebook.split(300, 20, seed=4) == phrasebook.split(300, 20, seed=4)
    assert phrasebook.pairs(50, seed=4) != phrasebook.pairs(50, seed=5)
    assert [pair[:2] for pair in phrasebook.pairs(2, seed=0)] == FIRST_TWO


def test_english_has_one_translation():
    speaker, translations = Speaker(Random(1)), {}
    for _ in range(20_000):
        pair = speaker.say()
        assert translations.setdefault(pair.source, pair.target) == pair.target


def test_alignment_is_complete(drawn):
    for pair in drawn:
        source, target = words_of(pair.source), words_of(pair.target)
        assert {i for i, _ in pair.alignment} == set(range(len(source))), pair
        assert {j for _, j in pair.alignment} == {j for j, word in enumerate(target) if word != ","}, pair
        assert list(pair.alignment) == sorted(set(pair.alignment))


def test_sentences_are_written_as_sentences(drawn):
    for source, target, _ in drawn:
        assert source[-1] == target[-1] and source[-1] in ".?"
        assert source[0].isupper() and target[0].isupper()
        assert 4 <= len(words_of(source)) <= 20 and 3 <= len(words_of(target)) <= 20
        assert "  " not in source + target and "'" not in source + target and "-" not in source + target
        assert target.count(",") == (" that " in source) + (" because " in source)


def test_nouns_have_capitals_and_other_german_words_do_not(drawn):
    nouns = {
        word
        for noun in NOUNS
        for word in (noun.german, noun.german_plural, noun.oblique, german.dative_plural(noun.german_plural or "n"))
    }
    nouns |= {"Jahre", "Tag", "Morgen", "Abend", "Montag", "Freitag", "Sonntag"}
    for pair in drawn:
        for word in words_of(pair.target)[1:]:
            assert word[0].isupper() == (word in nouns), (word, pair)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: phrasebook.pairs(10**9),
        lambda: phrasebook.pairs(-1),
        lambda: phrasebook.split(10**9, 1),
        lambda: phrasebook.split(-1, 5),
    ],
)
def test_too_many_or_too_few_pairs_are_refused(ask):
    with pytest.raises(InputError, match="phrasebook") as caught:
        ask()
    assert "\n" not in str(caught.value)


def test_small_splits_work():
    for sizes in ((0, 0), (30, 10), (0, 3)):
        train, held_out = phrasebook.split(*sizes, seed=2)
        assert (len(train), len(held_out)) == sizes
