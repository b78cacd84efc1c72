"""Bugs of what is held between two updates: parameters in a buffer, replicas, checkpoints, switches, generators."""

from functools import partial

import test_divergence as divergence
import test_ends_of_workers as ends
import test_finding as finding
import test_flat as flat
import test_parameter as parameter
import test_replicas as replicas_
import test_resume as resume
import test_seeds as seeds
import test_settings_of_adam as rates
import test_shared_memory as shared_
import test_switches as switches
import test_worker_processes as processes_
from npformer.workers import Processes, child

from npformer import module
from npformer.layers import FeedForward
from npformer.module import Module, Parameter
from npformer.training import Adam, Checkpoint, FlatParameters, Replicas, Trainer, replicas

from .plant import bug

NO_NUMBER = "if not math.isfinite(loss) or not math.isfinite(norm):"
COPY = partial(flat.test_a_copy_of_model_and_optimiser_trains_itself_like_the_original, "deepcopy", 1)

STATE = [
    bug(
        "Parameter: to assign is to put another array in its place",
        parameter.test_weights_that_are_assigned_are_trained_on,
        (
            Parameter,
            "_copy_in",
            "array[...] = values",
            "self._data, self._grad = (values if array is a else a for a in (self._data, self._grad))",
        ),
    ),
    bug(
        "Parameter: what is assigned is broadcast",
        partial(parameter.test_another_shape_is_refused_though_it_would_broadcast, 1.0),
        (Parameter, "_copy_in", "if values.shape != array.shape:", "if False:"),
    ),
    bug(
        "Parameter: the gradient is lost in a copy",
        COPY,
        (Parameter, "__reduce__", "self._data.copy(), self.grad.copy()", "self._data.copy(),"),
    ),
    bug(
        "Parameter: a cleared gradient shows what it was",
        partial(parameter.test_a_cleared_gradient_is_zero_to_whoever_looks, "read"),
        (Parameter, "settle", "self._grad.fill(0)", "pass"),
    ),
    bug(
        "FlatParameters: a cleared gradient is in the buffer as it was",
        partial(flat.test_gradients_that_were_cleared_are_zero_in_the_buffer_too, "gradient_norm"),
        (FlatParameters, "settle", "p.settle()", "pass"),
    ),
    bug(
        "Parameter: every product is written over what came before",
        parameter.test_a_product_is_added_and_into_a_cleared_gradient_written,
        (Parameter, "add_product", "if self._cleared:", "if True:"),
    ),
    bug(
        "Parameter: of two products after a clearing the last one stays",
        parameter.test_a_product_is_added_and_into_a_cleared_gradient_written,
        (Parameter, "add_product", "self._cleared = False", "pass"),
    ),
    bug(
        "Parameter: a product is added to what was cleared",
        parameter.test_a_product_is_added_and_into_a_cleared_gradient_written,
        (Parameter, "add_product", "if self._cleared:", "if False:"),
    ),
    bug(
        "FlatParameters: the starting values are lost",
        flat.test_every_parameter_is_a_view_of_its_stretch,
        (Parameter, "lie_in", "data[...], grad[...] = self._data, self.grad", "data[...], grad[...] = 0, 0"),
    ),
    bug(
        "FlatParameters: a second optimiser has a buffer of its own, and the first trains nothing any more",
        flat.test_the_same_parameters_once_more_share_the_buffer,
        (FlatParameters, "__init__", "if not others and first is not None and", "if False and"),
        (FlatParameters, "__init__", "elif any(buffers.values()):", "elif False:"),
    ),
    bug(
        "FlatParameters: every stretch begins one number late",
        flat.test_every_parameter_is_a_view_of_its_stretch,
        (FlatParameters, "__init__", "slice(end - size, end)", "slice(end - size + 1, end + 1)"),
    ),
    bug(
        "Adam: the learning rate is asked for when the step has begun",
        rates.test_a_rate_that_goes_wrong_later_stops_before_the_weights,
        (
            Adam,
            "step",
            "lr = self.learning_rate_at(self.steps + 1)\n    self.torn = True\n    self.steps += 1",
            "self.torn = True\n    self.steps += 1\n    lr = self.learning_rate_at(self.steps)",
        ),
    ),
    bug(
        "Trainer: clips after Adam's step",
        divergence.test_the_gradient_is_clipped_before_adam_takes_its_step,
        (Trainer, "update", "if self.clip_norm is not None", "if False"),
        (Trainer, "update", "return loss", "flat.clip_gradient(self.clip_norm or 1e9)\n    return loss"),
    ),
    bug(
        "Trainer: a loss that is no number is trained on",
        partial(divergence.test_a_loss_that_is_no_number, clip_norm=0.5, workers=1, value=float("nan")),
        (Trainer, "update", NO_NUMBER, "if False:"),
    ),
    bug(
        "Trainer: only the loss is looked at",
        partial(
            divergence.test_a_gradient_that_is_no_number_under_a_loss_that_is_one,
            clip_norm=None,
            workers=1,
            value=float("inf"),
        ),
        (Trainer, "update", NO_NUMBER, "if not math.isfinite(loss):"),
    ),
    bug(
        "Trainer: parameters cut loose go unnoticed",
        partial(replicas_.test_a_parameter_cut_loose_from_adams_buffer_is_refused, workers=1),
        (Trainer, "updates", "self.check_parameters()", "pass"),
    ),
    bug(
        "Replicas: one without sentences adds its last gradient again",
        replicas_.test_a_replica_without_sentences_adds_nothing_of_the_update_before,
        (Replicas, "work", "parameter.settle()", "pass"),
    ),
    bug(
        "Replicas: what is taken away leaves its gradients behind",
        replicas_.test_what_is_taken_away_has_no_gradient_any_more,
        (Replicas, "copy_layers", "gradient.fill(0)", "pass"),
    ),
    bug(
        "Replicas: gradients pile up from update to update",
        replicas_.test_a_second_update_starts_from_zero,
        (Replicas, "work", "parameter.clear()", "pass"),
    ),
    bug(
        "Replicas: each share is a mean over its own tokens",
        partial(replicas_.test_the_gradient_is_that_of_the_mean_over_all_tokens, workers=2, number=1),
        (Replicas, "work", "objective.forward(batch, n_tokens)", "objective.forward(batch)"),
    ),
    bug(
        "Replicas: all drop out by the same numbers",
        replicas_.test_workers_drop_out_differently,
        (Replicas, "give_streams", "*rng.spawn(self.n_everywhere - 1)", "__import__('copy').deepcopy(rng)"),
    ),
    bug(
        "Replicas: all draw from one generator",
        replicas_.test_workers_share_the_weights_and_nothing_else,
        (Replicas, "give_streams", "*rng.spawn(self.n_everywhere - 1)", "rng"),
    ),
    bug(
        "Replicas: frozen copies, which follow nothing",
        replicas_.test_a_rate_that_was_changed_holds_in_every_replica,
        (Replicas, "follow", "self.copy_layers()", "pass"),
    ),
    bug(
        "Replicas: a copy anew begins its random streams anew",
        replicas_.test_a_change_does_not_begin_the_random_streams_anew,
        (Replicas, "give_streams", "if id(rng) not in self.streams[0]:", "if True:"),
    ),
    bug(
        "Replicas: modes are not followed",
        replicas_.test_an_encoder_in_eval_mode_is_in_eval_mode_in_every_replica,
        (Replicas, "tell", "twin.switches = now", "pass"),
    ),
    bug(
        "Replicas: the switches of a with block are not followed",
        replicas_.test_a_gradient_without_dropout_is_without_it_in_every_replica,
        (Replicas, "follow", "layer.now for layer", "layer.switches for layer"),
    ),
    bug(
        "Replicas: what has been exchanged for another kind goes unnoticed",
        partial(
            replicas_.test_what_is_changed_in_the_layers_later_is_changed_in_every_replica,
            change="a layer of another kind",
        ),
        (replicas, "settings_of", "not isinstance(value, MethodType)", "isinstance(value, float)"),
    ),
    bug(
        "Replicas: what is put into a list goes unnoticed",
        partial(
            replicas_.test_what_is_changed_in_the_layers_later_is_changed_in_every_replica,
            change="a layer taken away",
        ),
        (replicas, "settings_of", "values = held([", "values = list(["),
    ),
    bug(
        "Processes: children keep the switches they were forked with",
        partial(processes_.test_what_is_changed_between_two_updates_reaches_every_process, change="a switch"),
        (
            Replicas,
            "work",
            "self.tell(i, switches, states)",
            "self.tell(i, [twin.now for twin in self.twins[i]], states)",
        ),
    ),
    bug(
        "Processes: children keep drawing where their own generators stand",
        partial(processes_.test_what_is_changed_between_two_updates_reaches_every_process, change="random states"),
        (Replicas, "work", "self.tell(i, switches, states)", "self.tell(i, switches, states_of(self.drawn_from[i]))"),
    ),
    bug(
        "Processes: what children drew is not told back",
        partial(processes_.test_processes_do_bit_for_bit_what_threads_do, how={"workers": 2, "dropout": 0.5}),
        (Replicas, "gradient", "self.tell(i, switches, states[i])", "pass"),
    ),
    bug(
        "Processes: other layers do not reach them",
        partial(processes_.test_what_is_changed_between_two_updates_reaches_every_process, change="rates"),
        (Replicas, "copy_layers", "self.team.renew()", "pass"),
    ),
    bug(
        "Processes: Adam's settings are those of the fork",
        partial(processes_.test_what_is_changed_between_two_updates_reaches_every_process, change="Adam's settings"),
        (
            Adam,
            "update",
            "m *= beta1",
            "m *= self.beta1",
        ),
    ),
    bug(
        "Processes: weights that another optimiser trains stay as they were at the fork",
        partial(
            processes_.test_weights_that_this_optimiser_does_not_train_are_seen_too, trained="by another optimiser"
        ),
        (Replicas, "move_to", "p.buffer.move_to(copied)", "self.flat.move_to(copied)"),
    ),
    bug(
        "Processes: weights that nobody trains stay as they were at the fork",
        partial(processes_.test_weights_that_this_optimiser_does_not_train_are_seen_too, trained="by nobody"),
        (Replicas, "move_to", "p.lie_in(None, copied(p.data), p.grad)", "pass"),
    ),
    bug(
        "Replicas: weights that a second Trainer moves go unnoticed",
        partial(processes_.test_two_trainers_of_one_model_take_turns, kinds=(False, None)),
        (replicas, "settings_of", "value.data if isinstance(value, Parameter) else value", "value"),
    ),
    bug(
        "Replicas: sums where the gradient lay before it was moved",
        partial(processes_.test_two_trainers_of_one_model_take_turns, kinds=(False, None)),
        (Replicas, "follow", "self.gradients[0] = self.flat.unsettled", "pass"),
    ),
    bug(
        "FlatParameters: a second one stays behind when the first one moves",
        processes_.test_the_same_parameters_in_two_optimisers_stay_one_buffer,
        (FlatParameters, "__init__", "self.__dict__ = first.__dict__", "self.__dict__ = dict(first.__dict__)"),
    ),
    bug(
        "Processes: an answer that nobody waited for is taken for the next one",
        partial(ends.test_an_error_here_ends_the_children_whatever_they_are_doing, error=KeyboardInterrupt),
        (Processes, "each", "self.renew()", "pass"),
    ),
    bug(
        "Processes: children hear the parent's signals",
        ends.test_signals_are_the_parents_alone,
        (child, "settle", "signal.signal(number, signal.SIG_IGN)", "pass"),
    ),
    bug(
        "Processes: an error loses its kind on the way",
        partial(ends.test_an_error_in_a_child_is_raised_here_and_training_can_go_on, kind="with odd arguments"),
        (child, "answer", "sendable(error)", "RuntimeError(str(error))"),
    ),
    bug(
        "shared memory: a fork by others shares it too",
        shared_.test_a_child_of_ours_shares_it_and_one_of_others_does_not,
        (shared_, "shared", "BLOCKS.add(memory)", "pass"),
    ),
    bug(
        "shared memory: children of ours have their own",
        shared_.test_a_child_of_ours_shares_it_and_one_of_others_does_not,
        (shared_, "fork_sharing", "HERE.forks = True", "pass"),
    ),
    bug(
        "checkpoint: only the first replica's random state",
        resume.test_two_workers_are_taken_up_bit_for_bit_after_every_update,
        (Trainer, "generators", "self.replicas.generators()", "self.objective.generators()"),
    ),
    bug(
        "checkpoint: the place in the epoch is not taken over",
        resume.test_the_last_checkpoint_of_an_epoch_begins_the_next,
        (
            Checkpoint,
            "restore",
            'trainer.epoch, trainer.batch = self.progress["epoch"], self.progress["batch"]',
            "pass",
        ),
    ),
    bug(
        "checkpoint: the weights are taken over before the moments are looked at",
        partial(resume.test_a_checkpoint_that_does_not_fit_changes_nothing, case="a second moment of another size"),
        (
            Checkpoint,
            "restore",
            "trainer.objective.check_fits(weights)",
            "trainer.objective.load_state_dict(weights)",
        ),
    ),
    bug(
        "load_state_dict: copies some arrays before it refuses",
        partial(resume.test_weights_that_do_not_fit_change_nothing, change=resume.reshaped(resume.LAST)),
        (Module, "load_state_dict", "self.check_fits(state)", "pass"),
    ),
    bug(
        "evaluating: one mode for all is put back",
        partial(switches.test_a_frozen_encoder_stays_in_eval_mode, use="evaluating"),
        (Module, "switched", "yield", "yield\n        self.train()"),
    ),
    bug(
        "evaluating: what was remembered is wiped",
        partial(switches.test_what_happens_between_forward_and_backward_does_not_break_backward, use="beam search"),
        (Module, "remember", "elif self._memory is None:", "else:\n        self._memory = None"),
    ),
    bug(
        "evaluating: the outer block ends with the inner one",
        switches.test_blocks_may_be_nested_and_end_by_an_error_too,
        (module, "switched_here", "HERE.switches = before\n", "HERE.switches = {}\n"),
    ),
    bug(
        "switched: only the layer itself",
        switches.test_a_gradient_without_dropout,
        (Module, "switched", "else self.named_modules()", 'else [("", self)]'),
    ),
    bug(
        "layers in tuples are not found",
        partial(finding.test_all_are_found_by_name, "tuple"),
        (Module, "members", "isinstance(value, CONTAINERS)", "isinstance(value, (list, dict))"),
    ),
    bug(
        "layers in dicts are not found",
        partial(finding.test_all_are_found_by_name, "nested"),
        (Module, "members", "isinstance(value, CONTAINERS)", "isinstance(value, (list, tuple))"),
    ),
    bug(
        "parameters in lists are not found",
        partial(finding.test_all_are_found_by_name, "list"),
        (
            module,
            "found_in",
            "if isinstance(item, kind):",
            "if isinstance(item, kind) and not isinstance(item, Parameter):",
        ),
    ),
    bug(
        "generators are found under the name rng alone",
        partial(finding.test_all_are_found_by_name, "tuple"),
        (
            Module,
            "generators",
            "for _, rng in module.members(np.random.Generator)",
            'for name, rng in module.members(np.random.Generator) if name == "rng"',
        ),
    ),
    bug(
        "FeedForward: one seed draws both matrices",
        partial(seeds.test_one_seed_draws_no_numbers_twice, "FeedForward"),
        (FeedForward, "__init__", '"rng": random_generator(rng)', '"rng": rng'),
    ),
]
