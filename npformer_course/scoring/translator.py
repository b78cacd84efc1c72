"""The score of a student's translator: BLEU and chrF on sentences that the teacher keeps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unicodedata import normalize

import npformer as npf
from npformer.decoding import BeamSearchConfig
from npformer.evaluation import bleu_and_chrf
from npformer.tasks import Translator
from npformer.utils.errors import InputError, one_line
from npformer.utils.files import read_text

from .score_table import Score

COLUMNS = {"BLEU": ".1f", "chrF": ".1f", "% equal": ".1f"}


def score_translator(
    student: str, folder: Path, sources: Sequence[str], references: Sequence[str]
) -> Score:
    """Translate with the model of a run folder, and compare with the references.

    The numbers of the score are BLEU and chrF, of plain text, and the share of translations that
    equal their reference. npformer's code translates, with the student's parameters, and with a
    beam of 4 as by default: nothing of the student's runs.
    """
    try:
        translator = npf.load(folder)
        if not isinstance(translator, Translator):
            return Score(student, problem=f"{folder.name} is no translator")
        # the same search for all, whatever a student's config.json says
        translator.search = BeamSearchConfig()
        translations = translator.translate(list(sources))
    except (InputError, OSError, MemoryError) as error:
        # the path is one of the teacher's folders
        reason = str(error).replace(str(folder), folder.name) or "out of memory"
        return Score(student, problem=one_line(reason))

    # a letter and its accent may be one character or two: the same text
    translations = [normalize("NFC", text) for text in translations]
    references = [normalize("NFC", text) for text in references]
    scores = bleu_and_chrf(translations, references)
    n_equal = sum(a == b for a, b in zip(translations, references, strict=True))
    return Score(student, (scores.bleu, scores.chrf, 100 * n_equal / len(references)))


def read_hidden(sources: Path, references: Path) -> tuple[list[str], list[str]]:
    """Return the lines of two files: sentences, and their translations.

    Raises `InputError` where they do not belong together.
    """
    sides = []
    for path in (sources, references):
        lines = [line.strip() for line in read_text(path).strip().split("\n")]
        if not all(lines):
            raise InputError(f"line {lines.index('') + 1} of {path} is empty: expected a sentence")
        sides.append(lines)
    if len(sides[0]) != len(sides[1]):
        raise InputError(
            f"{sources} has {len(sides[0])} lines and {references} {len(sides[1])}: "
            "expected a translation for each sentence"
        )
    return sides[0], sides[1]
