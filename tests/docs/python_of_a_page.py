"""Run the Python of a page in this interpreter, and compare what it shows: python_of_a_page.py
PAGE.
"""

import contextlib
import doctest
import io
import re
import sys
import textwrap
from pathlib import Path

FENCE = re.compile(r"^ *```(python|pycon)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_session(block, names, title):
    """Run a session of `>>>` lines; an output is compared where the page shows one."""
    for example in doctest.DocTestParser().get_examples(block):
        code = compile(example.source, f"{title}, line {example.lineno + 1}", "single")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        if example.want:
            checker = doctest.OutputChecker()
            if not checker.check_output(example.want, printed.getvalue(), OPTIONS):
                sys.exit(f"{title}: {checker.output_difference(example, printed.getvalue(), 0)}")


def main():
    """Run the blocks of a page in their order, with the names of the earlier ones."""
    text = Path(sys.argv[1]).read_text(encoding="utf-8")
    names = {"__name__": "__main__"}
    for match in FENCE.finditer(text):
        language, block = match.groups()
        first = text.count("\n", 0, match.start()) + 2
        title = f"{sys.argv[1]}, block at line {first}"
        if language == "pycon":
            run_session(textwrap.dedent(block), names, title)
        else:
            exec(compile(textwrap.dedent(block), title, "exec"), names)


if __name__ == "__main__":
    main()
