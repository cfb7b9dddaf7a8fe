"""Exceptions of the package, in addition to TypeError and KeyboardInterrupt."""

from __future__ import annotations

from typing import Literal

Kind = Literal["usage", "data", "diverged", "resources", "failure"]


class Error(RuntimeError):
    """Any error that would end a program of the project. The message says what to do.

    kind: "usage": an option, a value, sizes that do not fit together; "data": a file or a text that is missing, damaged
    or does not match; "diverged": training diverged; "resources": memory or disk; "failure": anything else.
    """

    def __init__(self, message: str, kind: Kind = "failure") -> None:
        super().__init__(message)
        self.kind: Kind = kind


class Stopped(Exception):
    """stop() was called, in another thread."""


class TranslationWarning(UserWarning):
    """Warnings that a program would print: lines that are too long to read, translations cut at the length limit, and others."""


Error.__module__ = Stopped.__module__ = TranslationWarning.__module__ = "xformer"  # as tracebacks name them
