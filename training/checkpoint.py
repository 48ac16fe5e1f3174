"""Checkpoints: one file that holds a whole run, and that is refused if a single bit of it is wrong."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch

from samurai_env.files import write_whole

FORMAT = b"samurai_env checkpoint "
VERSION = b"1\n"
_EXPECTED = "expected a checkpoint that training/selfplay.py wrote"


def save_checkpoint(path: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Write a checkpoint, whole or not at all.

    Args:
        path: the file.
        content: nested dicts and lists of arrays, tensors, numbers and texts.

    Raises:
        OSError: it cannot be written; what was there before is unharmed.
    """
    payload = io.BytesIO()
    torch.save(_with_tensors(content), payload)
    data = payload.getvalue()
    head = FORMAT + VERSION + hashlib.sha256(data).digest()
    write_whole(path, lambda file: file.write(head + data))


def load_checkpoint(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what `save_checkpoint` wrote; arrays come back as tensors on the CPU.

    Raises:
        ValueError: it is missing, damaged, or no checkpoint of this version.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(f"checkpoint {str(path)!r}: {error.strerror or error}; {_EXPECTED}") from None
    if not content.startswith(FORMAT):
        raise ValueError(f"checkpoint {str(path)!r}: not one; {_EXPECTED}")
    if not content.startswith(FORMAT + VERSION):
        version = content[len(FORMAT) :].partition(b"\n")[0][:20].decode(errors="replace")
        own = VERSION.decode().strip()
        raise ValueError(f"checkpoint {str(path)!r}: of format {version}; this version of samurai_env reads {own}")
    start = len(FORMAT + VERSION)
    digest, data = content[start : start + 32], content[start + 32 :]
    if hashlib.sha256(data).digest() != digest:
        raise ValueError(f"checkpoint {str(path)!r}: damaged or cut short; {_EXPECTED}")
    loaded: dict[str, Any] = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    return loaded


def _with_tensors(content: Any) -> Any:
    """Return the same with tensors for arrays, which torch reads without running code from the file."""
    if isinstance(content, dict):
        return {key: _with_tensors(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_with_tensors(value) for value in content]
    return torch.from_numpy(content.copy()) if isinstance(content, np.ndarray) else content


# ------------------------------------------------------------------ the generators of the process


def generators() -> dict[str, Any]:
    """Return the states of the global generators of Python, NumPy and torch."""
    kind, words, *rest = np.random.get_state()  # noqa: NPY002 - what SB3 seeds is saved as well
    return {
        "python": json.dumps(random.getstate()),
        "numpy": json.dumps([kind, np.asarray(words).tolist(), *rest]),
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }


def restore_generators(states: dict[str, Any]) -> None:
    """Put the global generators where they were."""
    version, words, gauss = json.loads(states["python"])
    random.setstate((version, tuple(words), gauss))
    np.random.set_state(tuple(json.loads(states["numpy"])))  # noqa: NPY002
    torch.set_rng_state(states["torch"])
    if torch.cuda.is_available() and len(states["cuda"]) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all(states["cuda"])
