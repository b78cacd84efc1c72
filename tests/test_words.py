"""Names that say what a thing is, and plain American English, as far as a program can check them."""

import ast
import io
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
CODE = sorted((ROOT / "npformer").rglob("*.py"))
SCRIPTS = [*CODE, *(ROOT / "notebooks").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
PAGES += [
    ROOT / "notebooks" / "README.md",
    ROOT / "data" / "README.md",
    ROOT / "npformer_course" / "README.md",
]

NAMES = set(  # nothing is called one of these: a participle, adverb or adjective alone
    "alike anew asked begun beside climbed dear drawn edited filled foreseen found gathered given gone handed held "
    "joined kept lasting launched learnt lying made missed named noted parted picked said seen settled shown standing "
    "switched taken told tried turned unfelt unfinished unsettled unwritten varied wanted wrapped written".split()
)
PARTS = set(  # nor is one of these a part of such a name
    "alone beside doctor door doors foresee house labeller learnt mend mended nursery obituary reader room rooms "
    "stretch stretches stranger strangers twin twins walk wants whoever writer".split()
)
OLD_VALUES = {ROOT / "npformer/visualization/stepper"}  # of values there not yet
PUBLIC = {
    "npformer/visualization/attention.py: written"
}  # a field of SentenceAttention, next to read
RULES = {
    "because, not for": r", for (it|they|there|its) ",
    "continues, not goes on": r"\b(go|goes|went|gone|going) on\b(?! to)",
    "except, not but for": r"\bbut (for|where)\b",
    "next to, again, anyone who, must": r"\b(beside|anew|whoever|shall)\b",
    "more probable, correctly": r"\b(likelier|likeliest|dearer|surer|rightly|wrongly)\b",
    "is, not stands": r"\b(stands|stood|lies) (in|at|on|behind|before|beside|outside|under|there|here)\b(?! for)",
    "specified, reported": r"\b(is|are|was|must be|been) (told|said)\b",
    "checks, not proves": r"\b(proves?|proven|proved|proving)\b",
    "learned": r"\blearnt\b",
    "one per": r"\b(a|one) \w+ an? (word|line|core|rank|token|head|row|side|worker|exercise|student|verb|case|layer)\b",
    "n, not so many": r"\bso many\b",
    "is not a, not is none": r"(?<!there )\b(is|are) (none|no answer)\b",
    "npformer, not this house": r"\bthis house\b|\bhouse's\b|\bof the house\b",
    "American spelling": r"colour|favour|behaviour|centred|centre|grey|modelling|labelled|labelling|licence|"
    r"\b(normal|initial|optim|general|token|summar|recogn)is(e|ed|er|es|ing|ation)s?\b",
    "98.6%, without a space": r"\d %(?![a-z(])",
}


def names_of(tree, *, with_values=True):
    """Yield the names of functions, classes and arguments, and of variables, attributes and constants."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif (
            with_values
            and isinstance(node, (ast.Name, ast.Attribute))
            and isinstance(node.ctx, ast.Store)
        ):
            yield node.id if isinstance(node, ast.Name) else node.attr


def texts_of(path):
    """Return line numbers and texts: comments, docstrings and messages of a module, or the prose of a page.

    Nothing is returned where no line of the file breaks a rule, code or text: it takes seconds to tokenize them all.
    """
    content = path.read_text(encoding="utf-8")
    without_names = re.sub(r"`[^`\n]*`", "", content)
    if not any(re.search(wrong, without_names) for wrong in RULES.values()):
        return []
    if path.suffix == ".md":
        prose = re.sub(
            r"```.*?```|`[^`\n]*`|https?://\S+",
            lambda m: "\n" * m[0].count("\n"),
            content,
            flags=re.DOTALL,
        )
        return list(enumerate(prose.splitlines(), 1))
    texts = []
    for token in tokenize.generate_tokens(io.StringIO(content).readline):
        if token.type in (
            tokenize.COMMENT,
            tokenize.STRING,
            getattr(tokenize, "FSTRING_MIDDLE", None),
        ):
            for i, line in enumerate(token.string.splitlines()):
                if line.count(" ") >= 2:
                    texts.append((token.start[0] + i, re.sub(r"`[^`]*`", "", line)))
    return texts


def test_names():
    found = set()
    for path in CODE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in {path.stem, *names_of(tree, with_values=not OLD_VALUES & {*path.parents})}:
            words = {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)}
            if name.strip("_").lower() in NAMES or PARTS & words:
                found.add(f"{path.relative_to(ROOT)}: {name}")
    assert found <= PUBLIC, "\n".join(sorted(found - PUBLIC))


def test_english():
    found = []
    for path in sorted({*SCRIPTS, *PAGES} - {Path(__file__)}):
        name = path.relative_to(ROOT).as_posix()
        for n, text in texts_of(path):
            found += [
                f"{rule}: {name}:{n}: {text.strip()}"
                for rule, wrong in RULES.items()
                if re.search(wrong, text)
            ]
    assert not found, "\n".join(sorted(found))
