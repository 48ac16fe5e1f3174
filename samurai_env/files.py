"""Files that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any


def write_whole(path: str | os.PathLike[str], write: Callable[[IO[bytes]], Any]) -> None:
    """Write a file anew; until all of it is on the disk, the old one stays, whatever happens.

    Args:
        path: the file.
        write: is handed the file, open for bytes.

    Raises:
        OSError: it cannot be written, as on a full disk; what was there before is unharmed.
    """
    target = Path(path)
    unfinished = target.with_name(target.name + ".tmp")
    try:
        with unfinished.open("wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of text anew; see `write_whole`."""
    write_whole(path, lambda file: file.write(text.encode()))


def _sync_folder(folder: Path) -> None:
    """Let the new name outlast a power cut, where folders can be opened."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
