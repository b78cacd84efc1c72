"""The row of buttons at the top of a notebook, of an exercise and of a layer."""

from html import escape

from browser_course import NOT_FOR_THE_BROWSER
from docutils import nodes
from front_page import BOXES, anchor_of, source_of

from npformer_course import course
from npformer_course.in_browser.site import RUN
from npformer_course.order import NOTEBOOKS, labels

# the layers of the page reference/layers, each with the exercise in which one writes it
LAYERS = {
    "Embedding": "embedding",
    "SinusoidalPositionalEncoding": "positions",
    "ScaledDotProductAttention": "attention",
    "Softmax": "softmax",
    "MultiHeadAttention": "multi_head",
    "FeedForward": "feed_forward",
    "LayerNorm": "layer_norm",
    "PostNorm": "add_norm",
    "Generator": "tied_generator",
    "LabelSmoothingLoss": "label_smoothing",
}
LAYERS_PAGE = "reference/layers.html"


def setup(app):
    """Connect with Sphinx."""
    app.add_role("layer-buttons", layer_buttons)
    app.connect("autodoc-process-docstring", add_to_docstring)
    app.connect("html-page-context", add_to_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def layer_buttons(name, rawtext, text, lineno, inliner, options=None, content=()):
    """Be the role {layer-buttons}`LayerNorm`."""
    docname = inliner.document.settings.env.docname
    buttons = [(f"api/npformer.layers.html#npformer.layers.{text}", "API"), *of_layer(text)]
    return [nodes.raw("", row(buttons, docname), format="html")], []


def add_to_docstring(app, what, name, obj, options, lines):
    """Begin the documentation of a layer with its buttons."""
    package, _, layer = name.rpartition(".")
    if package == "npformer.layers" and layer in LAYERS:
        heading = f"{LAYERS_PAGE}#{layer.lower()}"
        if layer == "PostNorm":
            heading += "-add-norm"
        buttons = [(heading, "Formula, NumPy, PyTorch"), *of_layer(layer)]
        lines[:0] = [".. raw:: html", "", f"   <p>{row(buttons, app.env.docname)}</p>", ""]


def of_layer(layer):
    """Return the addresses and names of what a layer has."""
    box = next(box for box in BOXES if layer in box.classes)
    exercise = LAYERS[layer]
    number = course.load(exercise).number
    return [
        (source_of(layer), "Source"),
        (notebook_page(f"{number:02}"), f"Notebook {number:02}"),
        (f"exercises/{course.stem(exercise)}.html", "Exercise"),
        (debugger_at(box), "Debugger"),
    ]


def notebook_page(label):
    """Return the page of the notebook with this number."""
    [name] = [name for name, own in labels().items() if own == label]
    return f"notebooks/{label}_{name}.html"


def debugger_at(box):
    """Return the address of the step debugger at a box of figure 1."""
    return f"step.html#{box.step.replace(' ', '%20')}"


def add_to_page(app, pagename, templatename, context, doctree):
    """Give a notebook and an exercise their buttons.

    "Run here" is there with sphinx -t lite: tools/browser_course.py writes the page that it opens.
    """
    folder, _, stem = pagename.partition("/")
    if doctree is None or folder not in ("notebooks", "exercises") or not stem[0].isdigit():
        return
    label = stem.partition("_")[0]
    buttons = []
    if app.tags.has("lite") and label not in NOT_FOR_THE_BROWSER:
        buttons.append((f"lite/{RUN}{pagename}.ipynb", "Run here"))
    if folder == "notebooks":
        buttons += of_notebook(label)
    else:
        buttons += of_exercise(stem, label)
    if buttons:
        heading = f"</h1>\n<p>{row(buttons, pagename)}</p>"
        context["body"] = context["body"].replace("</h1>", heading, 1)


def of_notebook(label):
    """Return the addresses and names of what a notebook has: those of the first box of figure 1
    that its exercises are about, or that names it.
    """
    number = int(label[:2])
    exercises = NOTEBOOKS[number - 1].exercises if label.isdigit() else ()
    buttons = []
    if exercises:
        buttons.append(("#exercises", "Exercises"))

    boxes = [box for id in exercises for box in BOXES if id in box.exercises]
    boxes += [box for box in BOXES if label in box.notebooks]
    if boxes:
        buttons.append((source_of(boxes[0].classes[0]), "Source"))
        buttons.append((debugger_at(boxes[0]), "Debugger"))
    return buttons


def of_exercise(stem, label):
    """Return the addresses and names of what an exercise has.

    The source of its layer would be an answer: it is a step further, at the box of figure 1.
    """
    buttons = [(notebook_page(label), f"Notebook {label}")]
    for box in BOXES:
        if stem in map(course.stem, box.exercises):
            buttons.append((f"figure_1.html#{anchor_of(box)}", f"Figure 1: {box.title}"))
            break
    return buttons


def row(buttons, docname):
    """Return buttons, addresses from the root of the site with their names, as HTML of a page."""
    up = "../" * docname.count("/")
    links = []
    for address, name in buttons:
        address = address if address.startswith("#") else up + address
        # a tab of its own, so that this one stays; one for all, because each starts a Python
        window = ' class="run-here" target="run-here"' if name == "Run here" else ""
        links.append(f'<a href="{escape(address)}"{window}>{escape(name)}</a>')
    return f'<span class="page-buttons">{"".join(links)}</span>'
