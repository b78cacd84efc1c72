"""Six small files in place of Multi30k's, for the tests of the local folder and of the download."""

import gzip
import hashlib

from npformer.datasets.published import multi30k

LINES = {"en": "A man.\nTwo dogs.\n", "de": "Ein Mann mit Größe.\nZwei Hunde.\n"}
FILES = {
    f"{part}.{language}.gz": gzip.compress(f"{part} {lines}".encode())
    for part in multi30k.PARTS.values()
    for language, lines in LINES.items()
}
SHA256 = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}
