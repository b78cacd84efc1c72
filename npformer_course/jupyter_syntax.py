"""What only Jupyter understands in the cells of a notebook, such as %timeit and !ls."""

from __future__ import annotations

import ast
import re

# cells that these begin are Python; all other %% begin a cell of another language
OF_PYTHON = re.compile(r"%%(time|timeit|capture|prun)\b")
TIMED = re.compile(r"^(\s*(?:\w+ *= *)?)%time +(?=\S)")
RESULT_OF_COMMAND = re.compile(r"^(\s*[\w, ]+= *)[%!].*")
PROMPT = re.compile(r"^(?:>>>|\.\.\.)(?: |$)")
COMMAND = re.compile(r"^(\s*)(?:%%?[a-zA-Z].*|!(?!=).*|\?.*|[\w.]+\?{1,2}\s*)$")


def without_indent_and_prompts(cell: str) -> str:
    r"""Return a cell without prompts of Python, and without the indentation of its first line.

    Pasted lines often have them. Jupyter removes them too, from all lines.

    >>> without_indent_and_prompts("    x = 1\n    y = 2")
    'x = 1\ny = 2'
    >>> without_indent_and_prompts(">>> if True:\n...     x = 1")
    'if True:\n    x = 1'
    """
    lines = cell.split("\n")
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    lines = [line.removeprefix(indent) for line in lines]
    if first.startswith(f"{indent}>>>"):
        lines = [PROMPT.sub("", line) for line in lines]
    return "\n".join(lines)


def without_other_languages(cell: str) -> str:
    r"""Return a cell without a first line such as %%time, and nothing of one in another language.

    >>> without_other_languages("%%time\nx = 1"), without_other_languages("%%html\n<b>x</b>")
    ('\nx = 1', '')
    """
    n_blank = len(cell) - len(cell.lstrip())
    opening, _, rest = cell[n_blank:].partition("\n")
    if not opening.startswith("%%"):
        return cell
    # an empty line, so that the others keep their numbers
    return f"{cell[:n_blank]}\n{rest}" if OF_PYTHON.match(opening) else ""


def python_of(cell: str) -> str:
    r"""Return a cell that is not Python as it would be without the commands in it.

    The result of a command is None, and what %time measures stays. Only lines are changed that
    Python cannot read, so that a text in quotes keeps what looks like a command.

    >>> python_of("if True:\n    %time x = 1\n    files = !ls\n    !ls")
    'if True:\n    x = 1\n    files = None\n    pass'
    >>> python_of("text = '''\n%time\n'''\n%time")
    "text = '''\n%time\n'''\npass"
    """
    lines = cell.split("\n")
    while True:
        index = _unreadable_line(lines)
        if index is None:
            break
        command = lines[index]
        lines[index] = _without_command(command)
        if lines[index] == command:  # an error of the student's own
            break

        # a command with a backslash at its end continues on the next line
        if not lines[index].endswith("\\"):
            while command.endswith("\\") and index + 1 < len(lines):
                index += 1
                command = lines[index]
                lines[index] = ""
    return "\n".join(lines)


def _unreadable_line(lines: list[str]) -> int | None:
    """Return the index of the line at which Python stops, or None where it can read all."""
    try:
        ast.parse("\n".join(lines))
    except SyntaxError as error:
        index = (error.lineno or 0) - 1
        return index if 0 <= index < len(lines) else None
    return None


def _without_command(line: str) -> str:
    """Return what remains of a line without the command in it: all of it where there is none."""
    if TIMED.match(line):
        return TIMED.sub(r"\1", line, count=1)
    if RESULT_OF_COMMAND.match(line):
        return RESULT_OF_COMMAND.sub(r"\1None", line)
    return COMMAND.sub(r"\1pass", line)
