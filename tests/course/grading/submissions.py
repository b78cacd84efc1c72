"""Answers to two exercises: one of two functions, and one that is another week's."""

import json

from npformer_course import course
from npformer_course.course import stem
from npformer_course.files import student_notebook, student_text
from tests.run_here import key_text

HEADS, WARMUP = "heads", "warmup"
# the last line of its second function
RIGHT = "return by_position.reshape(batch, length, n_heads * d_k)"
FILES = {HEADS: stem("heads"), WARMUP: stem("warmup")}


def key(id=HEADS):
    return key_text(course.load(id))


def blank(id=HEADS):
    return student_text(course.load(id))


def as_notebook(text):
    """Return an answer as the notebook that Jupyter would save."""
    exercise = course.load(HEADS)
    notebook = json.loads(student_notebook(exercise))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    check = 'from npformer_course import exercise\nexercise("heads").check()'
    for code in ("%matplotlib inline\n", text, check):
        notebook["cells"].append(
            {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
        )
    return json.dumps(notebook)


ANSWERS = {
    "full": key(),
    "blank": blank(),
    "half": blank()
    + "\n\ndef merge_heads(heads):\n    return np.concatenate([*heads.swapaxes(0, 1)], -1)\n",
    "crashing": key().replace(RIGHT, f"import os; os._exit(3); {RIGHT}"),
    "looping": key().replace(RIGHT, f"while True: pass\n    {RIGHT}"),
    "raising": key().replace(RIGHT, f"[][0]; {RIGHT}"),
    "wrong": key().replace(RIGHT, "return heads.sum(1)"),
    "not_python": "def split_heads(:\n",
    "steering": key().replace(RIGHT, f"raise ValueError('\\x1b[2J\\x07\\u202e'); {RIGHT}"),
}
