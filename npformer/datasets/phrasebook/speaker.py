"""Somebody who has something to say: draws sentences of every kind and hands them to the grammar."""

from random import Random

from ..pair import SentencePair
from .chooser import EVERY_PRONOUN, Chooser
from .grammar import Clause, clause, join, sentence
from .nouns import DARK, LATE, PEOPLE, PLACES, STATES, TIMES, Adjective
from .phrases import PRONOUNS, NounPhrase, Pronoun
from .verbs import BE, MATRIX, RAIN, VERBS

TIMED = [verb for verb in VERBS if set(TIMES) & set(verb.fits.split())]
PLACED = [verb for verb in VERBS if set(PLACES) & set(verb.fits.split())]
WANTED = [verb for verb in TIMED if "want" in verb.modals]
ASKED = {"when": WANTED, "where": PLACED, "why": WANTED}
STATE_REASONS = {state.english: state for state in STATES}
IMPERSONAL_REASONS = {
    "late": Clause(PRONOUNS["it"], BE, predicate=LATE),
    "dark": Clause(PRONOUNS["it"], BE, predicate=DARK),
    "rain": Clause(PRONOUNS["it"], RAIN),
}
WITH_REASON = [verb for verb in VERBS if {*STATE_REASONS, *IMPERSONAL_REASONS} & set(verb.fits.split())]


class Speaker:
    """Draws sentences.

    >>> Speaker(Random(0)).say().target[-1] in ".?"
    True
    """

    def __init__(self, rng: Random):
        self.rng = rng
        self.choose = Chooser(rng)
        kinds = {
            self.statement: 26,
            self.fronted: 14,
            self.question: 15,
            self.wh_question: 8,
            self.knowledge: 16,
            self.reason: 9,
            self.description: 12,
        }
        self.kinds = [kind for kind, weight in kinds.items() for _ in range(weight)]

    def say(self) -> SentencePair:
        """Draw a sentence and write it in both languages."""
        return self.rng.choice(self.kinds)()

    def statement(self) -> SentencePair:
        """Put the subject first: The man sees a dog today."""
        choose, verb = self.choose, self.rng.choice(VERBS)
        if choose.chance(0.3):
            says = choose.negated(verb, choose.subject(verb))
        else:
            says = choose.clause(verb, choose.subject(verb, indefinite=True), choose.modal(verb, 0.3))
            says = self.timed(says, 0.4)
        return sentence(clause(says, "statement"))

    def fronted(self) -> SentencePair:
        """Put a time or a place first: Today the man sees a dog."""
        choose, verb = self.choose, self.rng.choice(TIMED)
        if choose.chance(0.2):
            says = choose.negated(verb, choose.subject(verb))
            return sentence(clause(says._replace(time=choose.time(verb, but="every")), "fronted", "time"))
        says = choose.clause(verb, choose.subject(verb, indefinite=True), choose.modal(verb, 0.25))
        if choose.chance(0.5) and (place := choose.place(says)):
            return sentence(clause(says._replace(place=place), "fronted", "place"))
        return sentence(clause(says._replace(time=choose.time(verb)), "fronted", "time"))

    def question(self) -> SentencePair:
        """Ask what is answered with yes or no, such as "Does the man see a dog today?"."""
        choose, verb = self.choose, self.rng.choice(VERBS)
        if choose.chance(0.12):
            return sentence(clause(self.being(("you", "he", "she", "they")), "question"), "?")
        modal = choose.modal(verb, 0.35)
        subject = choose.subject(verb) if modal else choose.subject(verb, ("he", "she"), plural=0)
        return sentence(clause(self.timed(choose.clause(verb, subject, modal), 0.3), "question"), "?")

    def wh_question(self) -> SentencePair:
        """Ask for a time, a place or a reason, such as "Where does the man see the dog?"."""
        choose, word = self.choose, self.rng.choice(tuple(ASKED))
        verb = self.rng.choice(ASKED[word])
        subject = choose.subject(verb, ("you", "you", "he", "she", "we", "they"))
        says = choose.clause(verb, subject, choose.modal(verb, 0.25))
        return sentence(clause(says._replace(place=None), "question", word), "?")

    def knowledge(self) -> SentencePair:
        """Attach a clause with that: I know that the man sees a dog."""
        choose, known, verb = self.choose, self.rng.choice(MATRIX), self.rng.choice(VERBS)
        others = ("he", "she", "they")
        if known.english == "hope":  # not for an age, for something not to happen, or for what must be
            says = choose.clause(verb, choose.subject(verb, others), choose.modal(verb, 0.25, ("can", "may")))
        elif choose.chance(0.2):
            says = self.being(others)
        elif choose.chance(0.2):
            says = choose.negated(verb, choose.subject(verb, others))
        else:
            says = choose.clause(verb, choose.subject(verb, others), choose.modal(verb, 0.25))
        knower = choose.subject(known, says=says)
        while isinstance(says.subject, Pronoun) and taken_up(knower) in (None, says.subject):
            knower = choose.subject(known, says=says)  # a pronoun that might mean the one who knows is unclear
        return sentence(join(clause(Clause(knower, known), "statement"), "that", clause(says, "subordinate")))

    def reason(self) -> SentencePair:
        """Attach a clause with because: The man closes the window because he is tired."""
        choose, verb = self.choose, self.rng.choice(WITH_REASON)
        subject = choose.subject(verb, kinds=PEOPLE)
        again = taken_up(subject)
        reasons = [IMPERSONAL_REASONS[word] for word in verb.fits.split() if word in IMPERSONAL_REASONS]
        if again:
            states = [STATE_REASONS[word] for word in verb.fits.split() if word in STATE_REASONS]
            reasons += [Clause(again, BE, predicate=state) for state in states]
        if not reasons:
            return self.reason()
        says = choose.clause(verb, subject, choose.modal(verb, 0.3, ("want",)))._replace(place=None, company=None)
        return sentence(join(clause(says, "statement"), "because", clause(self.rng.choice(reasons), "subordinate")))

    def description(self) -> SentencePair:
        """Say what somebody or something is like, or how old somebody is: The soup is not hot."""
        says = self.being(EVERY_PRONOUN)
        if isinstance(says.predicate, Adjective):
            says = says._replace(negative=self.choose.chance(0.25))
        return sentence(clause(says, "statement"))

    def being(self, pronouns: tuple[str, ...]) -> Clause:
        """Draw an age or a quality."""
        return self.choose.age(pronouns) if self.choose.chance(0.55) else self.choose.quality(pronouns)

    def timed(self, says: Clause, probability: float) -> Clause:
        """Perhaps add a time; not beside two objects, where German would have to choose a place for it."""
        if (says.object and says.recipient) or not self.choose.chance(probability):
            return says
        return says._replace(time=self.choose.time(says.verb))


def taken_up(subject: NounPhrase | Pronoun) -> Pronoun | None:
    """Find the pronoun that repeats a subject, where English and German agree on it."""
    if isinstance(subject, Pronoun):
        return subject
    return PRONOUNS["they"] if subject.plural else PRONOUNS.get(subject.noun.pronoun)
