"""What the playground computes: translations, recorded steps and comparisons.

It runs in the browser, in a worker of the page, and in tools/playground.py, which records the
example of the page.
"""

import copy
import json
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice

import numpy as np

import npformer as npf
from npformer.tasks import Objective, TranslationBatch
from npformer.testing import plant
from npformer.utils import InputError, one_line
from npformer.visualization import sentence_attention, step_through
from npformer.visualization.comparison import compare_steps
from npformer.visualization.comparison.changes import bug_of
from npformer.visualization.comparison.evidence import (
    HIGHEST_OF_SEEDS,
    LOWEST_OF_SEEDS,
    gradient_check,
    training_losses,
)
from npformer.visualization.comparison.summary import describe_curves
from npformer.visualization.viewer import AttentionViewer

# a second sentence in the batch of a comparison, so that one of the two has padding
SECOND_SENTENCE = "the dog sleeps ."
SECOND_TARGET = "Der Hund schläft ."
DROPOUT = 0.1
HISTORY = (
    "The model is the translator of the playground as it was trained, here with dropout. Adam has "
    "seen the same sentences once before without moving a weight, so that its moments are not 0."
)
PEAK_RATE = 2e-3
WARMUP_STEPS = 300

N_UPDATES = 200
# in place of a third training, which takes as long as each of the two
SEEDS = (
    f"Random numbers move this mean too: without a change it is from {LOWEST_OF_SEEDS} to "
    f"{HIGHEST_OF_SEEDS} over eight seeds, of which A is the lowest."
)
UPDATES_AT_A_TIME = 20  # after which the page can ask for something else


class Training:
    """A small training, with a bug or without, that goes on a little at a time."""

    def __init__(self, bug=None):
        self.bug = bug
        self.losses = []
        self.updates = training_losses(N_UPDATES)

    def goes_on(self):
        """Take some updates, and return whether there were any."""
        with plant(self.bug) if self.bug else nullcontext(), np.errstate(all="ignore"):
            new = list(islice(self.updates, UPDATES_AT_A_TIME))
        self.losses += new
        return bool(new)

    def __str__(self):
        return f"{len(self.losses)} of {N_UPDATES} updates"


