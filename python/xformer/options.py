"""Keyword arguments as the words of a program's command line, whose table of options is the only one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Union

Path = Union[str, "os.PathLike[str]"]
Value = Union[None, bool, int, float, str, "os.PathLike[str]"]
Option = Union[Value, Iterable[Value]]


def words(options: Mapping[str, Option]) -> list[str]:
    """beam_size=2, quiet=True, train_sets=["a.en", "a.de"] as --beam-size=2 --quiet=true --train-sets a.en a.de.

    None: as if it were not given.
    """
    result: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, (str, int, float, os.PathLike)):
            result.append(f"{flag}={word(value)}")
        else:
            result += [flag, *map(word, value)]
    return result


def word(value: Value) -> str:
    """One value as a command line has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def lines(values: Iterable[str], what: str) -> list[str]:
    """A list of lines. TypeError for a string, which would be taken for a list of its characters."""
    if isinstance(values, (str, bytes)):
        raise TypeError(f"{what}: expected a list of lines, got one {type(values).__name__}")
    result = list(values)
    for i, line in enumerate(result):
        if not isinstance(line, str):
            raise TypeError(f"{what}[{i}]: expected str, got {type(line).__name__}")
        line.encode()  # UnicodeEncodeError for half a surrogate pair
    return result
