"""Published files: in a folder of $NPFORMER_DATA, or downloaded once into the user's cache."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ..utils.errors import InputError, import_optional
from ..utils.files import read_bytes


@dataclass(frozen=True, kw_only=True)
class Published:
    """The files of a data set, which its makers have published.

    Arguments:
        title: what people call the set
        folder: its name below $NPFORMER_DATA and in the cache
        address: what is before a file's name on the server
        sha256: of each file, by its name; None where the reader of the file checks what is in it
    """

    title: str
    folder: str
    address: str
    sha256: Mapping[str, str | None]

    @property
    def advice(self) -> str:
        """What to do where the network cannot help."""
        return f"set NPFORMER_DATA to a folder with its files in {self.folder}/"

    def files(self, *names: str) -> list[Path]:
        """Return files, whose sha256 has been checked; no other file is looked at.

        They are those of the user's folder where it is there, each as NAME or compressed as
        NAME.gz, else those of the cache, into which they are downloaded when they are missing or
        damaged.

        Raises `InputError` when a file is missing, is not the one expected or cannot be downloaded;
        `MissingExtraError` when a download needs pooch and it is not installed.
        """
        folder = own_folder(self.folder)
        if folder is None:
            return self.downloaded(*names)
        return [self._checked(folder, name) for name in names]

    def _checked(self, folder: Path, name: str) -> Path:
        """Return a file of the user's folder, after comparing its sha256."""
        path = own_file(folder, name)
        if path is None:
            raise InputError(f"{folder / name} does not exist: fetch it from {self.address}{name}")
        expected = self.sha256[name]
        if expected is None:
            return path
        actual = _file_sha256(path, is_packed=path.name != name)
        if actual != expected:
            raise InputError(
                f"{path} is not the file of {self.title}: its sha256 is {actual}, expected "
                f"{expected}. Fetch it again from {self.address}{name}"
            )
        return path

    def downloaded(self, *names: str) -> list[Path]:
        """Return files in the user's cache; those that are missing or damaged are downloaded."""
        pooch = import_optional("pooch", "npformer[data]")
        logger = pooch.get_logger()
        level = logger.level
        logger.setLevel(logging.WARNING)  # the progress bar says enough
        try:
            folder = Path(pooch.os_cache("npformer")) / self.folder
            return [self._download(pooch, folder, name) for name in names]
        finally:
            logger.setLevel(level)

    def _download(self, pooch: ModuleType, folder: Path, name: str) -> Path:
        """Return a file of the cache, downloaded if need be."""
        url = f"{self.address}{name}"
        expected = self.sha256[name]
        known_hash = f"sha256:{expected}" if expected else None
        tqdm = import_optional("tqdm", "npformer").tqdm
        quiet = not sys.stderr.isatty()
        try:
            # pooch sets the total to what the server says
            with tqdm(
                desc=name, total=1, unit="B", unit_scale=True, leave=False, delay=0.5, disable=quiet
            ) as bar:
                downloader = pooch.HTTPDownloader(progressbar=bar)
                return Path(pooch.retrieve(url, known_hash, name, folder, downloader=downloader))
        # pooch brings requests, which is not imported where nothing is downloaded. First, because a
        # RequestException is an OSError too, and some are ValueErrors
        except import_optional("requests", "npformer[data]").RequestException as error:
            if error.response is not None:
                error.response.close()  # pooch leaves the connection of a 404 open
            raise InputError(
                f"cannot download {url} ({_reason(error)}): check the network, or {self.advice}"
            ) from None
        except ValueError as error:
            # pooch raises ValueError when the checksum is another one
            what = str(error)
            actual = re.search(r"but got (\w+)", what)
            if actual:
                what = f"its sha256 is {actual[1]}, expected {expected}"
            raise InputError(
                f"{url} is not the file of {self.title}: {what}. Try again later, or {self.advice}"
            ) from None
        except OSError as error:
            raise InputError(
                f"cannot keep {folder / name} ({_reason(error)}): make room for it, or "
                f"{self.advice}"
            ) from None


def own_folder(name: str) -> Path | None:
    """Return the folder of this name in $NPFORMER_DATA, or None where there is none.

    Raises `InputError` where that is no folder.
    """
    root = os.environ.get("NPFORMER_DATA")
    if not root:
        return None
    if not Path(root).is_dir():
        raise InputError(
            f"NPFORMER_DATA = {root} is no folder: expected one with a folder for each data set, "
            "or nothing"
        )
    folder = Path(root) / name
    return folder if folder.is_dir() else None


def own_file(folder: Path, name: str) -> Path | None:
    """Return the path of NAME or of its compressed NAME.gz in a folder, or None."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.exists():
            return path
    return None


def _file_sha256(path: Path, *, is_packed: bool) -> str:
    """Return the sha256 of a file, or of what a packed one holds."""
    # the checksums are of the files as they were published, and a user may have packed them
    if is_packed:
        return hashlib.sha256(read_bytes(path)).hexdigest()
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def _reason(error: Exception) -> str:
    """Return what went wrong without the text that the libraries print around it."""
    # requests wraps errors of urllib3, which wrap those of the system
    text = getattr(error, "strerror", None) or " ".join(str(error).split())
    core = re.search(
        r"""
        (?<=\]\ )[\w ]*\w                         # [Errno -2] Name or service not known
        | Connection\ broken
        | \d{3}\ \w+\ Error:\ [\w ]+(?=\ for\ url)  # 404 Client Error: Not Found for url
        | Read\ timed\ out
        """,
        text,
        re.VERBOSE,
    )
    return core[0] if core else text
