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
"""

__all__ = ["Bet", "bets_so_far", "exercise"]


def __getattr__(name: str):
    if name == "exercise":  # for notebooks alone: it draws
        from .student.notebook import exercise

        return exercise
    if name in __all__:
        from .student import bets

        return getattr(bets, name)
    raise AttributeError(f"module 'npformer_course' has no attribute {name!r}")
