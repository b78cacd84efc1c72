"""What the head of a page says to other programs: a description, a card, an icon."""

import html
import os
import re
from pathlib import Path

from docutils import nodes

import npformer

CARD = "social_card.png"
N_CHARACTERS = 160  # what a search engine shows
SHORT = 40  # a paragraph of fewer characters introduces what follows
FROM_ELSEWHERE = {  # pages that Sphinx does not make
    "step.html": "One training step of a Transformer, line by line, forward and backward.",
    "playground/comparison.html": "One training step of a Transformer, with a bug and without.",
}


def setup(app):
    """Connect with Sphinx."""
    app.connect("html-page-context", describe)
    app.connect("build-finished", complete_other_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def describe(app, pagename, templatename, context, doctree):
    """Give a page a description, and a card that other sites show with a link to it.

    The picture needs a whole address, so that it is left out of a site without SITE_URL.
    """
    title = html.unescape(re.sub("<.*?>", "", context.get("title", pagename)))
    description = first_words(doctree) if doctree else ""
    if pagename.startswith("_modules/"):
        description = f"The source of {title}"
    description = description or f"{title}, of {npformer.__doc__.splitlines()[0]}"

    base = app.config.html_baseurl
    tags = [
        meta("name", "description", description),
        meta("property", "og:type", "website"),
        meta("property", "og:title", title),
        meta("property", "og:description", description),
    ]
    if base:
        tags.append(meta("property", "og:image", f"{base.rstrip('/')}/{CARD}"))
    context["metatags"] = context.get("metatags", "") + "\n".join(tags)


def meta(kind, name, content):
    """Return an element of a head."""
    return f'<meta {kind}="{name}" content="{html.escape(content)}">'


def first_words(doctree):
    """Return the beginning of the first paragraph of a page.

    A paragraph in italics is about the page, as "7 points, about 20 minutes"; one with TeX would
    show it.
    """
    for paragraph in doctree.findall(nodes.paragraph):
        is_text = isinstance(paragraph.parent, nodes.section | nodes.document)
        is_aside = isinstance(paragraph.children[0], nodes.emphasis)
        text = " ".join(paragraph.astext().split())
        if is_text and not is_aside and "\\" not in text and len(text) > SHORT:
            return shortened(text)
    return ""


def shortened(text):
    """Return a text of at most N_CHARACTERS: whole sentences if they are long enough."""
    if len(text) <= N_CHARACTERS:
        return text
    start = text[:N_CHARACTERS]
    sentences = start.rpartition(". ")[0]
    if len(sentences) > N_CHARACTERS / 2:
        return f"{sentences}."
    return start.rpartition(" ")[0] + " ..."


def complete_other_pages(app, exception):
    """Give the pages that Sphinx does not make an icon and a description."""
    for name, description in FROM_ELSEWHERE.items():
        path = Path(app.outdir, name)
        text = path.read_text(encoding="utf-8")
        if 'rel="icon"' not in text:
            icon = os.path.relpath(Path(app.outdir, "_static", "favicon.svg"), path.parent)
            tags = f'<link rel="icon" href="{icon}">\n{meta("name", "description", description)}\n'
            path.write_text(text.replace("<title>", f"{tags}<title>", 1), encoding="utf-8")
