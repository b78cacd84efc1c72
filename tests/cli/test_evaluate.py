import math
import re

import pytest

import npformer as npf
from npformer.runs.folder import RunFolder
from npformer.tasks import Batches, mean_loss


def figures(out):
    """The numbers of the table: sentences, exact match in per cent, both BLEU, loss and
    perplexity.
    """
    pattern = r"^(?:sentences|exact match|BLEU|loss) +([\d.]+)|perplexity ([\d.]+)"
    return [float(number or last) for number, last in re.findall(pattern, out, re.MULTILINE)]


@pytest.fixture(scope="module")
def translator(trained_run):
    return npf.load(trained_run)


def test_held_out_pairs_of_run_are_scored(command, trained_run, translator):
    [held_out] = RunFolder(trained_run).training().data_set().load("held_out")
    status, out, err = command("evaluate", trained_run)
    sentences, _, _, _, loss, perplexity = figures(out)
    assert (status, err, sentences) == (0, "", len(held_out))
    pairs = [
        (translator.source.encode(pair.source), translator.target.encode(pair.target))
        for pair in held_out
    ]
    assert loss == pytest.approx(
        mean_loss(translator.model, Batches(pairs, batch_tokens=100)), abs=1e-4
    )
    assert perplexity == pytest.approx(math.exp(loss), rel=1e-3)


@pytest.mark.parametrize("batch_tokens", [1, 16, 4096])
def test_own_translations_score_100_at_any_batch_size(
    command, trained_run, translator, text_files, tmp_path, batch_tokens
):
    sources = text_files[0].read_text(encoding="utf-8").splitlines()
    (tmp_path / "own").write_text("\n".join(translator.translate(sources)), encoding="utf-8")
    files = ["--src", text_files[0], "--tgt", tmp_path / "own"]
    status, out, _ = command("evaluate", trained_run, *files, "--batch-tokens", batch_tokens)
    assert (status, figures(out)[:4]) == (0, [30, 100, 100, 100])


def test_examples_are_shown_with_references(command, trained_run, text_files):
    out = command(
        "evaluate", trained_run, "--src", text_files[0], "--tgt", text_files[1], "--show", 2
    ).out
    assert [line.split()[0] for line in out.replace("* ", "  ").splitlines()[2:9] if line] == [
        "source",
        "output",
        "reference",
    ] * 2
    assert "  reference  der Hund schläft ." in out


def test_pair_without_reference_has_no_loss_and_is_counted(command, trained_run, tmp_path):
    (tmp_path / "src").write_text("the dog\nthe bear\n")
    (tmp_path / "tgt").write_text("der\n \n")
    out = command("evaluate", trained_run, "--src", tmp_path / "src", "--tgt", tmp_path / "tgt").out
    assert (
        "sentences     2\n" in out and " (left out: 1 with an empty or too long reference)\n" in out
    )


def test_language_of_run_applies_to_given_files(command, monkeypatch, trained_run, text_files):
    monkeypatch.setattr("npformer.datasets.DataSet.target_language", lambda data, direction: "de")
    out = command("evaluate", trained_run, "--src", text_files[0], "--tgt", text_files[1]).out
    assert "on Moses tokens (de), lower case" in out


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("\n \n", "a\nb\n", "none of 2 sentence pairs can be scored"),
        ("the dog\n", "\n", "none of 1 sentence pairs can be scored"),
    ],
)
def test_files_that_cannot_be_scored_are_rejected(
    refused, trained_run, tmp_path, src, tgt, expected
):
    (tmp_path / "src").write_text(src)
    (tmp_path / "tgt").write_text(tgt)
    assert expected in refused(
        "evaluate", trained_run, "--src", tmp_path / "src", "--tgt", tmp_path / "tgt"
    )


def test_bleu_and_chrf_are_printed_with_signatures(command, trained_run):
    out = command("evaluate", trained_run, "--language", "de").out
    assert re.search(
        r"^BLEU +[\d.]+ +on text +nrefs:1\|case:mixed\|eff:no\|tok:13a\|smooth:exp",
        out,
        re.MULTILINE,
    )
    assert re.search(
        r"^BLEU +[\d.]+ +on Moses tokens \(de\), lower case +nrefs:1.*tok:none", out, re.MULTILINE
    )
    assert re.search(
        r"^chrF +[\d.]+ +on text +nrefs:1\|case:mixed\|eff:yes\|nc:6\|nw:0", out, re.MULTILINE
    )
