"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os

import pytest

from samurai_env.files import write_text, write_whole


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "one")
    write_text(path, "two")
    assert path.read_text() == "two"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_loses_nothing(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_text(path, "one")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "two")
    assert path.read_text() == "one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]


def test_what_is_interrupted_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.txt"
    write_text(path, "one")

    def write(file):
        file.write(b"tw")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, write)
    assert path.read_text() == "one"
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
