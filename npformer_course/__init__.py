"""The course: exercises in which students write the Transformer, diagnosis, and grading.

The words of its code, each with one meaning:

- Exercise: a text, with functions to write. Call: one way in which these are called.
- Draw: random inputs of an exercise. Case: an exercise at a seed, its draws and right results.
- Job: a call on one draw. Answer: what came of it. Runner: what turns jobs into answers.
- Part: one result of a call, with its points and its outcome. Report: all parts of an exercise.
- Comparison: the answers and the right results of one part, on all draws.
- Mistake: a wrong variant of the solution, made by some Edits, with what to say of it.
- Finding: what a student is told of a part. Its kind is guard (no numbers to compare), mistake
  (known, one or two), fact (a relation to the right numbers) or numbers (the worst entry).
- Mismatch and Fact: numbers and relations as npformer.testing knows them; it searches for facts.
- Submission: a student's file. Progress: what a student's folder notes.
- Part of the model: an exercise whose functions can replace some of npformer's in a Transformer.
"""

__all__ = ["Bet", "Checkpoint", "bets_so_far", "exercise", "your_transformer", "yours"]


def __getattr__(name: str):
    # imported at first use, because commands and grading need none of them
    if name not in __all__:
        raise AttributeError(f"module 'npformer_course' has no attribute {name!r}")
    from . import checkpoints
    from .student import bets, kept, notebook, your_transformer

    homes = {
        "Bet": bets,
        "Checkpoint": checkpoints,
        "bets_so_far": bets,
        "exercise": notebook,
        "your_transformer": your_transformer,
        "yours": kept,
    }
    return getattr(homes[name], name)
