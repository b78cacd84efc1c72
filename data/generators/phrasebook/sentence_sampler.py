"""Sampling of sentences of every kind, which the grammar then writes."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from npformer.datasets import SentencePair

from .clause_sampler import ClauseSampler, has_habit
from .grammar import Clause
from .meaning import Meaning, realize
from .nouns import COLD, DARK, LATE, PEOPLE, PLACES, STATES, Adjective
from .phrase_sampler import EVERY_PRONOUN, Subject, needs_modal
from .phrases import PRONOUNS, NounPhrase, Pronoun
from .time_adverbials import FOR_HABITS
from .verbs import BE, MATRIX, RAIN, VERBS, Verb

STATE_REASONS = {state.english: state for state in STATES}
IMPERSONAL_REASONS = {
    "late": Clause(PRONOUNS["it"], BE, predicate=LATE),
    "dark": Clause(PRONOUNS["it"], BE, predicate=DARK),
    "cold": Clause(PRONOUNS["it"], BE, predicate=COLD),
    "rain": Clause(PRONOUNS["it"], RAIN),
}
WITH_REASON = [
    verb for verb in VERBS if {*STATE_REASONS, *IMPERSONAL_REASONS} & set(verb.fits.split())
]
HOPED_FOR = [verb for verb in VERBS if "hope" in verb.fits.split()]
QUESTION_VERBS = {
    "when": [verb for verb in VERBS if set(FOR_HABITS) & set(verb.times.split())],
    "where": [verb for verb in VERBS if set(PLACES) & set(verb.fits.split())],
    "why": [verb for verb in VERBS if "want" in verb.modals],
}
QUESTION_MODALS = {
    "when": ("can", "must", "want"),
    "where": ("can", "must", "want"),
    "why": ("must", "want"),
}


class SentenceSampler:
    """Draws sentences.

    >>> SentenceSampler(Random(0)).sample().target[-1] in ".?"
    True
    """

    def __init__(self, rng: Random):
        self.rng = rng
        self.choose = ClauseSampler(rng)
        kinds = Counter(
            {
                self.statement: 42,
                self.question: 15,
                self.wh_question: 9,
                self.knowledge: 16,
                self.reason: 9,
                self.description: 9,
            }
        )
        self.kinds = list(kinds.elements())

    def sample(self) -> SentencePair:
        """Draw a sentence and write it in both languages."""
        return realize(self.sample_meaning())

    def sample_meaning(self) -> Meaning:
        """Draw what a sentence says."""
        return self.rng.choice(self.kinds)()

    def statement(self) -> Meaning:
        """State something, often with its time or place in front: On Mondays the man buys bread."""
        choose, verb = self.choose, self.rng.choice(VERBS)
        subject = choose.subject(verb)
        draw = self.rng.choice(
            (choose.event, choose.habit, choose.habit, choose.wish, choose.refusal)
        )
        if draw == choose.wish and subject == PRONOUNS["you"]:
            says = choose.wish(verb, subject, ("can", "may", "must", "want"))
        else:
            says = draw(verb, subject)
        if draw == choose.event and isinstance(subject, NounPhrase) and choose.chance(0.3):
            says = says._replace(subject=some(subject))

        front = ""
        if says.time:
            front = "time"
        elif says.place:
            front = "place"
        if front and choose.chance(0.5):
            return Meaning(says, "fronted", front)
        return Meaning(says, "statement", "")

    def question(self) -> Meaning:
        """Ask what is answered with yes or no, such as "Does the man have a dog?"."""
        if self.choose.chance(0.2):
            return Meaning(self.being(("he", "she"), ("you", "he", "she", "they")), "question")
        return Meaning(self.sample_question_clause(VERBS, QUESTION_MODALS["when"]), "question")

    def wh_question(self) -> Meaning:
        """Ask for a time, a place or a reason, such as "Where does the man buy bread?"."""
        word = self.rng.choice(tuple(QUESTION_VERBS))
        says = self.sample_question_clause(QUESTION_VERBS[word], QUESTION_MODALS[word])._replace(
            time=None, place=None
        )
        if says.object:
            says = says._replace(object=says.object._replace(number=0))
        return Meaning(says, "question", word)

    def sample_question_clause(self, verbs: Sequence[Verb], modals: tuple[str, ...]) -> Clause:
        """Draw a question; those of I and we have "can", "may" or "must"."""
        choose, verb = self.choose, self.rng.choice(verbs)
        if "may" in verb.modals and choose.chance(0.25):
            subject = choose.subject(verb, ("I", "I", "we", "he", "she", "they"))
            return choose.wish(verb, subject, ("may", "may", "must"))
        subject = choose.subject(verb, ("you", "you", "he", "she", "they"))
        if has_habit(verb, subject) and choose.chance(0.6):
            return choose.habit(verb, subject, timed=choose.chance(0.4))
        return choose.wish(verb, subject, modals)

    def knowledge(self) -> Meaning:
        """Attach a clause with that: I know that the man has a dog."""
        choose, known = self.choose, self.rng.choice(MATRIX)
        others = ("he", "she", "they")
        if known.english == "hope":  # for what will happen
            verb = self.rng.choice(HOPED_FOR)
            modal = ""
            if choose.chance(0.4):
                modal = choose.modal(verb, ("can",))
            says = choose.clause(verb, choose.subject(verb, others), modal)
        elif choose.chance(0.2):
            says = self.being(("he", "she"), others)
        else:
            verb = self.rng.choice(VERBS)
            draw = self.rng.choice((choose.habit, choose.habit, choose.wish, choose.refusal))
            says = draw(verb, choose.subject(verb, others))
        knowers: tuple[str, ...] = EVERY_PRONOUN
        if known.english == "say":
            knowers = ("you", "he", "she", "we", "they")
        knower = choose.subject(known, knowers, others=says)
        while isinstance(says.subject, Pronoun) and taken_up(knower) in (None, says.subject):
            knower = choose.subject(
                known, knowers, others=says
            )  # a pronoun that might mean the one who knows is unclear
        return Meaning(Clause(knower, known), conjunction="that", other=says)

    def reason(self) -> Meaning:
        """Attach a clause with because: The man closes the window because he is tired."""
        choose, verb = self.choose, self.rng.choice(WITH_REASON)
        again = taken_up(subject := choose.subject(verb, kinds=PEOPLE))
        reasons = [
            IMPERSONAL_REASONS[word] for word in verb.fits.split() if word in IMPERSONAL_REASONS
        ]
        if again:
            states = [STATE_REASONS[word] for word in verb.fits.split() if word in STATE_REASONS]
            reasons += [Clause(again, BE, predicate=state) for state in states]
        if not reasons:
            return self.reason()
        if needs_modal(verb, subject) or choose.chance(0.3):
            says = choose.wish(verb, subject, ("want",))
        else:
            says = choose.event(verb, subject)
        says = says._replace(time=None, place=None, company=None)
        return Meaning(says, conjunction="because", other=self.rng.choice(reasons))

    def description(self) -> Meaning:
        """Draw a quality, a state or an age: The soup is not hot."""
        says = self.being(("I", "you", "he", "she"), ("I", "you", "he", "she", "we", "they"))
        if isinstance(says.predicate, Adjective):
            says = says._replace(negative=self.choose.chance(0.25))
        return Meaning(says)

    def being(self, one: tuple[str, ...], anyone: tuple[str, ...]) -> Clause:
        """Draw an age (of one person), a state or a quality."""
        if self.choose.chance(0.4):
            return self.choose.age(one)
        if self.choose.chance(0.5):
            return self.choose.state(anyone)
        return self.choose.quality()


def some(subject: NounPhrase) -> Subject:
    """Speak of any such person or animal, where it is not a relative."""
    if subject.noun.kind == "kin" or subject.plural:
        return subject
    return subject._replace(determiner="a")


def taken_up(subject: Subject) -> Pronoun | None:
    """Find the pronoun that repeats a subject, where English and German agree on it."""
    if isinstance(subject, Pronoun):
        return subject
    if subject.plural:
        return PRONOUNS["they"]
    return PRONOUNS.get(subject.noun.pronoun)
