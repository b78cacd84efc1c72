"""The phrasebook: the standard tables of German, and the numbers of both languages."""

import pytest
from generators.phrasebook import german, numbers
from generators.phrasebook.verbs import verb

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
    written = []
    for gender in german.COLUMNS:
        words = [german.determiner(stem, case, gender)] if stem else []
        words.append(german.adjective("gut", stem, case, gender))
        written.append(" ".join(words))
    assert written == PHRASES[stem, case].split(" | ")


@pytest.mark.parametrize("stem", ["ein", "mein", "dein"])
def test_possessives_and_ein_are_inflected_like_kein(stem):
    for case in german.THE:
        for gender in german.COLUMNS:
            assert "k" + german.determiner("ein", case, gender) == german.determiner(
                "kein", case, gender
            )
            assert german.determiner(stem, case, gender).removeprefix(stem) == german.determiner(
                "kein", case, gender
            ).removeprefix("kein")
            assert german.adjective("alt", stem, case, gender) == german.adjective(
                "alt", "kein", case, gender
            )


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
    written = [
        german.conjugate(entry.german, person, entry.changed)
        for person in ("ich", "du", "er", "wir")
    ]
    assert written == forms.split()


def test_numbers():
    spelled = {
        number: (numbers.english(number), numbers.german(number)) for number in range(2, 100)
    }
    for number, pair in {
        16: ("sixteen", "sechzehn"),
        17: ("seventeen", "siebzehn"),
        30: ("thirty", "dreißig"),
        21: ("twenty-one", "einundzwanzig"),
        66: ("sixty-six", "sechsundsechzig"),
        77: ("seventy-seven", "siebenundsiebzig"),
        98: ("ninety-eight", "achtundneunzig"),
    }.items():
        assert spelled[number] == pair
    assert (
        len({english for english, _ in spelled.values()})
        == len({word for _, word in spelled.values()})
        == 98
    )
