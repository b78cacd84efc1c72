"""TREC and sentence polarity from small archives and from .tsv files."""

import gzip
import hashlib
import io
import sys
import zipfile

import pytest

from npformer import MissingExtraError, datasets
from npformer.datasets.published import sentence_polarity, trec
from tests.datasets.refusals import refusal

QUESTIONS = {
    "train": [(("NUM:dist", "HUM:ind")[i % 2], f"Question {i} ?") for i in range(40)]
    + [("NUM:date", "Question 0 ?")],
    "test": [("NUM:count", "How many ?"), ("LOC:city", "Where is sister\xf0city ?")],
}
TREC_ROWS = {
    name: [(label[:3], text.replace("\xf0", " ")) for label, text in rows]
    for name, rows in QUESTIONS.items()
}
POSITIVE, NEGATIVE = ([f"{word} film {i} , café" for i in range(40)] for word in ("good", "bad"))
POLARITY_ROWS = [
    row for good, bad in zip(POSITIVE, NEGATIVE, strict=True) for row in (("1", good), ("0", bad))
]


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tsv(rows):
    return "".join(f"{label}\t{text}\n" for label, text in rows).encode()


def sha(rows):
    return hashlib.sha256(tsv(rows)).hexdigest()


TREC_FILES = {
    f"qc/{name}.txt": "".join(f"{label} {text}\n" for label, text in rows).encode("latin-1")
    for name, rows in QUESTIONS.items()
}
POLARITY_FILES = {
    f"sentence_polarity/rt-polarity.{ending}": "".join(f"{line} \n" for line in lines).encode()
    for ending, lines in {"pos": POSITIVE, "neg": NEGATIVE}.items()
}
ZIPS = {
    "trec": ("qc.zip", TREC_FILES),
    "sentence_polarity": ("sentence_polarity.zip", POLARITY_FILES),
}
MODULES = {"trec": trec, "sentence_polarity": sentence_polarity}
TITLES = {"trec": "TREC", "sentence_polarity": "sentence polarity"}
TABLES = {"trec": {f"{name}.tsv": rows for name, rows in TREC_ROWS.items()}}
TABLES["sentence_polarity"] = {"all.tsv": POLARITY_ROWS}


@pytest.fixture(autouse=True)
def sums(monkeypatch, empty_cache):
    monkeypatch.setattr(trec, "SHA256", {name: sha(rows) for name, rows in TREC_ROWS.items()})
    monkeypatch.setattr(sentence_polarity, "SHA256", sha(POLARITY_ROWS))


@pytest.fixture
def server(monkeypatch, file_server):
    for module in (trec, sentence_polarity):
        monkeypatch.setattr(module, "ADDRESS", file_server.address)
    file_server.files = {archive: packed(files) for archive, files in ZIPS.values()}
    return file_server


@pytest.fixture
def own(monkeypatch, tmp_path):
    """The folders of $NPFORMER_DATA, empty."""
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path / "data"))
    for name in ZIPS:
        (tmp_path / "data" / name).mkdir(parents=True)
    return tmp_path / "data"


@pytest.mark.parametrize("name", ZIPS)
def test_local_and_downloaded_files_give_the_same_rows(own, server, monkeypatch, name):
    parts, (archive, files) = ("train", "held_out", "test"), ZIPS[name]
    (own / name / archive).write_bytes(packed(files))
    of_archive = datasets.get(name).load(*parts)
    (own / name / archive).unlink()
    for table, rows in TABLES[name].items():
        (own / name / f"{table}.gz").write_bytes(gzip.compress(tsv(rows)))
    assert datasets.get(name).load(*parts) == of_archive
    assert server.asked == []
    monkeypatch.delenv("NPFORMER_DATA")
    assert datasets.get(name).load(*parts) == of_archive == datasets.get(name).load(*parts)
    assert server.asked == [archive]
    assert all(isinstance(text, datasets.LabeledText) for part in of_archive for text in part)


@pytest.mark.parametrize("name", ["trec", "ag_news", "multi30k"])
def test_missing_data_folder_is_named(monkeypatch, tmp_path, name):
    monkeypatch.setenv("NPFORMER_DATA", str(tmp_path / "gone"))
    assert refusal(datasets.get(name)).startswith(
        f"NPFORMER_DATA = {tmp_path / 'gone'} is no folder: expected one with a folder"
    )


def test_trec_keeps_coarse_class_and_order(server):
    train, held_out, test = datasets.get("trec").load("train", "held_out", "test")
    assert test == [("NUM", "How many ?"), ("LOC", "Where is sister city ?")]
    assert sorted(train + held_out) == sorted(TREC_ROWS["train"]) and len(held_out) >= 2
    assert train == [row for row in TREC_ROWS["train"] if row in train]
    assert not {text for _, text in train} & {text for _, text in held_out}


def test_polarity_labels_sentences_and_tests_every_tenth_pair(server):
    train, held_out, test = datasets.get("sentence_polarity").load("train", "held_out", "test")
    pairs = [
        (("positive", f"good film {i} , café"), ("negative", f"bad film {i} , café"))
        for i in (0, 10, 20, 30)
    ]
    assert test == [row for pair in pairs for row in pair]
    everything = {text for _, text in train + held_out + test}
    assert len(train) + len(held_out) + len(test) == 80 == len(everything)
    assert {label for label, _ in held_out} == {"positive", "negative"}


@pytest.mark.parametrize("name", ZIPS)
def test_table_with_wrong_checksum_is_rejected(own, name):
    table, rows = next(iter(TABLES[name].items()))
    (own / name / table).write_bytes(tsv(rows[1:]))
    message = refusal(datasets.get(name), "train")
    archive = MODULES[name].ADDRESS + ZIPS[name][0]
    assert message == (
        f"{own / name / table} is not the file of {TITLES[name]}: the sha256 of its rows is "
        f"{sha(rows[1:])}, expected {sha(rows)}: fetch {archive} again in its place"
    )


@pytest.mark.parametrize("name", ZIPS)
def test_archive_with_different_rows_is_rejected(own, name):
    archive, files = ZIPS[name]
    changed = {path: content.replace(b"i", b"j") for path, content in files.items()}
    (own / name / archive).write_bytes(packed(changed))
    assert f"{own / name / archive} is not the file of" in refusal(datasets.get(name))


@pytest.mark.parametrize("name", ZIPS)
def test_missing_files_error_gives_download_address(own, name):
    archive = ZIPS[name][0]
    assert f"{own / name / archive} does not exist: fetch it from https://" in refusal(
        datasets.get(name)
    )


@pytest.mark.parametrize("name", ZIPS)
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "File is not a zip file"),
        (packed({"other": b""}), "There is no item named '{member}' in the archive"),
    ],
    ids=["no archive", "another archive"],
)
def test_archive_that_cannot_be_read_is_named(own, name, content, reason):
    archive, files = ZIPS[name]
    path = own / name / archive
    path.write_bytes(content)
    reason = reason.format(member=next(iter(files)))
    expected = f"cannot read {path} ({reason}): fetch it again in its place"
    assert refusal(datasets.get(name)) == expected


@pytest.mark.parametrize("name", [*ZIPS, "shakespeare", "couplets", "multi30k"])
def test_missing_pooch_error_names_the_extra(monkeypatch, name):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        MissingExtraError, match=r'pooch is not installed: run  pip install "npformer\[data\]"'
    ):
        datasets.get(name).load("train")
