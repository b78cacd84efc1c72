"""What if this line were wrong: an update with and without a change in the code."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...tasks import Objective
from ...testing import PlantedBug, plant
from ...utils import InputError, one_line
from ..stepper import StepThrough, step_through
from .changes import Changes, bug_of
from .differences import Comparison, compare_steps
from .evidence import gradient_check, loss_curve

N_UPDATES = 200
OTHER_SEED = 1  # of a small training; the other trainings have 0


def what_if(
    objective: Objective,
    batch: Any,
    change: str | PlantedBug | Changes,
    optimizer: Any = None,
    *,
    only: str | None = None,
    vocabularies: Sequence = (),
    history: str = "",
    n_updates: int = N_UPDATES,
) -> Comparison:
    """Record an update with the code as it is and with a change in it, and compare the two.

    Both start from the same weights, moments and random numbers; `objective` and `optimizer` stay
    as they were. The result shows itself in a notebook; `save("what_if.html")` writes a page.

    Arguments:
        objective: A model with its loss.
        batch: What its forward takes.
        change: The name of a planted bug, or changes of files below npformer/:
            {"layers/layer_norm.py": ("old text", "new text")} or
            {"layers/layer_norm.py:44": "new line"}.
        optimizer: An optimizer, whose step is recorded too.
        only: The name of a layer: lines elsewhere are not recorded.
        vocabularies: Those of a predictor, which give the ids names.
        history: What was before this update, in sentences for the page, such as "The model is
            trained." Without it the page says how many steps the optimizer has taken.
        n_updates: How many updates of a small task the two curves of the loss have; 0 leaves out
            the curves and the gradient check.

    Raises `InputError` when the change cannot be made, and when the update raises an exception
    with it.

    >>> from npformer import Transformer, TransformerConfig
    >>> from npformer.tasks import Objective, TranslationBatch
    >>> config = TransformerConfig.tiny(src_vocab_size=10, tgt_vocab_size=10, dropout=0.0)
    >>> objective = Objective(Transformer(config, rng=0))
    >>> batch = TranslationBatch.of([[4, 5]], [[6]])
    >>> change = {"layers/attention.py": ("dscores *= 1 / math.sqrt(d_k)", "dscores *= d_k")}
    >>> comparison = what_if(objective, batch, change, n_updates=0)
    >>> comparison.first.place.name, comparison.first.place.function
    ('dscores', 'backward')
    """
    bug = bug_of(change)
    options: dict[str, Any] = {"only": only, "vocabularies": vocabularies}
    right = _record(objective, batch, optimizer, options)
    try:
        with plant(bug), np.errstate(all="ignore"):
            wrong = _record(objective, batch, optimizer, options)
    except (Exception, SystemExit) as error:
        text = one_line(f"{type(error).__name__}: {error}")
        raise InputError(f"with this change the update stops: {text}") from error

    comparison = compare_steps(right, wrong)
    comparison = replace(comparison, bug=bug, history=history or _describe_history(optimizer))
    if not n_updates:
        return comparison
    right_losses = loss_curve(n_updates)
    with plant(bug):
        wrong_losses = loss_curve(n_updates)
    # how much other random numbers alone change
    other_losses = loss_curve(n_updates, seed=OTHER_SEED)
    losses = (right_losses, wrong_losses, other_losses)
    return replace(comparison, losses=losses, gradient_check=gradient_check(bug))


def _describe_history(optimizer: Any) -> str:
    """Say what is known of the time before an update."""
    begin = "Both begin with the weights that the model had."
    if optimizer is None:
        return f"{begin} There is no optimizer: only forward and backward run."
    name = type(optimizer).__name__
    n_steps = getattr(optimizer, "steps", 0)
    return f"{begin} It is step {n_steps + 1} of {name}."


def _record(objective: Any, batch: Any, optimizer: Any, options: dict[str, Any]) -> StepThrough:
    """Record an update of copies."""
    # in one copy, because the optimizer updates the parameters of the model
    objective, optimizer = copy.deepcopy((objective, optimizer))
    return step_through(objective, batch, optimizer, **options)
