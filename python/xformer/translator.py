"""A trained model in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Union

from . import _xformer
from .errors import TranslationWarning
from .options import Option, Path, lines, word, words


class Hypothesis(NamedTuple):
    """One hypothesis of a search."""

    text: str
    log_probability: float  # of all its pieces and </s>, in nats
    score: float  # what hypotheses compare by
    cut: bool = False  # the length limit came before its end
    cropped: bool = False  # its line was too long to read: a translation of the line's beginning


def _warn(messages: list[str]) -> None:
    """Warns at the caller of the method."""
    for message in messages:
        warnings.warn(message, TranslationWarning, stacklevel=3)


class Translator:
    """Loads a run folder, one of its checkpoints, or another toolkit's model folder; several: an ensemble.

    Options are those of xformer-translate: beam_size=5, normalize=1.0, cpu_threads=2, precision="int8", device="cpu", ...
    Defaults are those stored with the model. Several threads may share one object; calls run one after the other.
    Lines that are too long to read and translations that reach the length limit emit a TranslationWarning.
    """

    def __init__(self, run: Union[Path, Sequence[Path]], **options: Option) -> None:
        runs = [word(path, "run") for path in run] if isinstance(run, (list, tuple)) else [word(run, "run")]
        if not runs:
            raise TypeError("Translator: expected a run, got an empty list")
        more = ["--model", *runs[1:]] if len(runs) > 1 else []
        self._model = _xformer.Translator(runs[0], more + words(options))
        _warn(self._model.take_warnings())

    def translate(self, lines_: Iterable[str], /) -> list[str]:
        """The best translation of each line, in order. Many lines at once are faster than one by one."""
        texts, messages = self._model.translate(lines(lines_, "translate"))
        _warn(messages)
        return texts

    def hypotheses(self, lines_: Iterable[str], /) -> list[list[Hypothesis]]:
        """The hypotheses for each line, best first: one, or beam_size many with n_best=True."""
        found, messages = self._model.hypotheses(lines(lines_, "hypotheses"))
        _warn(messages)
        return [[Hypothesis(*one) for one in of_line] for of_line in found]

    def score(self, sources: Iterable[str], targets: Iterable[str]) -> list[list[float]]:
        """The log-probability, in nats, of each token of each target, given its source; that of </s> is the last.

        sum(...) of one list is the target's log-probability. A token is a piece of the model's vocabulary.
        """
        return self._model.score(lines(sources, "score: sources"), lines(targets, "score: targets"))