class Session:
    """A trained translator, and what was last compared."""

    def __init__(self):
        self.translator = npf.load("phrasebook")
        self.recorded = None  # (sentence, target), the step without a change, its moments
        self.bug = None
        self.right_training = Training()
        self.wrong_training = Training()

    def translate(self, sentence, target=""):
        """Return the translation and, as HTML, the attention."""
        [translation] = self.translator.translate(sentence)
        looked = sentence_attention(self.translator, sentence, self._target_of(sentence, target))
        return {"translation": translation, "attention": AttentionViewer(looked).html()}

    def step(self, sentence, target=""):
        """Return the page of the training step of one sentence."""
        objective = Objective(self.translator.model).train()
        try:
            batch = self._batch([(sentence, self._target_of(sentence, target))])
            vocabularies = self.translator.vocabularies
            return {"page": step_through(objective, batch, vocabularies=vocabularies).html()}
        finally:
            self.translator.model.eval()

    def compare(self, sentence, target, change):
        """Return the page of the steps without and with a change, which `what_if` describes."""
        return {"page": self.comparison(sentence, target, change).html()}

    def prepare(self, sentence, target):
        """Record the step without a change, which all comparisons of a sentence share."""
        if self.recorded is None or self.recorded[0] != (sentence, target):
            recording, moments = self._record(sentence, target)
            self.recorded = (sentence, target), recording, moments
        return {}

    def comparison(self, sentence, target, change):
        """Return the comparison of the steps without and with a change.

        Unlike `what_if` it makes the model anew, so that a change in how a model is made shows.
        """
        bug = bug_of(change)
        target = self._target_of(sentence, target)
        self.prepare(sentence, target)
        _, right, moments = self.recorded
        wrong, _ = with_bug(bug, lambda: self._record(sentence, target, moments))

        self.bug = bug
        self.wrong_training = Training(bug)
        return replace(compare_steps(right, wrong), bug=bug, history=HISTORY)

    def shows(self, sentence, bug):
        """Return whether a bug changes the loss, a gradient or a parameter in the step."""
        target = self._target_of(sentence)
        right, moments = self._update(sentence, target)
        wrong, _ = with_bug(bug, lambda: self._update(sentence, target, moments))
        return not all(map(np.array_equal, right, wrong))

    def train(self):
        """Go on with the two small trainings, without and with the last change.

        Returns how far they are, or both curves when they are complete.
        """
        if self.right_training.goes_on():
            return {"progress": f"Training the code as it is: {self.right_training}"}
        if self.wrong_training.goes_on():
            return {"progress": f"Training with the change: {self.wrong_training}"}
        losses = [self.right_training.losses, self.wrong_training.losses]
        words = f"{describe_curves(*map(np.array, losses))} {SEEDS}"
        return {"losses": losses, "words": words}

    def check(self):
        """Return in words what the gradient check says of the last change."""
        return {"words": gradient_check(self.bug)}

    def _target_of(self, sentence, target=""):
        if target.strip():
            return target
        [translation] = self.translator.translate(sentence)
        return translation

    def _batch(self, pairs):
        sources = []
        targets = []
        for sentence, target in pairs:
            self.translator.encode(sentence)  # which refuses what the model cannot read
            sources.append(self.translator.source.encode(sentence))
            targets.append(self.translator.target.encode(target))
        return TranslationBatch.of(sources, targets)

    def _record(self, sentence, target, moments=None):
        """Return the recorded step of a model that is made now, and Adam's moments before it."""
        objective, batch, adam = self._make(sentence, target, moments)
        moments = adam.state_dict()
        vocabularies = self.translator.vocabularies
        return step_through(objective, batch, adam, vocabularies=vocabularies), moments

    def _update(self, sentence, target, moments=None):
        """Take the step without recording it.

        Returns the loss, gradients and parameters after it, and Adam's moments before it.
        """
        objective, batch, adam = self._make(sentence, target, moments)
        moments = adam.state_dict()
        objective.zero_grad()
        loss = objective.forward(batch)
        objective.backward()
        adam.step()
        return (loss, adam.grad, adam.data), moments

    def _make(self, sentence, target, moments):
        """Return a new model with the translator's weights and dropout, a batch, and an Adam.

        Adam has seen the batch once.
        """
        trained = self.translator.model
        model = npf.Transformer(replace(trained.config, dropout=DROPOUT), rng=0)
        weights = trained.state_dict()
        for name, parameter in model.named_parameters():
            # with a bug there may be a further parameter, which is made of one of these
            if name in weights:
                parameter.data[...] = weights[name]
        objective = Objective(model)
        batch = self._batch([(sentence, target), (SECOND_SENTENCE, SECOND_TARGET)])

        rate = npf.WarmupSchedule.with_peak(PEAK_RATE, model.config.d_model, WARMUP_STEPS)
        if moments is None:
            moments = moments_after_an_update(objective, batch, rate)
        adam = npf.Adam(objective.parameters(), rate)
        if moments["m"].size != adam.m.size:
            moments = moments_after_an_update(objective, batch, rate)
            adam = npf.Adam(objective.parameters(), rate)
        adam.load_state_dict(moments)
        return objective, batch, adam


def moments_after_an_update(objective, batch, rate):
    """Return Adam's moments after an update of a copy.

    In a first update they are 0, and a wrong beta would not show.
    """
    objective = copy.deepcopy(objective)
    adam = npf.Adam(objective.parameters(), rate)
    objective.zero_grad()
    objective.forward(batch)
    objective.backward()
    adam.step()
    return adam.state_dict()


def with_bug(bug, run):
    """Return what `run()` returns while a bug is planted.

    Raises `InputError` where it stops.
    """
    try:
        with plant(bug), np.errstate(all="ignore"):
            return run()
    except Exception as error:
        text = one_line(f"{type(error).__name__}: {error}")
        raise InputError(f"with this change the update stops: {text}") from error


def answer(session, request):
    """Answer a request of the page in JSON: the name of a method, and its arguments."""
    name, arguments = json.loads(request)
    try:
        return json.dumps(getattr(session, name)(*arguments))
    except InputError as error:
        return json.dumps({"error": one_line(str(error))})
    except Exception as error:
        return json.dumps({"error": one_line(f"{type(error).__name__}: {error}")})
