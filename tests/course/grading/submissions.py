"""Answers to two exercises: one of three functions, and one that is another week's."""

import json

from npformer_course import course
from npformer_course.course import stem
from npformer_course.files import student_notebook, student_text
from tests.run_here import key_text

HEADS, WARMUP = "heads", "warmup"
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
    for code in ("%matplotlib inline\n", text, 'exercise("heads").check()'):
        notebook["cells"].append(
            {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
        )
    return json.dumps(notebook)


ANSWERS = {
    "full": key(),
    "blank": blank(),
    "half": blank()
    + "\n\ndef mask_of_heads(mask, n_heads):\n    return np.repeat(mask, n_heads, axis=0)\n",
    "crashing": key().replace("return np.repeat", "import os; os._exit(3); return np.repeat"),
    "looping": key().replace("return np.repeat", "while True: pass\n    return np.repeat"),
    "raising": key().replace("return np.repeat", "[][0]; return np.repeat"),
    "wrong": key().replace(
        "return np.repeat(mask, n_heads, axis=0)", "return np.tile(mask, (n_heads, 1, 1))"
    ),
    "not_python": "def split_heads(:\n",
    "steering": key().replace(
        "return np.repeat", "raise ValueError('\\x1b[2J\\x07\\u202e'); return np.repeat"
    ),
}
