"""What else shows a bug: the loss over 200 updates of a small task, and the gradient check."""

import numpy as np

from ...datasets import sequences
from ...models import Transformer, TransformerConfig
from ...module import Module
from ...tasks import Batches, Objective
from ...testing import GradientReport, PlantedBug, plant
from ...testing.cases import CASES, MODEL_CASES, GradientCase, check
from ...testing.planted_bugs import owner_of
from ...training import Adam, Trainer, WarmupSchedule
from ...utils import InputError, one_line

N_SPECIAL_TOKENS = 4
N_DIGITS = 10
# of 0.005, 0.01 and 0.02 this rate has the lowest loss after 200 updates
PEAK_RATE = 0.02
WARMUP_STEPS = 60
# the files whose functions have a part in forward and backward
DIFFERENTIATED = ("layers/", "models/", "module.py", "tasks/")
MODEL_ENTRIES = 1
MOST_NAMED = 3


def loss_curve(n_updates: int, *, seed: int = 0) -> np.ndarray:
    """Train a small Transformer to reverse sequences of digits; return the loss of each update.

    Whatever bug is planted is in effect. The curve ends early where the training cannot go on.

    >>> len(loss_curve(3))
    3
    """
    vocab_size = N_SPECIAL_TOKENS + N_DIGITS
    config = TransformerConfig(
        src_vocab_size=vocab_size,
        tgt_vocab_size=vocab_size,
        d_model=16,
        d_ff=32,
        n_heads=4,
        n_encoder_layers=2,
        n_decoder_layers=2,
        dropout=0.1,
    )
    objective = Objective(Transformer(config, rng=seed), label_smoothing=0.1)
    rate = WarmupSchedule.with_peak(PEAK_RATE, config.d_model, WARMUP_STEPS)
    adam = Adam(objective.parameters(), learning_rate=rate)
    batches = Batches(_digits_to_reverse(), batch_tokens=150, seed=seed)
    trainer = Trainer(objective, adam, batches)

    losses: list[float] = []
    try:
        for record in trainer.updates(epochs=n_updates):
            losses.append(record.loss)
            if len(losses) == n_updates:
                break
    except InputError:
        pass  # of a loss that is not finite: the curve ends there
    return np.array(losses)


def _digits_to_reverse() -> list[tuple[list[int], list[int]]]:
    """Return sequences of three or four digits and the same reversed, as ids."""
    pairs, _ = sequences.split("reverse", n_train=600, n_held_out=1, min_length=3, max_length=4)
    examples = []
    for pair in pairs:
        source = [N_SPECIAL_TOKENS + int(digit) for digit in pair.source.split()]
        target = [N_SPECIAL_TOKENS + int(digit) for digit in pair.target.split()]
        examples.append((source, target))
    return examples


def case_for(bug: PlantedBug) -> GradientCase | None:
    """Return the smallest case of the gradient check that runs the changed code.

    Returns None where there is no gradient to check, as in the optimizer.

    >>> from npformer.testing import find_bug
    >>> case_for(find_bug("LayerNorm.backward: no mean term")).name
    'LayerNorm'
    """
    place = bug.edits[0].place
    if not place.startswith(DIFFERENTIATED):
        return None
    owner = owner_of(place)
    if owner is None or not issubclass(owner, Module):
        owner = Transformer  # a function, such as that of a mask

    smallest = None
    n_smallest = 0
    for case in CASES:
        layer, _ = case.build(np.random.default_rng(0))
        modules = [module for _, module in layer.named_modules()]
        if not any(isinstance(module, owner) for module in modules):
            continue
        if smallest is None or len(modules) < n_smallest:
            smallest = case
            n_smallest = len(modules)
    return smallest


def gradient_check(bug: PlantedBug) -> str:
    """Return in a sentence what the gradient check says of a bug, which is planted meanwhile.

    >>> from npformer.testing import find_bug
    >>> gradient_check(find_bug("LayerNorm.backward: no mean term")).partition(":")[0]
    'The gradient check of LayerNorm finds it'
    """
    case = case_for(bug)
    if case is None:
        return "There is no gradient to check: the changed line does not take part in backward."
    # every entry of a whole model would take minutes
    entries = MODEL_ENTRIES if case in MODEL_CASES else None
    try:
        with plant(bug), np.errstate(all="ignore"):
            report = check(case, entries=entries)
    except AssertionError as error:
        return f"The gradient check of {case.name} finds it: {one_line(str(error))}."
    except Exception as error:
        return f"The gradient check of {case.name} stops: {one_line(str(error))}."

    if report.ok:
        return (
            f"The gradient check of {case.name} passes: backward is the derivative of forward, "
            "be forward right or wrong."
        )
    return f"The gradient check of {case.name} finds it: {_describe_wrong(report)}."


def _describe_wrong(report: GradientReport) -> str:
    """Return which gradients are wrong, and what is known of the worst."""
    wrong = [row for row in report.rows if not row.error <= report.tolerance]
    worst = max(wrong, key=lambda row: row.error)
    names = ", ".join(row.name for row in wrong[:MOST_NAMED])
    if len(wrong) > MOST_NAMED:
        names += f" and {len(wrong) - MOST_NAMED} more"
    text = f"wrong is the gradient of {names}"
    if worst.finding:
        return f"{text}; that of {worst.name} {worst.finding}"
    return f"{text}; {worst.name} has {worst.analytic:.4g}, not {worst.numeric:.4g}"
