"""The contents of `File` values: kept by their hash, once, and copied out for those who work on them."""

import hashlib
import os
import shutil
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO, Protocol

import msgspec

from weft.model.types import File


class FileFault(Exception):
    """The content of a file is not there, or is not what the value says."""


class Files(Protocol):
    """Where contents are kept."""

    def keep(self, content: BinaryIO, name: str, bytes_max: int) -> File:
        """Keeps what it reads, or raises `FileFault` when that is too much."""
        ...

    def write(self, file: File, target: Path) -> None:
        """Writes the content to a path, or raises `FileFault`."""
        ...


class Folder:
    """Contents in a directory, which all who share it see. A content that is there is never changed."""

    SCHEME = "sha256:"

    def __init__(self, path: Path) -> None:
        self._path = path

    def keep(self, content: BinaryIO, name: str, bytes_max: int) -> File:
        self._path.mkdir(parents=True, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with NamedTemporaryFile(dir=self._path, prefix=".new-", delete=False) as kept:
            try:
                while part := content.read(1 << 18):
                    size += len(part)
                    if size > bytes_max:
                        raise FileFault(f"{name} is larger than the {bytes_max:,} bytes that are allowed")
                    digest.update(part)
                    kept.write(part)
                kept.flush()
                os.fsync(kept.fileno())
                target = self._place(digest.hexdigest())
                target.parent.mkdir(exist_ok=True)
                os.replace(kept.name, target)
            except BaseException:
                os.unlink(kept.name)
                raise
        return File(name, size, digest.hexdigest(), self.SCHEME + digest.hexdigest())

    def write(self, file: File, target: Path) -> None:
        digest = file.reference.removeprefix(self.SCHEME)
        if digest == file.reference or not (len(digest) == 64 and set(digest) <= set("0123456789abcdef")):
            raise FileFault(f"{file.name} is at {file.reference!r}, which is no reference to a kept file")
        try:
            shutil.copyfile(self._place(digest), target)
        except FileNotFoundError:
            raise FileFault(f"the content of {file.name} ({file.reference}) is not in {self._path}") from None

    def _place(self, digest: str) -> Path:
        return self._path / digest[:2] / digest


def as_file(value: object) -> File | None:
    """The file that a plain value stands for, if it is one."""
    if not isinstance(value, dict) or set(value) != set(File.__struct_fields__):
        return None
    try:
        return msgspec.convert(value, File)
    except msgspec.ValidationError:
        return None
