"""What the package raises besides TypeError and KeyboardInterrupt."""

from __future__ import annotations

from typing import Literal

Kind = Literal["usage", "data", "diverged", "resources", "failure"]


class Error(RuntimeError):
    """Whatever a program of the project would end with: the message says what to do.

    kind: "usage": an option, a value, sizes that do not fit together; "data": a file or a text that is missing, broken or
    unequal; "diverged": a training that ran away; "resources": memory or disk; "failure": anything else.
    """

    def __init__(self, message: str, kind: Kind = "failure") -> None:
        super().__init__(message)
        self.kind: Kind = kind


class Stopped(Exception):
    """stop() was called, in another thread."""


class TranslationWarning(UserWarning):
    """Lines that were too long to read, translations that were cut at the length limit, and what else a program would warn of."""


Error.__module__ = Stopped.__module__ = TranslationWarning.__module__ = "xformer"  # as tracebacks name them
