"""Text files as the programs read them."""

from __future__ import annotations

from . import _xformer
from .options import Path, word


def read_lines(path: Path, /) -> list[str]:
    """The lines of a text file in UTF-8, plain or compressed with gzip or Zstandard.

    A line ends at a line feed alone, where str.splitlines() also ends one at U+2028, U+0085, a form feed and others, which
    may stand inside a sentence. A carriage return before it and a byte order mark are dropped. Error for text that is not UTF-8.
    """
    return _xformer.read_lines(word(path, "path"))
