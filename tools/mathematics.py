"""Formulas as MathML, which browsers show without a script.

Docutils translates TeX. What it does not know of the TeX in these pages is rewritten before.
"""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

REWRITTEN = (
    (r"\\dots\b", r"\\ldots"),
    (r"(\\[dt]?frac)(\d)(\d)", r"\1{\2}{\3}"),
    (r"\\(big|Big)([(\[]|\\\{)", r"\\\1l\2"),
    (r"\\(big|Big)([)\]]|\\\})", r"\\\1r\2"),
    (r"\\textstyle(.*)", r"{\\textstyle\1}"),
    # in a displayed formula the subscript would be below the letter
    (r"(\\(?:hat|bar) ?\w)_", r"\1{}_"),
    (r"(\\underbrace\{(?:[^{}]|\{[^{}]*\})*\})_", r"\1\\limits_"),
)


def setup(app):
    """Connect with Sphinx, whose setting is html_math_renderer = "mathml"."""
    inline = (visit_inline, None)
    block = (visit_block, None)
    app.add_html_math_renderer("mathml", inline, block)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def to_mathml(tex, *, as_block=False):
    """Return a formula of TeX as MathML.

    >>> print(to_mathml("a_1"))
    <math xmlns="http://www.w3.org/1998/Math/MathML">
      <msub>
        <mi>a</mi>
        <mn>1</mn>
      </msub>
    </math>
    """
    for pattern, replacement in REWRITTEN:
        tex = re.sub(pattern, replacement, tex, flags=re.DOTALL)
    mathml = tex2mathml(tex, as_block=as_block)
    mathml = mathml.replace(r"\_", "_")  # inside \text

    # these would grow with their line, which TeX does with \left only; no page has \left of them
    return re.sub(r"<mo>([‖⌊⌋{}])</mo>", r'<mo stretchy="false">\1</mo>', mathml)


def visit_inline(translator, node):
    """Write a formula inside a line."""
    write(translator, node, "span", as_block=False)


def visit_block(translator, node):
    """Write a displayed formula."""
    write(translator, node, "div", as_block=True)


def write(translator, node, tag, *, as_block):
    """Write a formula in an element. TeX that is not understood is a warning, which ends a build
    with -W.
    """
    try:
        mathml = to_mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logger = logging.getLogger(__name__)
        logger.warning("no MathML for %r: %s", node.astext(), error, location=node)
        mathml = f"<code>{translator.encode(node.astext())}</code>"
    start = translator.starttag(node, tag, "", CLASS="math notranslate")
    translator.body.append(f"{start}{mathml}</{tag}>\n" if as_block else f"{start}{mathml}</{tag}>")
    raise nodes.SkipNode
