"""Bugs of what is kept between two updates: parameters in a buffer, replicas, ranks, checkpoints, modes."""

from functools import partial

import test_data_parallel as data_parallel_tests
import test_distributed as distributed_tests
import test_divergence as divergence
import test_parameters_of_adam as parameters_of_adam
import test_resume as resume

from npformer.module import Module, Parameter
from npformer.training import Checkpoint, Trainer, trainer
from npformer.training.data_parallel import DataParallel, _Process, _Replica

from .plant import bug

NOT_FINITE = "if not math.isfinite(loss + norm):"
THREE_WORKERS = partial(
    data_parallel_tests.test_parallel_update_equals_single_worker, kind=None, workers=3
)
TWO_RANKS = partial(
    distributed_tests.test_two_ranks_equal_two_workers_bit_for_bit, how={"dropout": 0.5}
)
CLIPPED_RANKS = partial(
    distributed_tests.test_two_ranks_equal_two_workers_bit_for_bit, how={"clip_norm": 0.1}
)
PROCESSES = partial(
    data_parallel_tests.test_processes_equal_threads_bit_for_bit, how={"workers": 3, "dropout": 0.5}
)

STATE = [
    bug(
        "Adam: the starting values are lost",
        parameters_of_adam.test_every_parameter_is_a_view_of_its_slice,
        (
            Parameter,
            "store_in",
            "data[...], grad[...] = self._data, self._grad",
            "data[...], grad[...] = 0, 0",
        ),
    ),
    bug(
        "Trainer: clips after Adam's step",
        divergence.test_gradient_is_clipped_before_adam_step,
        (Trainer, "update", "clip_gradient(self.clip_norm or math.inf)", "clip_gradient()"),
        (
            Trainer,
            "update",
            "return loss",
            "self.optimizer.clip_gradient(self.clip_norm or 1e9)\n    return loss",
        ),
    ),
    bug(
        "Trainer: a loss that is not finite is trained on",
        partial(
            divergence.test_nan_loss_stops_training, clip_norm=0.5, workers=1, value=float("nan")
        ),
        (Trainer, "update", NOT_FINITE, "if False:"),
    ),
    bug(
        "Trainer: only the loss is checked",
        partial(
            divergence.test_non_finite_gradient_stops_training,
            clip_norm=None,
            workers=1,
            value=float("inf"),
        ),
        (Trainer, "update", NOT_FINITE, "if not math.isfinite(loss):"),
    ),
    bug(
        "Trainer: gradients pile up from update to update",
        THREE_WORKERS,
        (trainer, "forward_backward", "gradient.fill(0)", "pass"),
    ),
    bug(
        "Trainer: each batch is a mean over its own tokens",
        THREE_WORKERS,
        (
            trainer,
            "forward_backward",
            "objective.forward(batch, n_tokens)",
            "objective.forward(batch)",
        ),
    ),
    bug(
        "replicas: all leave their gradient with the first worker",
        THREE_WORKERS,
        (_Replica, "forward_backward", "self.gradients[self.number]", "self.gradients[0]"),
    ),
    bug(
        "replicas: only the first worker's gradient counts",
        THREE_WORKERS,
        (_Replica, "add_gradients", "self.gradients[1:]", "()"),
    ),
    bug(
        "replicas: only the first worker's part of the parameters is updated",
        THREE_WORKERS,
        (
            _Replica,
            "step",
            "self.optimizer.update_part(",
            "self.part.start or self.optimizer.update_part(",
        ),
    ),
    bug(
        "replicas: all drop out by the same numbers",
        partial(data_parallel_tests.test_each_worker_has_its_own_dropout_generator, kind=None),
        (
            DataParallel,
            "_streams",
            "*rng.spawn(self.n_in_all - 1)",
            "*__import__('copy').deepcopy([rng] * (self.n_in_all - 1))",
        ),
    ),
    bug(
        "processes: what workers drew is not sent back",
        PROCESSES,
        (_Process, "receive", "self.replica.set_states(states)", "pass"),
    ),
    bug(
        "ranks: every rank takes the first share",
        TWO_RANKS,
        (DataParallel, "_shares", "[first : first + self.n_workers]", "[: self.n_workers]"),
    ),
    bug(
        "ranks: all drop out by the same numbers",
        TWO_RANKS,
        (DataParallel, "_streams", "[first : first + self.n_workers]", "[: self.n_workers]"),
    ),
    bug(
        "ranks: gradients are not summed",
        TWO_RANKS,
        (
            DataParallel,
            "forward_backward",
            "self.communicator.allreduce(self.optimizer.grad)",
            "pass",
        ),
    ),
    bug(
        "ranks: a gradient is clipped before the sum",
        CLIPPED_RANKS,
        (
            DataParallel,
            "forward_backward",
            "self.communicator.allreduce(self.optimizer.grad)",
            "self.optimizer.clip_gradient(0.1)\n    self.communicator.allreduce(self.optimizer.grad)",
        ),
    ),
    bug(
        "checkpoint: only the first worker's random state",
        partial(resume.test_resume_with_workers_and_accumulation, how={"workers": 2}),
        (Trainer, "generators", "self.parallel or self.objective", "self.objective"),
    ),
    bug(
        "checkpoint: the place in the epoch is not restored",
        resume.test_checkpoint_at_end_of_epoch_starts_the_next,
        (
            Checkpoint,
            "restore",
            'trainer.epoch = self.progress["epoch"]',
            "pass",
        ),
    ),
    bug(
        "checkpoint: the weights are restored before the moments are checked",
        partial(
            resume.test_mismatched_checkpoint_changes_no_state,
            case="a second moment of another size",
        ),
        (
            Checkpoint,
            "restore",
            "trainer.objective.check_fits(weights)",
            "trainer.objective.load_state_dict(weights)",
        ),
    ),
    bug(
        "load_state_dict: copies some arrays before it refuses",
        partial(
            resume.test_mismatched_weights_change_no_state, change=resume.reshaped(resume.LAST)
        ),
        (Module, "load_state_dict", "self.check_fits(state)", "pass"),
    ),
]
