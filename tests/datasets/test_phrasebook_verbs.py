"""The phrasebook: hand-written examples of verbs in pieces, subordinate clauses, negation and questions."""

import pytest
from phrasebook_clauses import EVENING, MONDAY, SEVEN, adjective, fronted, joined, question, says, statement

from npformer.datasets.synthetic.phrasebook.grammar import Clause
from npformer.datasets.synthetic.phrasebook.phrases import PRONOUNS
from npformer.datasets.synthetic.phrasebook.verbs import BE, RAIN

GOLDEN = {
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
        "The woman closes the window because it is raining. | Die Frau macht das Fenster zu, weil es regnet. | "
        "0-0 1-1 2-2 2-5 3-3 4-4 5-7 6-8 7-9 8-9 9-10",
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
