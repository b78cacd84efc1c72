"""Pages of the site that are made from what is elsewhere in the repository: notebooks, exercises,
docstrings.
"""

import html
import inspect
import json
import os
import pkgutil
import re
import shutil
import textwrap
from functools import cache
from importlib import import_module
from pathlib import Path

import front_page
import playground
from docutils import nodes
from matplotlib.image import imread
from PIL import Image
from sphinx import addnodes

import npformer
from npformer.visualization.plots import new_figure
from npformer_course import course
from npformer_course.files import student_notebook
from npformer_course.in_browser.site import PYODIDE
from npformer_course.order import NOTEBOOKS, PARTS, CoursePart, Notebook, labels

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LAYER_FILES = (  # in the order in which they name each other: "Next: softmax.py"
    "attention",
    "softmax",
    "masks",
    "multi_head_attention",
    "linear",
    "activations",
    "feed_forward",
    "layer_norm",
    "add_norm",
    "embedding",
    "positional_encoding",
    "dropout",
    "generator",
    "loss",
)
ROMAN = ("", "I", "II", "III", "IV")
COPIED = (
    "notebooks/README.md",
    "notebooks/[0-9]*.ipynb",
    "data/README.md",
    "data/pictures/*",
    "npformer_course/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "CODE_OF_CONDUCT.md",
    "LICENSE",
    "LICENSE-CONTENT.md",
    "SECURITY.md",
    "SUPPORT.md",
)
# of the step debugger's page, which also stands in a frame of another page
STEP_LINKS = (
    '<a href="index.html" target="_top">npformer</a> · '
    '<a href="notebooks/16_one_training_step.html" target="_top">Notebook 16 explains this step</a>'
)


