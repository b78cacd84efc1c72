"""`npformer class`: the exercises, for a student in a folder and for a teacher with many of them; a file a verb."""

from __future__ import annotations

VERBS = {
    "start": "write a folder with the exercises",
    "watch": "show what is next, and check at every save (also without a verb)",
    "check": "check an exercise once",
    "hint": "open the next hint",
    "why": "say more about what is wrong",
    "solution": "show the solution, once yours passes",
    "list": "show how far you are",
    "reset": "give an exercise back as it was",
    "train": "train a model with the layers that you have written",
    "release": "teachers: write what a class gets",
    "collect": "teachers: bring submissions together",
    "grade": "teachers: grade a class",
}
HELP = f"""\
usage: npformer class [VERB] ...

Write the Transformer yourself, one exercise after the other.

{"".join(f"  {verb:<12}{what}{chr(10)}" for verb, what in VERBS.items())}
npformer class VERB --help shows what a verb takes."""
