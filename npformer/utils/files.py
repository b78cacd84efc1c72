"""Reading and writing files: whole or not at all, and with errors that a user can act on."""

import gzip
import json
import os
import secrets
import shutil
import zlib
from contextlib import suppress
from pathlib import Path

from .errors import InputError

AnyPath = str | os.PathLike


def write_atomic(path: AnyPath, content: bytes | str) -> None:
    """Write a file so that others see the old content or the new, never a part of it.

    A file that is replaced keeps its permissions, and a link still points to it. A pipe or a device
    is written to directly.
    """
    path = Path(path)
    if isinstance(content, str):
        content = content.encode("utf-8")
    # a temporary file in the same folder, which then takes its name: os.replace is atomic within
    # a file system alone
    target = Path(os.path.realpath(path)) if os.path.islink(path) else path
    part = target.parent / f".{target.name}.{secrets.token_hex(4)}.part"
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        with open(part, "xb") as file:
            with suppress(OSError):  # the file is new, or a file system has no permissions
                shutil.copymode(target, part)
            file.write(content)
            file.flush()
            # without it a power cut could leave an empty file under the new name
            os.fsync(file.fileno())
        os.replace(part, target)
    except OSError as error:
        reason = error.strerror
        # Windows replaces no file that is open
        if isinstance(error, PermissionError) and path.is_file():
            reason = f"{reason}: close it in other programs, or check its permissions"
        raise InputError(f"cannot write {path}: {reason}") from None
    finally:
        with suppress(OSError):  # it is gone, unless something failed
            part.unlink()


def remove_temporaries(folder: AnyPath) -> None:
    """Delete the temporary files of write_atomic in a folder, left when a process was killed."""
    for path in Path(folder).glob(".?*.????????.part"):
        path.unlink(missing_ok=True)


def make_folder(path: AnyPath) -> None:
    """Make a folder and those above it, unless they exist."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {path}: {error.strerror}") from None


def read_bytes(path: AnyPath) -> bytes:
    """Return a file's bytes, unpacked when its name ends in .gz.

    Raises `InputError` when they cannot be read.
    """
    path = Path(path)
    if path.is_fifo():
        raise InputError(f"{path} is a pipe: expected a file, which can be read again")
    try:
        data = path.read_bytes()
        if path.suffix == ".gz":
            return gzip.decompress(data)
        return data
    except FileNotFoundError:
        raise InputError(f"{path} does not exist: check the name and the folder") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise InputError(f"{path} is not a whole gzip file: fetch or pack it again") from None
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise InputError(
            f"cannot read {str(path)!r}: {getattr(error, 'strerror', error)}"
        ) from None


def read_text(path: AnyPath) -> str:
    """Return the text of a UTF-8 file, plain or .gz.

    Raises `InputError` where its bytes are not UTF-8.
    """
    try:
        # editors of Windows begin a file with a byte order mark
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is not UTF-8 at byte {error.start}: save it as UTF-8 text"
        ) from None


def read_lines(path: AnyPath) -> list[str]:
    """Return the lines of a UTF-8 file, plain or .gz, without their ends."""
    # not splitlines: a sentence may have U+2028 or U+0085, and aligned files would shift
    lines = read_text(path).replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    # a byte order mark is within a file that was put together of several
    return [line.removeprefix("\ufeff") for line in lines]


def read_json(path: AnyPath, kind: type = dict):
    """Return what a JSON file holds, an object unless `kind` says otherwise.

    Raises `InputError` for others.
    """
    text = read_text(path)
    try:
        value = json.loads(text)
    # a RecursionError where brackets are nested too deeply
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it is not JSON: {error}") from None
    if not isinstance(value, kind):
        raise InputError(
            f"{path} is damaged: expected a JSON object, it holds a {type(value).__name__}"
        )
    return value


def write_json(path: AnyPath, value: dict) -> None:
    """Write an object as readable JSON; in ASCII where it names a file whose name is not UTF-8."""
    content = json.dumps(value, indent=2, ensure_ascii=False)
    # \udce9, a byte of such a name, is written as JSON itself would write it
    write_atomic(path, content.encode("utf-8", "backslashreplace") + b"\n")
