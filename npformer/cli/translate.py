"""Translate sentences, or standard input line by line; output lines match. After -- a sentence may begin with -."""

from collections.abc import Iterable, Sequence

from ..decoding import Translator
from ..decoding.beam_settings import Search
from ..utils.malloc import keep_freed_memory
from .beam_options import add_search_options, search_settings
from .line_io import Answers, Read, answer
from .options import named, sentence, whole_number
from .output import one_line

USAGE = "[options] RUN [SENTENCE ...]"


def add_options(parser) -> None:
    """Add what may be said."""
    parser.add_argument("run", type=named, metavar="RUN", help="a run folder of `npformer train` or import")
    lines = "what to translate (default: the lines of standard input)"
    parser.add_argument("sentences", nargs="*", default=[], type=sentence, metavar="SENTENCE", help=lines)
    add_search_options(parser)
    n_best = "the N best of each line: line number, score, text, by tabs (default: the best one's text alone)"
    parser.add_argument("--n-best", type=whole_number(1), metavar="N", help=n_best)


def run(options) -> int:
    """Translate sentences or the lines of standard input, and return the exit status."""
    keep_freed_memory()
    translator = Translator.load(options.run)
    output = TranslatedLines(translator, n_best=options.n_best, **search_settings(options, translator))
    return answer(output, options.sentences, "sentence")


class TranslatedLines(Answers):
    """Write a line for each sentence, or with n_best up to so many: line number, score and text between tabs.

    A sentence that cannot be translated leaves its line empty but for number and tabs. A character in a translation
    that would end its line is written as a space.

    Raises `InputError` when beam, alpha, penalty and n_best do not fit together.
    """

    def __init__(
        self,
        translator: Translator,
        *,
        beam: int,
        alpha: float,
        penalty: str,
        n_best: int | None,
        batch_tokens: int,
    ):
        Search(beam=beam, alpha=alpha, penalty=penalty).check_n_best(n_best or 1)
        super().__init__(encode=translator.encode, unknown=translator.source.unknown, batch_tokens=batch_tokens)
        self.translator, self.n_best = translator, n_best
        self.settings = {"beam": beam, "alpha": alpha, "penalty": penalty, "batch_tokens": batch_tokens, "n": n_best}

    def lines(self, texts: Sequence[Read]) -> Iterable[str]:
        """Yield the translations."""
        n_best = self.n_best
        found = iter(self.translator.translations([read.ids for read in texts if read.ids], **self.settings))
        for read in texts:
            best = next(found) if read.ids else ()
            written = [(f"{t.score:.4f}\t" if n_best else "") + one_line(t.text) for t in best]
            for text in written or ["\t" if n_best else ""]:
                yield f"{read.number}\t{text}" if n_best else text
