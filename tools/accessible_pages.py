"""What the pages of Sphinx, Furo and MyST-NB lack for keyboards and screen readers.

Their templates have no place for it, so that the finished pages are edited.
"""

import re
from pathlib import Path

EDITS = (
    # a heading has a level
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    # two landmarks of one kind have different names
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    (
        '<aside class="toc-drawer( no-toc)?">',
        r'<aside class="toc-drawer\1" aria-label="On this page">',
    ),
    # the name of a control is what it shows
    ('<summary aria-label="Toggle hidden content">', "<summary>"),
    # the empty corner of a table heads nothing
    (r"<th[^>]*><p></p></th>", "<td></td>"),
)


def setup(app):
    """Connect with Sphinx."""
    app.connect("build-finished", edit_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def edit_pages(app, exception):
    """Edit all pages; those that an earlier build has edited stay as they are."""
    for path in Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        edited = edit(text)
        if edited != text:
            path.write_text(edited, encoding="utf-8")


def edit(text):
    """Return the text of a page with EDITS, and lists without terms as what they are."""
    for pattern, replacement in EDITS:
        text = re.sub(pattern, replacement, text)
    # Sphinx writes the lines of a long signature as descriptions of nothing
    return re.sub(r'<dl>\n((?:<dd><em class="sig-param">.*</dd>\n)+)</dl>', as_list, text)


def as_list(signature):
    """Return the lines of a signature as a list of HTML."""
    lines = signature[1].replace("<dd>", "<li>").replace("</dd>", "</li>")
    return f'<ul class="signature">\n{lines}</ul>'