def setup(app):
    """Connect with Sphinx."""
    app.add_config_value("pyodide", PYODIDE, "html")  # the address that the playground loads
    app.add_config_value("repository", "", "env")  # its address
    app.connect("builder-inited", write_pages)
    app.connect("source-read", point_into_the_site)
    app.connect("source-read", link_to_repository)
    app.connect("doctree-read", link_to_source)
    app.connect("doctree-resolved", link_file_names)
    app.connect("autodoc-process-docstring", to_restructured_text)
    app.connect("autodoc-process-docstring", link_to_notebooks)
    app.connect("html-page-context", remove_dead_links)
    # after the theme has made its list of pages
    app.connect("html-page-context", link_to_the_playground, priority=600)
    app.connect("build-finished", write_llms_txt)
    app.connect("build-finished", write_playground)
    app.connect("build-finished", copy_model)
    app.connect("build-finished", draw_social_card)
    app.connect("build-finished", reduce_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(app):
    """Write the pages that are not in docs/: copies at their path in the repository, exercises,
    the programs of examples/, and packages.
    """
    for pattern in COPIED:
        for path in ROOT.glob(pattern):
            write(path.relative_to(ROOT), with_exercises(path))
    for number, part in enumerate(PARTS, 1):
        write(f"course/part_{number}.md", part_page(number, part).encode())
    for id in course.EXERCISES:
        write(f"exercises/{course.stem(id)}.ipynb", exercise_page(course.load(id)).encode())
    write("exercises/index.md", exercise_index().encode())
    for path in ROOT.glob("examples/*.py"):
        code = path.read_text(encoding="utf-8")
        write(f"examples/{path.stem}.md", f"# {path.name}\n\n```python\n{code}```\n".encode())
    write("live_translation.html", front_page.live_translation().encode())
    write("figure_1_boxes.html", front_page.figure_1_with_links().encode())
    pages = package_pages()
    for path in (DOCS / "api").glob("*.rst"):
        if path.stem not in pages:  # of a package that is gone
            path.unlink()
    for name, text in pages.items():
        write(f"api/{name}.rst", text.encode())


def write(name, content):
    """Write a file in docs/ if it differs, so that Sphinx reads again what changed alone."""
    path = DOCS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def exercise_page(exercise):
    """Return the notebook that a student gets, with the hints folded."""
    lines = ["## Hints"]
    for number, hint in enumerate(exercise.hints, 1):
        lines.append(
            f"<details><summary>Hint {number}</summary><p>{html.escape(hint)}</p></details>"
        )
    for path in (ROOT / "notebooks").glob(f"{exercise.number:02}_*.ipynb"):
        lines.append(f"[Notebook {path.stem.partition('_')[0]}](../notebooks/{path.name})")
    page = json.loads(student_notebook(exercise))
    page["cells"].append(
        {"cell_type": "markdown", "id": "hints", "metadata": {}, "source": "\n\n".join(lines)}
    )
    return json.dumps(page)


def exercise_index():
    """Return the page that lists the exercises."""
    rows = [
        "| notebook | exercise | points | minutes | difficulty | importance |",
        "|---:|---|--:|--:|--:|--:|",
    ]
    for id in course.EXERCISES:
        it = course.load(id)
        name = NOTEBOOKS[it.number - 1].name
        notebook = f"[{it.number:02}](../notebooks/{it.number:02}_{name}.ipynb)"
        link = f"[{it.title}]({course.stem(id)}.ipynb)"
        rows.append(
            f"| {notebook} | {link} | {it.points} | {it.minutes} "
            f"| {it.difficulty} | {it.importance} |"
        )
    include = (
        "```{include} ../../README.md\n"
        ":start-after: induction heads |\n"
        ":end-before: This is the message\n"
        "```"
    )
    return "\n\n".join(["# Exercises", include, "\n".join(rows)]) + "\n"


def part_page(number: int, part: CoursePart) -> str:
    """Return the page of a part of the course: its notebooks, each with its exercises."""
    rows = ["| notebook | exercises |", "|---|---|"]
    names = []
    for notebook in part.notebooks:
        for name, title in [(notebook.name, notebook.title), *_detours(notebook)]:
            label = labels()[name]
            names.append(f"../notebooks/{label}_{name}")
            exercises = []
            for id in notebook.exercises if name == notebook.name else ():
                link = f"[{course.load(id).title}](../exercises/{course.stem(id)}.ipynb)"
                exercises.append(link)
            rows.append(f"| {label} [{title}]({names[-1]}.ipynb) | {', '.join(exercises)} |")
    title = f"# Part {ROMAN[number]}: {part.title}"
    first, *_, last = part.notebooks
    text = (
        f"From *{first.title}* to *{last.title}*: {len(part.notebooks)} notebooks, and what "
        "branches off them. [All parts](../notebooks/README.md) says the one idea of each, and "
        "how long it takes."
    )
    return "\n\n".join([title, text, "\n".join(rows), toctree(names, "hidden")]) + "\n"


def _detours(notebook: Notebook) -> list[tuple[str, str]]:
    return [(detour.name, detour.title) for detour in notebook.detours]


def with_exercises(path: Path) -> bytes:
    """Return the content of a file, and of a notebook with a list of its exercises at its end.

    They are then below it in the list of all pages, too.
    """
    label = path.stem.partition("_")[0]
    if path.suffix != ".ipynb" or not label.isdigit():  # a detour has no exercises
        return path.read_bytes()
    exercises = NOTEBOOKS[int(label) - 1].exercises
    if not exercises:
        return path.read_bytes()

    pages = [f"../exercises/{course.stem(id)}" for id in exercises]
    text = f"## Exercises\n\n{toctree(pages, 'titlesonly')}"
    cell = {"cell_type": "markdown", "id": "exercises", "metadata": {}, "source": text}
    page = json.loads(path.read_text(encoding="utf-8"))
    page["cells"].append(cell)
    return json.dumps(page).encode()


def toctree(pages: list[str], option: str) -> str:
    """Return the directive that puts pages below the present one."""
    return "\n".join(["```{toctree}", f":{option}:", "", *pages, "```"])


def package_pages():
    """Return a page for each package with public names; one page has a class or function of
    several packages.
    """
    homes: dict[int, str] = {}
    pages = {}
    for name in [
        *(m.name for m in pkgutil.walk_packages(npformer.__path__, "npformer.") if m.ispkg),
        "npformer",
    ]:
        if re.match(r"npformer\.(cli|utils)", name):
            continue  # the command line, and what is not for users
        package, own, other = import_module(name), [], []
        for key in in_reading_order(package):
            it = getattr(package, key)
            home = homes.setdefault(id(it), name) if callable(it) else name
            if home != name:
                other.append(f"See also :py:obj:`{home}.{key}`.")
            elif isinstance(it, type):
                own.append(
                    f".. autoclass:: {name}.{key}\n"
                    "   :members:\n   :undoc-members:\n   :show-inheritance:"
                )
            elif callable(it):
                own.append(f".. autofunction:: {name}.{key}")
            else:
                own.append(
                    f".. autodata:: {name}.{key}"
                    + ("\n   :no-value:" if len(repr(it)) > 100 else "")
                )
        if own:
            pages[name] = (
                "\n\n".join([f"{name}\n{'=' * len(name)}", f".. automodule:: {name}", *own, *other])
                + "\n"
            )
    name = "npformer.slow_formulas"  # a module, which docstrings of the layers name
    pages[name] = f"{name}\n{'=' * len(name)}\n\n.. automodule:: {name}\n   :members:\n"
    pages["npformer"] += "\n.. toctree::\n   :hidden:\n   :glob:\n\n   npformer.*\n"
    return pages


def in_reading_order(package):
    """Return the public names of a package: layers in the order in which their files are read,
    and those of extra/ last.
    """
    names = getattr(package, "__all__", ())
    if package.__name__ != "npformer.layers":
        return names

    def place(name):
        it = getattr(package, name)
        file = it.__module__.rpartition(".")[2]
        line = inspect.getsourcelines(it)[1]
        if ".extra." in it.__module__:
            return len(LAYER_FILES), file, line
        return LAYER_FILES.index(file), file, line

    return sorted(names, key=place)


def point_into_the_site(app, docname, source):
    """Point links of the repository to the site, where everything outside docs/ is at the same
    path inside it.
    """
    up = "../" * docname.count("/")
    source[0] = re.sub(rf'(\]\(|<img src="){up}(\.\./|docs/)', rf"\1{up}", source[0])


def link_to_repository(app, docname, source):
    """Say where the repository is on the pages for those who want to write to it."""
    if app.config.repository and docname in ("CONTRIBUTING", "SUPPORT"):
        title, text = source[0].split("\n\n", 1)
        source[0] = f"{title}\n\n[Repository]({app.config.repository})\n\n{text}"


def link_to_source(app, doctree):
    """Point links to modules to the pages with their source."""
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node["reftarget"].endswith(".py"):
            path = Path("_modules", app.env.docname).parent / node["reftarget"].removesuffix(".py")
            page = os.path.normpath(path)
            if page.startswith("_modules/examples/"):  # a page of its own
                page = page.removeprefix("_modules/")
            uri = app.builder.get_relative_uri(app.env.docname, page)
            node.replace_self(nodes.reference("", "", *node.children, refuri=uri, internal=True))


def link_file_names(app, doctree, docname):
    """Make the name of a file, as in "see `npformer/layers/softmax.py`", a link to its source.

    A path may begin in npformer, as `layers/softmax.py`. A name alone can be that of several files.
    """
    for node in list(doctree.findall(nodes.literal)):
        path = re.fullmatch(r"(?:npformer/)?(\w+/[\w/]+)\.py", node.astext())
        if not path or isinstance(node.parent, nodes.reference):
            continue
        file = f"npformer/{path[1]}"
        if app.env._viewcode_modules.get(file.replace("/", ".")):
            uri = app.builder.get_relative_uri(docname, f"_modules/{file}")
            node.replace_self(nodes.reference("", "", node.deepcopy(), refuri=uri, internal=True))


def remove_dead_links(app, pagename, templatename, context, doctree):
    """Remove links from source to an API page, which viewcode gets wrong for a file of several
    packages.

    These pages have no list of all pages either: the theme would make it for each, in a sixth of
    the time.
    """
    known, link = (
        app.env.domains["py"].objects,
        r'<a class="viewcode-back" href="[^#]*#([^"]*)">.*?</a>',
    )
    if pagename.startswith("_modules/"):
        del context["toctree"]
        body = re.sub(link, lambda match: match[0] if match[1] in known else "", context["body"])
        context["body"] = link_to_next(body, pagename, app.env._viewcode_modules)


def link_to_next(body, pagename, modules):
    """Make the file a link that a docstring names as the next to read: "Next: softmax.py"."""

    def linked(match):
        folder = "_modules/npformer" if "/" in match[1] else os.path.dirname(pagename)
        page = f"{folder}/{match[1]}"
        if page.removeprefix("_modules/").replace("/", ".") not in modules:
            return match[0]
        address = os.path.relpath(page, os.path.dirname(pagename))
        return f'Next: <a href="{address}.html">{match[1]}.py</a>'

    return re.sub(r"Next: ([\w/]+)\.py", linked, body)


def to_restructured_text(app, what, name, obj, options, lines):
    """Docstrings are Markdown: code between backticks, and formulas indented."""
    if what == "data" or "".join(lines).startswith("Alias for field number"):
        lines.clear()  # the words of a built-in type
    paragraphs = []
    for text in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        section = re.match(r"(\w[^\n]*):\n    \S", text)
        if section:
            _, entries = text.split("\n", 1)
            paragraphs += [f"**{escaped(section[1])}**", *items_of(textwrap.dedent(entries))]
        elif text.startswith("    "):
            paragraphs += [".. code-block:: text", text]
        elif text.lstrip().startswith(">>>"):
            paragraphs.append(text)
        elif "\n    " in text:
            paragraphs += items_of(text)
        else:
            paragraphs.append(escaped(text))
    text = "\n\n".join(paragraphs)
    source = "npformer/slow_formulas.py"
    text = text.replace(escaped(source), f":py:mod:`{source} <npformer.slow_formulas>`")
    if name == "npformer.layers":
        page = "../_modules/npformer/layers/attention.html"
        text = text.replace("with attention.py", f"with `attention.py <{page}>`__")
    lines[:] = [*text.split("\n"), ""]


def escaped(text):
    """Return a paragraph of Markdown as reStructuredText."""
    pieces = re.split(r"(`[^`]+`)", text)
    pieces[::2] = [re.sub(r"([*_|\\])", r"\\\1", piece) for piece in pieces[::2]]
    pieces[1::2] = [f"`{piece}`" for piece in pieces[1::2]]
    return "".join(pieces)


def items_of(entries):
    """Return an item of a list for each entry, such as "name: what it is", with hanging indent."""
    items: list[str] = []
    for line in entries.split("\n"):
        if line.startswith(" ") and items:
            items[-1] += f" {line.strip()}"
        else:
            items.append(f"- {line}")
    return [escaped(item) for item in items]


@cache
def notebooks_by_id():
    """Return the notebooks that use each public class or function, by its id."""
    found: dict[int, dict[str, None]] = {}
    for path in sorted(ROOT.glob("notebooks/[0-9]*.py")):
        text = path.read_text(encoding="utf-8")
        used = re.findall(r"^from (npformer\S*) import (\([^)]*\)|.*)", text, re.MULTILINE)
        used += [("npformer", name) for name in re.findall(r"\bnpf\.(\w+)", text)]
        used += [
            (f"npformer.{package}", name)
            for package, name in re.findall(r"\b(layers|runs)\.(\w+)", text)
        ]
        for package, names in used:
            for name in re.findall(r"\w+", names):
                found.setdefault(id(getattr(import_module(package), name, None)), {})[path.stem] = (
                    None
                )
    return found


def link_to_notebooks(app, what, name, obj, options, lines):
    """End the documentation of a class or function with the notebooks that use it."""
    if what in ("class", "function", "exception") and (stems := notebooks_by_id().get(id(obj))):
        links = [f":doc:`{stem.partition('_')[0]} </notebooks/{stem}>`" for stem in stems]
        lines += [f"In the notebooks: {', '.join(links)}.", ""]


def reduce_pictures(app, exception):
    """Give the pictures 256 colors, which is a third of their size."""
    for path in [*Path(app.outdir, "_images").glob("*.png"), Path(app.outdir, "social_card.png")]:
        Image.open(path).convert("RGB").quantize().save(path, optimize=True)


def write_llms_txt(app, exception):
    """Write the list of all pages for programs that read: llms.txt."""
    pages = [
        f"- [{title.astext()}]({docname}.html)" for docname, title in sorted(app.env.titles.items())
    ]
    text = [f"# {app.config.project}", f"> {npformer.__doc__}", "## Pages", "\n".join(pages)]
    Path(app.outdir, "llms.txt").write_text("\n\n".join(text) + "\n", encoding="utf-8")


def link_to_the_playground(app, pagename, templatename, context, doctree):
    """Begin the list of pages with the playground, which is not made from Markdown."""
    if "furo_navigation_tree" in context:
        address = context["pathto"]("playground.html", 1)
        link = f'<a class="reference internal" href="{address}">Playground</a>'
        entry = f'<ul><li class="toctree-l1">{link}</li></ul>'
        context["furo_navigation_tree"] = entry + context["furo_navigation_tree"]


def write_playground(app, exception):
    """Write the playground, and the page of its step, which is that of the step debugger."""
    playground.write(Path(app.outdir), pyodide=app.config.pyodide, links=STEP_LINKS)


def copy_model(app, exception):
    """Copy the translator that ships, which the first page loads, as it is."""
    shutil.copytree(front_page.MODEL, Path(app.outdir, front_page.MODEL.name), dirs_exist_ok=True)


def draw_social_card(app, exception):
    """Draw the picture that other sites show with a link to this one, 1200 x 630: the step
    debugger.
    """
    figure, ax = new_figure(1, 1, width=12, height=6.3)
    figure.set_layout_engine("none")
    figure.text(0.04, 0.895, "npformer", size=46, weight="bold", va="center")
    figure.text(
        0.96,
        0.895,
        "the Transformer in NumPy, every gradient by hand",
        size=19,
        va="center",
        ha="right",
    )
    ax.set_position((0, 0, 1, 0.79))
    ax.imshow(imread(ROOT / "data/pictures/step.png")[:747])  # as high as there is room
    ax.set_axis_off()
    figure.savefig(Path(app.outdir, "social_card.png"), dpi=100)
