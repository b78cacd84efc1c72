"""Name the class of texts, or of standard input line by line; output lines match. After -- a text may begin with -."""

import json
from collections.abc import Iterable, Sequence

from ..decoding import Prediction, TextClassifier
from ..utils.malloc import keep_freed_memory
from ..utils.one_line import CONTROLS
from .beam_options import add_search_options
from .line_io import Answers, Read, answer
from .options import named, sentence
from .output import one_line

USAGE = "[options] RUN [TEXT ...]"
ESCAPED = {code: f"\\u{code:04x}" for code in CONTROLS}


def add_options(parser) -> None:
    """Add what may be said."""
    add = parser.add_argument
    add("run", type=named, metavar="RUN", help="a run folder of `npformer train`")
    lines = "what to classify (default: the lines of standard input)"
    add("texts", nargs="*", default=[], type=sentence, metavar="TEXT", help=lines)
    objects = (
        "a JSON object a line: text, label, probabilities, unknown (default: the label, its probability, the others)"
    )
    add("--json", action="store_true", help=objects)
    add_search_options(parser, "batch-tokens")


def run(options) -> int:
    """Classify texts or the lines of standard input, and return the exit status."""
    keep_freed_memory()
    kind = JsonLines if options.json else ClassifiedLines
    return answer(kind(TextClassifier.load(options.run), batch_tokens=options.batch_tokens), options.texts, "text")


class ClassifiedLines(Answers):
    """Write a line for each text: its class, how probable that is, and the other classes, the likelier first.

    A text that cannot be classified leaves its line empty.
    """

    def __init__(self, labeller: TextClassifier, *, batch_tokens: int):
        super().__init__(encode=labeller.encode, unknown=labeller.text.unknown, batch_tokens=batch_tokens)
        self.labeller = labeller
        self.width = max(map(len, labeller.label.names))

    def lines(self, texts: Sequence[Read]) -> Iterable[str]:
        """Yield the classes."""
        usable = [read.ids for read in texts if read.ids]
        found = iter(self.labeller.probabilities(usable, batch_tokens=self.batch_tokens))
        for read in texts:
            yield self.line(read, self.labeller.classified(next(found)) if read.ids else None)

    def line(self, read: Read, found: Prediction | None) -> str:
        """Return what is printed for a text."""
        if found is None:
            return ""
        (label, probability), *others = found.probabilities.items()
        rest = "  ".join(f"{name} {share:.2f}" for name, share in others)
        return one_line(f"{label:<{self.width}}  {probability:.2f}   {rest}")


class JsonLines(ClassifiedLines):
    """Write a JSON object for each text, on one line; of a text that cannot be classified the label is null."""

    def line(self, read: Read, found: Prediction | None) -> str:
        """Return the object of a text."""
        label, probabilities = found or (None, {})
        said = {"text": read.text, "label": label, "probabilities": probabilities, "unknown": read.unknown}
        return json.dumps(said, ensure_ascii=False).translate(ESCAPED)
