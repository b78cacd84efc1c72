"""The order of the course: its parts, and the notebooks, exercises and detours of each.

All that has a number in the course, or comes before or after something, follows from PARTS.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detour:
    """A notebook off the path: nothing that comes later needs it.

    `name` is that of its file, without the number.
    """

    name: str
    title: str


class PartEnd(Detour):
    """A notebook at the end of a part: a project, or ten questions."""


@dataclass(frozen=True)
class Notebook:
    """A notebook on the path.

    Arguments:
        name: The name of its file, without the number.
        title: Its heading, without the number.
        exercises: The ids of the exercises that belong to it, in order. Each is a folder in
            exercises/, and has the number of the notebook.
        detours: The detours that fork off here.
    """

    name: str
    title: str
    exercises: tuple[str, ...] = ()
    detours: tuple[Detour, ...] = ()


@dataclass(frozen=True)
class CoursePart:
    """A part of the course: some notebooks, and what stands at its end."""

    title: str
    notebooks: tuple[Notebook, ...]


PARTS = (
    CoursePart(
        "See it",
        (
            Notebook("a_translator_at_work", "A translator at work", ("numpy",)),
            Notebook("attention_by_hand", "Attention by hand", ("scores",)),
            Notebook(
                "why_divide_by_sqrt_dk",
                "Softmax, and why divide by the root of d_k",
                ("softmax", "attention"),
                (Detour("additive_attention", "Additive attention, and minus infinity"),),
            ),
            Notebook(
                "many_heads",
                "Many heads",
                ("heads", "multi_head"),
                detours=(Detour("what_heads_cost", "What heads cost"),),
            ),
            Notebook(
                "embedding_and_positions",
                "Embedding and positions",
                ("embedding", "positions"),
                detours=(Detour("sinusoids_measure_distance", "Sinusoids measure distance"),),
            ),
            Notebook(
                "one_encoder_layer",
                "One encoder layer in numbers",
                ("one_position", "layer_norm", "feed_forward", "add_norm"),
            ),
            Notebook(
                "encoder_and_decoder",
                "Masks, encoder and decoder",
                ("masks", "masked_softmax", "masked_attention"),
            ),
            Notebook(
                "build_it",
                "Build it",
                ("encoder_layer", "decoder_layer"),
                (PartEnd("checkpoint_1", "Checkpoint: part I"),),
            ),
        ),
    ),
    CoursePart(
        "Learn it",
        (
            Notebook(
                "backpropagation_from_zero", "Backpropagation from zero", ("numeric_gradient",)
            ),
            Notebook(
                "from_numbers_to_arrays",
                "From numbers to arrays",
                ("linear",),
            ),
            Notebook(
                "the_backward_of_attention",
                "The backward of softmax and attention",
                ("softmax_backward", "attention_backward"),
            ),
            Notebook(
                "the_backward_of_each_layer",
                "The backward of LayerNorm, embedding and heads",
                (
                    "layer_norm_backward",
                    "embedding_backward",
                    "feed_forward_backward",
                    "add_norm_backward",
                    "dropout",
                    "multi_head_backward",
                    "cross_attention_backward",
                ),
            ),
            Notebook("gradient_checks", "Gradient checks, and bugs that hide", ("bug_hunt",)),
            Notebook(
                "the_loss",
                "The loss",
                ("loss_gradient", "label_smoothing", "tied_generator"),
                (Detour("where_the_loss_starts", "Where a tied model's loss starts"),),
            ),
            Notebook(
                "adam_and_warm_up",
                "Adam and warm-up",
                ("adam_by_hand", "adam", "warmup"),
                (Detour("pre_and_post_norm", "Pre-norm and post-norm"),),
            ),
            Notebook("one_training_step", "One training step, opened", ("training_step",)),
            Notebook(
                "train_it",
                "Train it",
                ("encoder_training",),
                (Detour("what_each_part_is_for", "What each part is for"),),
            ),
            Notebook(
                "debugging_a_training",
                "Debugging a training",
                ("second_bug_hunt",),
                (
                    Detour("bugs_in_the_data", "Debugging a training: bugs in the data"),
                    PartEnd("checkpoint_2", "Checkpoint: part II"),
                ),
            ),
        ),
    ),
    CoursePart(
        "Use it",
        (
            Notebook(
                "decoding",
                "Decoding",
                ("greedy", "beam"),
                (Detour("beam_in_arrays", "Beam search in arrays"),),
            ),
            Notebook(
                "byte_pairs",
                "Tokenization: byte-pair encoding",
                ("byte_pair_merges",),
                (Detour("choosing_a_vocabulary", "Choosing a subword vocabulary"),),
            ),
            Notebook("what_is_a_good_translation", "What is a good translation?", ("bleu",)),
            Notebook(
                "error_bars",
                "Error bars: what a score depends on",
                ("bootstrap_interval",),
                detours=(Detour("table_3", "Reading table 3"),),
            ),
            Notebook("language_modeling", "Training a language model", ("surprise",)),
            Notebook(
                "generating_text",
                "Generating text",
                ("top_p", "score_ceiling"),
                (
                    Detour("couplets", "Many right answers: couplets"),
                    Detour("couplets_of_the_tang", "Couplets of the Tang"),
                ),
            ),
            Notebook(
                "kv_cache",
                "The KV cache",
                ("kv_cache",),
                (
                    PartEnd("project_your_own_text", "Project: your own text"),
                    PartEnd("checkpoint_3", "Checkpoint: part III"),
                ),
            ),
        ),
    ),
    CoursePart(
        "Understand it",
        (
            Notebook("looking_at_attention", "Looking at attention", ("alignment_error_rate",)),
            Notebook("embeddings", "Embeddings as geometry", ("cosine_neighbors",)),
            Notebook(
                "lstm_with_attention",
                "An LSTM with attention",
                ("lstm_step", "lstm_backward", "pooling", "near_first"),
                (
                    Detour("text_classification", "Text classification with the encoder"),
                    Detour("four_encoders_compared", "Four encoders compared"),
                ),
            ),
            Notebook("why_self_attention", "Why self-attention"),
            Notebook("rotary_positions", "Since 2017: rotary positions", ("rotary",)),
            Notebook(
                "swiglu_and_grouped_queries",
                "Since 2017: RMSNorm, SwiGLU and grouped queries",
                ("rms_norm", "swiglu_backward", "grouped_queries"),
            ),
            Notebook(
                "induction_heads",
                "Induction heads and the logit lens",
                ("head_scores", "logit_lens", "first_differing_layer"),
                detours=(
                    Detour("importing_a_model", "Importing a model from another program"),
                    Detour("inside_a_real_model", "Inside a real model"),
                    PartEnd("project_a_head", "Project: a head that does X"),
                    PartEnd("checkpoint_4", "Checkpoint: part IV"),
                ),
            ),
        ),
    ),
)

NOTEBOOKS = tuple(notebook for part in PARTS for notebook in part.notebooks)
EXERCISES = tuple(id for notebook in NOTEBOOKS for id in notebook.exercises)


def notebook_of(exercise: str) -> int:
    """Return the number of the notebook that an exercise belongs to.

    >>> notebook_of("softmax")
    3
    """
    for number, notebook in enumerate(NOTEBOOKS, 1):
        if exercise in notebook.exercises:
            return number
    raise ValueError(f"no notebook has the exercise {exercise!r}")


def place_of(exercise: str) -> tuple[CoursePart, Notebook]:
    """Return the part and the notebook that an exercise belongs to.

    >>> part, notebook = place_of("softmax")
    >>> part.title, notebook.title
    ('See it', 'Softmax, and why divide by the root of d_k')
    """
    notebook = NOTEBOOKS[notebook_of(exercise) - 1]
    for part in PARTS:
        if notebook in part.notebooks:
            return part, notebook
    raise ValueError(f"no part has the exercise {exercise!r}")


def labels() -> dict[str, str]:
    """Return the number of every notebook by its name: 04, and 04b for its first detour.

    >>> labels()["many_heads"], labels()["what_heads_cost"]
    ('04', '04b')
    """
    found = {}
    for number, notebook in enumerate(NOTEBOOKS, 1):
        found[notebook.name] = f"{number:02}"
        for letter, detour in zip("bcdefg", notebook.detours, strict=False):
            found[detour.name] = f"{number:02}{letter}"
    return found
